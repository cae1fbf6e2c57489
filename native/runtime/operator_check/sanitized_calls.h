// The calls that operator checks make, each in a copy of a process that was started with a
// sanitizer's runtime: the sanitizer writes its report to the copy's log.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/operator_check/operator_check.h"

namespace opsmith {

// The memory of an input while it was called, so that a report on an address can name it.
struct InputMemory {
  std::string name;
  uint64_t begin = 0;  // address of the first byte of its storage
  uint64_t bytes = 0;
};

// refused: the operator threw; stopped: the process ended before the call did.
enum class SanitizedEnd { ran, refused, stopped, timed_out };
constexpr auto texts_of(SanitizedEnd) {
  return enum_texts<SanitizedEnd>({{SanitizedEnd::ran, "ran"},
                                   {SanitizedEnd::refused, "refused"},
                                   {SanitizedEnd::stopped, "stopped"},
                                   {SanitizedEnd::timed_out, "timed out"}});
}

// contract/sanitize.ts's sanitizedCall.
struct SanitizedCall {
  std::string given;  // other than what was asked for: "x transposed"; "" when nothing is
  SanitizedEnd end = SanitizedEnd::ran;
  int64_t process = 0;  // of the copy, by which its log is named
  std::vector<InputMemory> inputs;
};

// What a call writes to stderr goes to the file `logs`/PROCESS.
struct SanitizedRequest {
  OperatorCheckRequest request;
  std::string logs;
};

struct SanitizedReport {
  std::string op;
  double seconds = 0;
  std::vector<SanitizedCall> calls;
};

// Calls the operator with the inputs asked for, at other sizes, in other layouts and dtypes, with
// other values, forward and, where an output requires grad, backward. Runs on the call thread;
// nothing of the operator runs in this process itself. Throws Failure (operator.unknown,
// input.invalid, device.unavailable, program.compile).
//
// What a call writes to stderr goes to the file `logs`/PROCESS: two runtimes in one process, as
// gcc's libasan and libubsan, do not both find their log_path.
SanitizedReport run_sanitized_calls(const SanitizedRequest& sanitized);

}  // namespace opsmith
