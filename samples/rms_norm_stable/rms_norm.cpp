// Root mean square normalisation over the last dimension on libtorch's stable ABI: the library
// works with the libtorch that it was built with and with every later one. B. Zhang, R. Sennrich,
// "Root Mean Square Layer Normalization" (2019), arXiv:1910.07467.

#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>
#include <torch/headeronly/core/Dispatch.h>
#include <torch/headeronly/core/ScalarType.h>
#include <torch/headeronly/util/BFloat16.h>
#include <torch/headeronly/util/Exception.h>
#include <torch/headeronly/util/Half.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <vector>

namespace {

using torch::headeronly::ScalarType;
using torch::stable::Tensor;

/// Half types are summed in float.
template <typename scalar>
using accumulate_type = std::conditional_t<std::is_same_v<scalar, double>, double, float>;

/// Rows that are worth a thread of their own, by the elements in them.
int64_t row_grain(int64_t columns) {
  return std::max<int64_t>(1, 16384 / columns);
}

void check_inputs(const Tensor& x, const Tensor& weight) {
  STD_TORCH_CHECK(x.dim() >= 1 && x.size(-1) > 0, "rms_norm: x needs a nonempty last dimension");
  STD_TORCH_CHECK(weight.dim() == 1 && weight.size(0) == x.size(-1), "rms_norm: weight must have ",
                  x.size(-1), " elements, as x's last dimension");
  STD_TORCH_CHECK(weight.scalar_type() == x.scalar_type(),
                  "rms_norm: x and weight must have the same dtype");
}

/// 1 / sqrt(mean(row²) + eps)
template <typename scalar, typename accumulate>
accumulate inverse_rms(const scalar* row, int64_t columns, accumulate eps) {
  accumulate squares = 0;
  for (int64_t i = 0; i < columns; ++i) {
    const auto value = static_cast<accumulate>(row[i]);
    squares += value * value;
  }
  return accumulate(1) / std::sqrt(squares / static_cast<accumulate>(columns) + eps);
}

/// y = x / sqrt(mean(x²) + eps) * weight, rows of `columns` elements.
template <typename scalar>
void normalise(const Tensor& x, const Tensor& weight, Tensor& y, double eps) {
  using accumulate = accumulate_type<scalar>;
  const auto* x_data = x.const_data_ptr<scalar>();
  const auto* weight_data = weight.const_data_ptr<scalar>();
  auto* y_data = y.mutable_data_ptr<scalar>();
  const int64_t columns = x.size(-1);
  torch::stable::parallel_for(
      0, x.numel() / columns, row_grain(columns), [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) {
          const scalar* in = x_data + row * columns;
          const accumulate scale = inverse_rms(in, columns, static_cast<accumulate>(eps));
          for (int64_t i = 0; i < columns; ++i) {
            y_data[row * columns + i] = static_cast<scalar>(
                static_cast<accumulate>(in[i]) * scale * static_cast<accumulate>(weight_data[i]));
          }
        }
      });
}

/// With s the inverse root mean square of a row and g = grad * weight:
///   grad_x = s * g - x * s³ * mean(g * x),  grad_weight = Σ over rows of grad * x * s
template <typename scalar>
void gradients(const Tensor& grad, const Tensor& x, const Tensor& weight, Tensor& grad_x,
               Tensor& grad_weight, double eps) {
  using accumulate = accumulate_type<scalar>;
  const auto* grad_data = grad.const_data_ptr<scalar>();
  const auto* x_data = x.const_data_ptr<scalar>();
  const auto* weight_data = weight.const_data_ptr<scalar>();
  auto* grad_x_data = grad_x.mutable_data_ptr<scalar>();
  const int64_t columns = x.size(-1);
  const int64_t rows = x.numel() / columns;
  // One sum for each chunk of rows, added up at the end: no thread writes what another reads, and
  // the result does not depend on how many threads there are.
  const int64_t chunk = std::max({row_grain(columns), (rows + 63) / 64, int64_t(1)});
  const int64_t chunks = (rows + chunk - 1) / chunk;
  std::vector<accumulate> partial(static_cast<std::size_t>(chunks * columns));
  torch::stable::parallel_for(0, chunks, 1, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin * chunk; row < std::min(rows, end * chunk); ++row) {
      const scalar* in = x_data + row * columns;
      const scalar* incoming = grad_data + row * columns;
      accumulate* sum = partial.data() + row / chunk * columns;
      const accumulate scale = inverse_rms(in, columns, static_cast<accumulate>(eps));
      accumulate along = 0;
      for (int64_t i = 0; i < columns; ++i) {
        const auto share = static_cast<accumulate>(incoming[i]) * static_cast<accumulate>(in[i]);
        along += share * static_cast<accumulate>(weight_data[i]);
        sum[i] += share * scale;
      }
      const accumulate mean = along / static_cast<accumulate>(columns) * scale * scale * scale;
      for (int64_t i = 0; i < columns; ++i) {
        grad_x_data[row * columns + i] = static_cast<scalar>(
            scale * static_cast<accumulate>(incoming[i]) * static_cast<accumulate>(weight_data[i]) -
            static_cast<accumulate>(in[i]) * mean);
      }
    }
  });
  auto* grad_weight_data = grad_weight.mutable_data_ptr<scalar>();
  for (int64_t i = 0; i < columns; ++i) {
    accumulate sum = 0;
    for (int64_t c = 0; c < chunks; ++c)
      sum += partial[static_cast<std::size_t>(c * columns + i)];
    grad_weight_data[i] = static_cast<scalar>(sum);
  }
}

