// Operator checks: the properties that torch.library.opcheck tests, byte for byte, and others that
// it does not test.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/check_status.h"
#include "runtime/inputs.h"
#include "runtime/literal.h"
#include "runtime/program/program.h"

namespace opsmith {

// A call with everything written out: arguments, and the inputs that they name.
struct OperatorCheckCase {
  std::vector<Literal> args;
  std::vector<InputSpec> inputs;
};

// A size that several tensors share: one number in all of its places.
struct SizeRange {
  std::string name;  // "" of one that only follows from equal sizes
  int64_t min = 1, max = 33;
  int64_t given = 0;  // in the given call
  int64_t step = 1;   // of one that only follows from equal sizes: it stays a multiple of this
  struct Place {
    std::string input;
    int64_t dim = 0;
  };
  std::vector<Place> places;
};

// A number that arguments name.
struct NumberRange {
  std::string name;
  bool integer = false;
  double min = 0, max = 0, given = 0;
};

// contract/operator-check.ts's operatorCheckRequest.
struct OperatorCheckRequest {
  std::string op;
  std::vector<Literal> args;
  std::vector<InputSpec> inputs;
  // Arguments and inputs are made from the schema; those above are not looked at.
  bool from_schema = false;
  // What other calls draw from; without named sizes, equal sizes of the inputs stay equal.
  std::vector<SizeRange> sizes;
  std::vector<NumberRange> numbers;
  std::vector<std::string> dtypes;  // of every floating or complex input; empty: its own
  std::optional<ProgramSource> program;
  std::vector<double> edges;        // numbers that the operator's sources compare with
  std::vector<std::string> checks;  // empty: all
  int64_t shapes = 6;               // how many other calls are tried beside the given one
  int64_t seed = 0;
};

// How the copy of the process ended that a call was made in.
struct CopyEnd {
  static constexpr int by_exit = -1, no_end = -2;
  int signal = 0;      // or one of these
  std::string report;  // a record of crash_report.h; "" where none was written
};

// What kernels that were compiled for checks did wrong in a call.
struct KernelReport {
  std::string report;    // contract/gpu-findings.ts's writtenGpuReport
  std::string shown_by;  // as in a finding
  OperatorCheckCase shown_case;
};

// contract/operator-check.ts's operatorCheckFinding.
struct OperatorCheckFinding {
  std::string check;
  CheckStatus status = CheckStatus::passed;  // never not_reached
  std::string reason;  // what was found, or why it was skipped; what was looked at when it passed
  std::string advice;  // what to do about a failure
  std::string input;   // the tensor it is about, by name; "" when none
  std::optional<int64_t> output;
  std::vector<int64_t> index;  // of an element of that tensor
  // The smallest shapes and simplest values that show it: "x float64[1, 2] of zeros"; "" when the
  // given ones are.
  std::string shown_by;
  std::optional<OperatorCheckCase>
      shown_case;                // the same as a call to make again; of failures only
  std::optional<CopyEnd> ended;  // of a failure by which the process ends
  bool is_elsewhere = false;     // found by run_elsewhere (checks.h)
  // In calls of this check, in a process whose kernels are checked; whatever its status is.
  std::vector<KernelReport> kernel_reports;
};

struct OperatorCheckReport {
  std::string op;
  bool ok = false;
  double seconds = 0;
  std::vector<OperatorCheckFinding> findings;
  std::optional<OperatorCheckCase> generated;  // the call made from the schema
};

// Runs on the call thread. All calls on the CPU are made in copies of the process; a call that ends
// its copy costs the verdict of one check. Calls on a device are made in this process, which a
// wrong kernel ends or leaves without its device: it must be an op host that nobody else needs.
// Throws Failure (operator.unknown, input.invalid, device.unavailable, program.compile).
OperatorCheckReport run_operator_check(const OperatorCheckRequest& request);

}  // namespace opsmith
