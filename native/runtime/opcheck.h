// Operator checks: what torch.library.opcheck looks at, byte for byte, and what it does not look
// at.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/inputs.h"
#include "runtime/literal.h"
#include "runtime/program.h"

namespace opsmith {

// contract/opcheck.ts's opcheckRequest.
struct OpcheckRequest {
  std::string op;
  std::vector<Literal> args;
  std::vector<InputSpec> inputs;
  std::optional<ProgramSource> program;
  std::vector<std::string> checks;  // empty: all
  int64_t shapes = 6;               // how many other shapes are tried beside the given ones
  int64_t seed = 0;
};

// contract/opcheck.ts's opcheckFinding.
struct OpcheckFinding {
  std::string check;
  std::string status;  // "passed", "failed", "skipped"
  std::string reason;  // what was found, or why it was skipped; what was looked at when it passed
  std::string advice;  // what to do about a failure
  std::string input;   // the tensor it is about, by name; "" when none
  std::optional<int64_t> output;
  std::vector<int64_t> index;  // of an element of that tensor
  // The smallest inputs that show it: "x float64[1, 2]"; "" when the given ones do.
  std::string shown_by;
};

struct OpcheckReport {
  std::string op;
  bool ok = false;
  double seconds = 0;
  std::vector<OpcheckFinding> findings;
};

// Runs on the call thread; what may end a process runs in a copy of it. Throws Failure
// (operator.unknown, input.invalid, device.unavailable, program.compile).
OpcheckReport run_opcheck(const OpcheckRequest& request);

}  // namespace opsmith
