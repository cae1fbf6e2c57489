// A loop that the compiler turns into packed instructions, one that runs on libtorch's threads, and a
// function that is only ever inlined.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/library.h>

namespace {

inline float halved(float x) {
  return x * 0.5f + 1.0f;
}

at::Tensor scale(const at::Tensor& x, double k) {
  TORCH_CHECK(x.scalar_type() == at::kFloat, "scale: x must be float32");
  const auto in = x.contiguous();
  auto out = at::empty_like(in);
  const float* from = in.const_data_ptr<float>();
  float* to = out.mutable_data_ptr<float>();
  const auto factor = static_cast<float>(k);
  for (int64_t i = 0; i < in.numel(); ++i) {
    to[i] = halved(from[i]) * factor;
  }
  at::parallel_for(0, in.numel(), 1024, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      to[i] += factor;
    }
  });
  return out;
}

}  // namespace

TORCH_LIBRARY(loops, m) {
  m.def("scale", &scale);
}
