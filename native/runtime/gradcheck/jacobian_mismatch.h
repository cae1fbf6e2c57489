// Compares two Jacobians: where they differ most, and what the pattern means.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/complex.h>

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

// Compares two Jacobians in parts, by torch.allclose: |analytical - numerical| <= atol + rtol
// |numerical|, NaN equal to nothing.
class JacobianScan {
 public:
  JacobianScan(std::vector<int64_t> input_shape, std::vector<int64_t> output_shape, double rtol,
               double atol)
      : input_shape_(std::move(input_shape)),
        output_shape_(std::move(output_shape)),
        rtol_(rtol),
        atol_(atol) {}

  // Columns from `first_column` on of both. Not from two threads at once.
  void add(const at::Tensor& analytical, const at::Tensor& numerical, int64_t first_column);
  // Adds the part that another thread compared.
  void add(const JacobianScan& other);
  JacobianComparison result() const;

 private:
  std::vector<int64_t> input_shape_, output_shape_;
  double rtol_, atol_;
  int64_t total_ = 0, mismatched_ = 0, row_ = 0, column_ = 0;
  double max_absolute_ = 0;
  double worst_ = -1;                  // the largest part of its tolerance that an error is
  at::Tensor analytical_, numerical_;  // the elements there
};

JacobianComparison compare_jacobians(const at::Tensor& analytical, const at::Tensor& numerical,
                                     const std::vector<int64_t>& input_shape,
                                     const std::vector<int64_t>& output_shape, double rtol,
                                     double atol);

// A number of any dtype; a real one has no imaginary part.
using Number = c10::complex<double>;

// The same comparison of one element. It has no `worst`.
JacobianComparison compare_elements(Number analytical, Number numerical, double rtol, double atol);

// The possible cause of a mismatch, in a sentence; "" if the pattern is not known. Tried in this
// order: not a number, zero everywhere, a constant factor or sign, exchanged dimensions of the
// input, rows or columns that are missing, parts of a sum that are missing, single wrong elements.
std::string likely_cause(const at::Tensor& analytical, const at::Tensor& numerical,
                         const std::vector<int64_t>& input_shape,
                         const std::vector<int64_t>& output_shape, double rtol, double atol);

}  // namespace opsmith
