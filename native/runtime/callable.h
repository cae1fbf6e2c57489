// What a run, a trace or a timing calls: an operator, a function of the program, or a method of an
// archive.
#pragma once

#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/program/program.h"

namespace opsmith {

struct Callable {
  std::string name;  // of an operator with its overload
  // Without `self`, of a method.
  c10::FunctionSchema schema;
  // Takes the arguments off the stack and leaves the results there.
  std::function<void(std::vector<c10::IValue>&)> call;
  torch::jit::Function* function = nullptr;  // null for an operator
  ProgramPtr program;                        // keeps `function` alive; null for an operator
  // Numbers that its sources compare with, if they are known: special values to check.
  std::vector<double> edges = {};
};

// `entry` with "::" is an operator, else a function of `program`. Throws Failure (operator.unknown,
// program.compile).
Callable find_callable(const std::string& entry, const std::optional<ProgramSource>& program);

}  // namespace opsmith