#define RMS_NORM_DISPATCH(type, ...)                                           \
  THO_DISPATCH_SWITCH(type, "rms_norm",                                        \
                      THO_DISPATCH_CASE(ScalarType::Double, __VA_ARGS__)       \
                          THO_DISPATCH_CASE(ScalarType::Float, __VA_ARGS__)    \
                              THO_DISPATCH_CASE(ScalarType::Half, __VA_ARGS__) \
                                  THO_DISPATCH_CASE(ScalarType::BFloat16, __VA_ARGS__))

/// x [..., columns], weight [columns] of its dtype; y of x's shape, contiguous.
Tensor forward(const Tensor& x, const Tensor& weight, double eps) {
  check_inputs(x, weight);
  const Tensor in = torch::stable::contiguous(x);
  const Tensor scale = torch::stable::contiguous(weight);
  Tensor y = torch::stable::empty_like(in);
  RMS_NORM_DISPATCH(in.scalar_type(), [&] { normalise<scalar_t>(in, scale, y, eps); });
  return y;
}

/// Gradients of x and weight from that of y, which is like x.
std::tuple<Tensor, Tensor> backward(const Tensor& grad, const Tensor& x, const Tensor& weight,
                                    double eps) {
  check_inputs(x, weight);
  STD_TORCH_CHECK(grad.scalar_type() == x.scalar_type() && grad.sizes().equals(x.sizes()),
                  "rms_norm: grad must have the dtype and shape of x");
  const Tensor incoming = torch::stable::contiguous(grad);
  const Tensor in = torch::stable::contiguous(x);
  const Tensor scale = torch::stable::contiguous(weight);
  Tensor grad_x = torch::stable::empty_like(in);
  Tensor grad_weight = torch::stable::empty_like(scale);
  RMS_NORM_DISPATCH(in.scalar_type(),
                    [&] { gradients<scalar_t>(incoming, in, scale, grad_x, grad_weight, eps); });
  return {grad_x, grad_weight};
}

// Shapes, dtypes and strides without values: what torch.compile and torch.export ask for.
Tensor forward_meta(const Tensor& x, const Tensor& weight, double /*eps*/) {
  check_inputs(x, weight);
  return torch::stable::empty_like(torch::stable::contiguous(x));
}

std::tuple<Tensor, Tensor> backward_meta(const Tensor& /*grad*/, const Tensor& x,
                                         const Tensor& weight, double /*eps*/) {
  check_inputs(x, weight);
  return {torch::stable::empty_like(torch::stable::contiguous(x)),
          torch::stable::empty_like(torch::stable::contiguous(weight))};
}

}  // namespace

STABLE_TORCH_LIBRARY(rms_norm_stable, m) {
  m.def("forward(Tensor x, Tensor weight, float eps=1e-06) -> Tensor");
  m.def(
      "backward(Tensor grad, Tensor x, Tensor weight, float eps) -> (Tensor grad_x, Tensor "
      "grad_weight)");
}

STABLE_TORCH_LIBRARY_IMPL(rms_norm_stable, CPU, m) {
  m.impl("forward", TORCH_BOX(&forward));
  m.impl("backward", TORCH_BOX(&backward));
}

STABLE_TORCH_LIBRARY_IMPL(rms_norm_stable, Meta, m) {
  m.impl("forward", TORCH_BOX(&forward_meta));
  m.impl("backward", TORCH_BOX(&backward_meta));
}
