// Causes of a mismatch that need the values of inputs and outputs, or the specified elements of a
// sparse input. Each is a sentence, or "" if it does not apply.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace opsmith {

struct NamedValues {
  std::string name;
  at::Tensor values;
};

// Where an output element depends on the input element at the same place only, or there is one
// output: numerical / analytical is the same simple function (v, 1 - v, 1 - v^2, ... times a small
// number) of one of `values` on every element, or its inverse is. Reported only if it holds within
// the check's tolerance everywhere, and the function has at least four clearly different values.
std::string left_out_factor(const at::Tensor& analytical, const at::Tensor& numerical,
                            const std::vector<NamedValues>& values, double rtol, double atol);

// The gradient of a sparse input is right at the elements that are specified and differs in whether
// it has others at all, which `masked` is about. `places`: rows of the Jacobian, as
// specified_places() has them.
std::string masked_gradient(const at::Tensor& analytical, const at::Tensor& numerical,
                            const at::Tensor& places, bool masked, double rtol, double atol);

}  // namespace opsmith
