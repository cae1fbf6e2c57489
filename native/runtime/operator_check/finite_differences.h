// Slopes of a function of tensors along directions.
#pragma once

#include <optional>
#include <vector>

#include "runtime/operator_check/gradient_case.h"

namespace opsmith {

// Of sum(grad_output * output), per unit of the direction.
struct Slope {
  double value = 0;
  double error = 0;            // the possible error of `value` by rounding and by the step
  double rounding = 0;         // the part of it by rounding
  double left = 0, right = 0;  // from one side each
};

class FiniteDifferences {
 public:
  // `places`: of the outputs that `grad_outputs` are of. Both lists must outlive it.
  FiniteDifferences(const GradientCase& given, const Tensors& inputs,
                    const std::vector<size_t>& places, const Tensors& grad_outputs);

  // A direction has a tensor for each input, undefined where it does not move. nullopt where an
  // output is not finite, changes its shape, or the function throws.
  std::optional<Slope> along(const Tensors& direction, double step) const;

 private:
  std::optional<Tensors> outputs_at(const Tensors& direction, double distance) const;
  double change(const Tensors& from, const Tensors& to) const;

  const GradientCase& given_;
  const Tensors& inputs_;
  const std::vector<size_t>& places_;
  const Tensors& grad_outputs_;
  std::optional<Tensors> here_;
  double magnitude_ = 0;  // sum |grad_output * output|
};

}  // namespace opsmith
