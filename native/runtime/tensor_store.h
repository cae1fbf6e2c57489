// Tensors that JavaScript knows by a number, and the parts of them that it looks at.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <string>
#include <vector>

#include "runtime/elements.h"

namespace opsmith {

// contract/tensor.ts's tensorHandle.
struct TensorDetail {
  int64_t handle = 0;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;  // empty for layouts that have none
  std::string dtype;
  std::string device;
  bool requires_grad = false;
  std::string grad_fn;
  TensorStats stats;
};

// contract/tensor.ts's pageRequest and tensorPage.
struct PageRequest {
  int64_t handle = 0;
  std::vector<int64_t> index;
  int64_t row_start = 0, row_count = 0, column_start = 0, column_count = 0;
};

struct HistogramRequest {
  int64_t handle = 0, bins = 1;
};

struct TensorPage {
  int64_t rows = 0, columns = 0, row_start = 0, column_start = 0;
  std::vector<double> values;
  std::optional<std::vector<std::string>> text;
  int64_t page_rows = 0, page_columns = 0;
};

// How many handles are kept; past it the oldest is dropped.
inline constexpr size_t handle_limit = 256;

TensorDetail store_tensor(const at::Tensor& tensor);
TensorPage read_page(const PageRequest& request);              // throws Failure (input.invalid)
Histogram make_histogram(const HistogramRequest& request);     // throws Failure (input.invalid)
int64_t release_tensors(const std::vector<int64_t>& handles);  // how many there were
void release_all_tensors();

}  // namespace opsmith
