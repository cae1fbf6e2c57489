// Two Jacobians beside each other: where they differ most, and what the pattern tells.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <string>
#include <vector>

namespace opsmith {

// contract/gradcheck.ts's worstElement. Complex values: `analytical` and `numerical` are absolute
// values, the texts exact.
struct WorstElement {
  std::vector<int64_t> input_index, output_index;
  double analytical = 0, numerical = 0;
  std::string analytical_text, numerical_text;
  double absolute = 0, relative = 0;
};

struct JacobianComparison {
  bool matches = false;
  int64_t mismatched = 0, total = 0;
  double max_absolute = 0;  // the largest finite error
  // The element whose error is the largest part of its tolerance, or the most beyond it; absent
  // when there are no elements.
  std::optional<WorstElement> worst;
  int64_t worst_row = 0, worst_column = 0;
};

// By torch.allclose: |analytical - numerical| <= atol + rtol |numerical|, NaN equal to nothing.
JacobianComparison compare_jacobians(const at::Tensor& analytical, const at::Tensor& numerical,
                                     const std::vector<int64_t>& input_shape,
                                     const std::vector<int64_t>& output_shape, double rtol,
                                     double atol);

// What may have led to a mismatch, in a sentence; "" when the pattern tells nothing. Tried in this
// order: not a number, zero everywhere, a constant factor or sign, exchanged dimensions of the
// input, rows or columns that are missing, parts of a sum that are missing, single wrong elements.
std::string likely_cause(const at::Tensor& analytical, const at::Tensor& numerical,
                         const std::vector<int64_t>& input_shape,
                         const std::vector<int64_t>& output_shape, double rtol, double atol);

}  // namespace opsmith
