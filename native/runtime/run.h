// One call of an operator or a program's function: inputs made, called, described, compared.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "runtime/comparison.h"
#include "runtime/inputs.h"
#include "runtime/literal.h"
#include "runtime/program/program.h"
#include "runtime/tensor_store.h"

namespace opsmith {

// contract/run.ts's runRequest. Inputs in the project's order.
struct RunRequest {
  std::string op;  // ns::name, ns::name.overload, or a function of the program
  std::vector<Literal> args;
  std::vector<InputSpec> inputs;
  std::optional<std::string> reference;
  Tolerances tolerances;
  std::optional<ProgramSource> program;
};

// A value that is no tensor, printed as PyTorch prints it.
struct PlainValue {
  std::string type;
  std::string text;
};
using OutputValue = std::variant<TensorDetail, PlainValue>;

struct NamedValue {
  std::string name;
  OutputValue value;
};

// contract/run.ts's runReport.
struct RunReport {
  std::string op;  // with its overload
  double seconds = 0;
  std::vector<NamedValue>
      inputs;  // those that the call or the reference uses, as they are afterwards
  std::vector<OutputValue> outputs;  // tuples and lists of tensors flattened
  std::vector<Comparison> comparisons;
  std::optional<std::string> reference_error;
};

// Runs on the calling thread, which must be the call thread, with autograd recording.
// `seconds` includes waiting for the devices that the process works with, whatever the inputs are
// on. Throws Failure (operator.unknown,
// input.invalid, device.unavailable, program.compile) and whatever the operator throws. A reference
// that fails is part of the report.
RunReport run(const RunRequest& request);

}  // namespace opsmith
