// The inputs at which operator checks look at gradients, and finite differences there.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/operator_check/call_with_graph.h"
#include "runtime/operator_check/checks.h"

namespace opsmith {

// How precisely a dtype's finite differences distinguish gradients.
struct Fineness {
  double epsilon;    // the distance of 1 to the next number
  double step;       // of finite differences, as a part of an element
  double tolerance;  // of a sum over many elements, as a part of its terms
  double least;      // the smallest part of an element's gradient that counts as an error
};
constexpr Fineness double_fineness{2.3e-16, 1e-5, 1e-4, 1e-3};
constexpr Fineness float_fineness{1.2e-7, 3e-3, 2e-2, 5e-2};

// What checks of gradients look at: the call as a function of tensors, in float64 where the
// operator computes in it.
struct GradientCase {
  TensorFunction function;  // never writes to what it is given; random numbers repeat
  std::vector<std::string> names;
  Tensors inputs;              // leaves; those of `wanted` require grad
  std::vector<size_t> wanted;  // places of the inputs that have a gradient
  Fineness fineness = double_fineness;
  bool is_recorded = false;  // the function itself goes through backward
  std::string skip;          // why gradients are not looked at; "" when they are
  std::string fault;         // what backward throws; "" when it runs
};

// Of the inputs that require grad; where none does, of every floating or complex one if the
// operator has an autograd kernel.
// `accept` is called when forward has run.
GradientCase gradient_case(const OperatorCall& call, const std::function<void()>& accept = nullptr);

// Copies of `tensors` that require grad where `wanted` says so.
Tensors leaves_of(const Tensors& tensors, const std::vector<size_t>& wanted);

// Of the wanted inputs: zeros where backward gives nothing, and in place of another shape what
// autograd makes of it.
Tensors defined_gradients(const Tensors& gradients, const Tensors& inputs,
                          const std::vector<size_t>& wanted);

// An element whose gradient differs from finite differences.
struct GradientMismatch {
  size_t input = 0;
  std::vector<int64_t> index;
  double analytical = 0, numerical = 0;
  std::string cause;  // what the pattern of the Jacobians tells; "" when nothing
};

// Where the gradients at `inputs` differ from finite differences; nullopt where they agree, and
// where finite differences cannot tell: at kinks, where outputs are not finite, where the operator
// refuses. `error` says what backward throws.
std::optional<GradientMismatch> gradient_mismatch(const GradientCase& given, const Tensors& inputs,
                                                  std::string* error = nullptr);

// The finding of a mismatch. `where` goes before it: "with x transposed: ", "" for nothing.
// `reference` is what the other number comes from: "in float64".
OperatorCheckFinding mismatch_finding(const GradientCase& given, const GradientMismatch& mismatch,
                                      const std::string& where,
                                      const std::string& reference = "by finite differences");

// Runs in a copy of the process with inputs that the user did not give: the operator may not accept
// them. The copy calls `accept` when the call itself ran; if it ends after that, backward ended it.
// `look` gives a failure, or nullopt.
std::optional<OperatorCheckFinding> look_in_copy(
    const std::string& where,
    const std::function<std::optional<OperatorCheckFinding>(const std::function<void()>& accept)>&
        look);

// What differs between gradients of the same inputs, as a part of each tensor's largest element.
std::optional<GradientMismatch> gradient_difference(const Tensors& actual, const Tensors& expected,
                                                    const std::vector<size_t>& wanted,
                                                    double tolerance);

}  // namespace opsmith
