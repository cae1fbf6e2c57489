#include "runtime/tensor_store.h"

#include <torch/csrc/autograd/function.h>

#include <cmath>
#include <map>

#include "runtime/dtypes.h"
#include "runtime/failure.h"

namespace opsmith {
namespace {

// By handle: the first is the oldest. Only the call thread comes here.
std::map<int64_t, at::Tensor> tensors;
int64_t last_handle = 0;

const at::Tensor& tensor_of(int64_t handle) {
  const auto found = tensors.find(handle);
  if (found == tensors.end()) {
    throw Failure(ErrorCode::input_invalid,
                  "This tensor is no longer in memory: Opsmith keeps only the newest tensors.",
                  "Run the call again.");
  }
  return found->second;
}

constexpr double exact_limit = 9007199254740992.0;  // 2^53: past it a double skips integers

}  // namespace

TensorDetail store_tensor(const at::Tensor& tensor) {
  TensorDetail detail;
  detail.handle = ++last_handle;
  detail.shape = tensor.sizes().vec();
  if (tensor.layout() == at::kStrided) detail.strides = tensor.strides().vec();
  detail.dtype = dtype_name(tensor.scalar_type());
  detail.device = tensor.device().str();
  detail.requires_grad = tensor.requires_grad();
  if (const auto& node = tensor.grad_fn()) detail.grad_fn = node->name();
  detail.stats = compute_stats(tensor);
  tensors.emplace(detail.handle, tensor);
  while (tensors.size() > handle_limit)
    tensors.erase(tensors.begin());
  return detail;
}

TensorPage read_page(const PageRequest& request) {
  const Stage stage(ErrorCode::input_invalid, "page");
  at::Tensor matrix = tensor_of(request.handle).detach();
  if (matrix.is_meta()) throw Failure(ErrorCode::input_invalid, "A meta tensor has no values.");
  if (matrix.is_quantized()) matrix = matrix.dequantize();
  if (matrix.layout() != at::kStrided) matrix = matrix.to_dense();
  const auto leading = static_cast<size_t>(std::max<int64_t>(0, matrix.dim() - 2));
  if (request.index.size() != leading) {
    throw Failure(ErrorCode::input_invalid,
                  "The page's index has " + std::to_string(request.index.size()) +
                      " number(s), but the tensor needs " + std::to_string(leading) +
                      ": one for each dimension before the last two.");
  }
  for (int64_t place : request.index) {
    if (place >= matrix.size(0))
      throw Failure(ErrorCode::input_invalid, "The requested values are outside the tensor.");
    matrix = matrix.select(0, place);
  }
  while (matrix.dim() < 2)
    matrix = matrix.unsqueeze(0);

  TensorPage page;
  page.rows = matrix.size(0);
  page.columns = matrix.size(1);
  page.row_start = std::min(request.row_start, page.rows);
  page.column_start = std::min(request.column_start, page.columns);
  page.page_rows = std::min(request.row_count, page.rows - page.row_start);
  page.page_columns = std::min(request.column_count, page.columns - page.column_start);
  const auto cells = matrix.narrow(0, page.row_start, page.page_rows)
                         .narrow(1, page.column_start, page.page_columns)
                         .cpu()
                         .contiguous()
                         .resolve_conj()
                         .resolve_neg();
  page.values.reserve(static_cast<size_t>(cells.numel()));
  bool rounded = cells.is_complex();
  for_each_run(cells, [&](const double* run, size_t length) {
    page.values.insert(page.values.end(), run, run + length);
    for (size_t i = 0; i < length; ++i)
      rounded = rounded || std::abs(run[i]) >= exact_limit;
  });
  if (rounded && (cells.is_complex() || c10::isIntegralType(cells.scalar_type(), false))) {
    auto& text = page.text.emplace();
    const auto flat = cells.reshape({-1});
    for (int64_t i = 0; i < flat.numel(); ++i)
      text.push_back(element_text(flat.select(0, i)));
  }
  return page;
}

Histogram make_histogram(const HistogramRequest& request) {
  const Stage stage(ErrorCode::input_invalid, "histogram");
  if (request.bins < 1) {
    throw Failure(ErrorCode::input_invalid, "A histogram needs at least one bin.");
  }
  return compute_histogram(tensor_of(request.handle), request.bins);
}

int64_t release_tensors(const std::vector<int64_t>& handles) {
  int64_t released = 0;
  for (int64_t handle : handles)
    released += static_cast<int64_t>(tensors.erase(handle));
  return released;
}

void release_all_tensors() {
  tensors.clear();
}

}  // namespace opsmith
