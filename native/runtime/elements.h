// Passes over all elements of a tensor of any dtype, layout and device, without a copy of the
// whole.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace opsmith {

// contract/tensor.ts's tensorStats. Complex: of the absolute value.
struct TensorStats {
  int64_t count = 0, nan = 0, pos_inf = 0, neg_inf = 0, zeros = 0;
  std::optional<double> min, max, mean;  // of the finite elements; absent when there are none
  std::optional<double> std;             // with n - 1; absent for fewer than two
};

struct Histogram {
  std::vector<double> edges;  // one more than counts
  std::vector<int64_t> counts;
};

// Calls `visit` with runs of elements as doubles (complex: absolute values), in memory order where
// the tensor is dense, else in logical order. int64 beyond 2^53 is rounded.
void for_each_run(const at::Tensor& tensor,
                  const std::function<void(const double*, size_t)>& visit);

// By Welford's method on runs (Chan, Golub and LeVeque 1979). Of a meta tensor: the count alone.
TensorStats compute_stats(const at::Tensor& tensor);

// Equal bins from the smallest to the largest finite element; [0, 1] when there is none, and half a
// unit to either side when they are all equal.
Histogram compute_histogram(const at::Tensor& tensor, int64_t bin_count);

// The shortest text that reads back as the same element; "(1+2j)" for complex. `tensor` has one
// element.
std::string element_text(const at::Tensor& tensor);

}  // namespace opsmith
