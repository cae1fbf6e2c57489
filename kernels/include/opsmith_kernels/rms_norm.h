#pragma once

// Root mean square normalisation on the CPU, rows of a row-major matrix; no libtorch here.
// B. Zhang, R. Sennrich, "Root Mean Square Layer Normalization" (2019), arXiv:1910.07467.

#include <cmath>
#include <cstdint>

namespace opsmith_kernels {

/// Rows [begin, end) of y = x / sqrt(mean(x²) + eps) * weight.
/// x, y [rows, columns]; weight [columns]; inverse_rms [rows] receives 1 / sqrt(mean(x²) + eps).
/// Sums are kept in `accumulate`, wider than a half type's own.
template <typename scalar, typename accumulate>
void rms_norm_rows(const scalar* x, const scalar* weight, scalar* y, accumulate* inverse_rms,
                   int64_t begin, int64_t end, int64_t columns, accumulate eps) {
  for (int64_t row = begin; row < end; ++row) {
    const scalar* in = x + row * columns;
    scalar* out = y + row * columns;
    accumulate squares = 0;
    for (int64_t i = 0; i < columns; ++i) {
      const auto value = static_cast<accumulate>(in[i]);
      squares += value * value;
    }
    const accumulate scale =
        accumulate(1) / std::sqrt(squares / static_cast<accumulate>(columns) + eps);
    inverse_rms[row] = scale;
    for (int64_t i = 0; i < columns; ++i) {
      out[i] = static_cast<scalar>(static_cast<accumulate>(in[i]) * scale *
                                   static_cast<accumulate>(weight[i]));
    }
  }
}

/// Rows [begin, end) of the gradient for x, and their share of the gradient for the weight, which
/// is added to grad_weight [columns]. With s the inverse root mean square and g = grad * weight:
///   grad_x = s * g - x * s³ * mean(g * x),  grad_weight = Σ over rows of grad * x * s
template <typename scalar, typename accumulate>
void rms_norm_backward_rows(const scalar* grad, const scalar* x, const scalar* weight,
                            const accumulate* inverse_rms, scalar* grad_x, accumulate* grad_weight,
                            int64_t begin, int64_t end, int64_t columns) {
  for (int64_t row = begin; row < end; ++row) {
    const scalar* g = grad + row * columns;
    const scalar* in = x + row * columns;
    scalar* out = grad_x + row * columns;
    const accumulate scale = inverse_rms[row];
    accumulate dot = 0;
    for (int64_t i = 0; i < columns; ++i) {
      const auto value = static_cast<accumulate>(in[i]);
      const auto incoming = static_cast<accumulate>(g[i]);
      dot += incoming * static_cast<accumulate>(weight[i]) * value;
      grad_weight[i] += incoming * value * scale;
    }
    const accumulate shift = dot / static_cast<accumulate>(columns) * scale * scale;
    for (int64_t i = 0; i < columns; ++i) {
      out[i] = static_cast<scalar>(
          scale * (static_cast<accumulate>(g[i]) * static_cast<accumulate>(weight[i]) -
                   shift * static_cast<accumulate>(in[i])));
    }
  }
}

}  // namespace opsmith_kernels
