// How many elements fall into each of some bins: schema, a CPU kernel, and shapes for tracing
// (Meta). Counts have no gradient, so there is no autograd. The CUDA kernels are in
// histogram_cuda.cu.

#include <ATen/core/Tensor.h>
#include <ATen/Dispatch.h>
#include <ATen/OpMathType.h>
#include <ATen/ops/zeros.h>
#include <torch/library.h>

#include "histogram_arguments.h"

namespace {

using at::Tensor;

Tensor histogram_cpu(const Tensor& x, int64_t bins, double low, double high) {
  histogram_sample::check_inputs(x, bins, low, high);
  const Tensor in = x.contiguous();
  Tensor counts = at::zeros({bins}, in.options().dtype(at::kLong));
  auto* count_data = counts.mutable_data_ptr<int64_t>();
  AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, in.scalar_type(), "histogram_cpu", [&] {
    using real = at::opmath_type<scalar_t>;
    const auto* data = in.const_data_ptr<scalar_t>();
    for (int64_t i = 0; i < in.numel(); ++i) {
      const int bin = histogram_sample::bin_of(static_cast<real>(data[i]), static_cast<real>(low),
                                               static_cast<real>(high), static_cast<int>(bins));
      if (bin >= 0) ++count_data[bin];
    }
  });
  return counts;
}

Tensor histogram_meta(const Tensor& x, int64_t bins, double low, double high) {
  histogram_sample::check_inputs(x, bins, low, high);
  return at::zeros({bins}, x.options().dtype(at::kLong));
}

TORCH_LIBRARY(histogram, m) {
  m.def("histogram(Tensor x, int bins, float low, float high) -> Tensor");
}

TORCH_LIBRARY_IMPL(histogram, CPU, m) {
  m.impl("histogram", &histogram_cpu);
}

TORCH_LIBRARY_IMPL(histogram, Meta, m) {
  m.impl("histogram", &histogram_meta);
}

}  // namespace
