// Operators of that device: an honest one, one that waits for it, one that works on another stream, and
// one that works on the default stream whichever is current (a launch without a stream, <<<grid, block>>>).

#include <ATen/ops/empty_like.h>
#include <torch/library.h>

#include <chrono>

#include "device.h"

namespace {

using Clock = std::chrono::steady_clock;

void spin(std::chrono::microseconds time) {
  const auto end = Clock::now() + time;
  while (Clock::now() < end) {
  }
}

/// Twice x, which takes the device so many microseconds.
void compute(c10::StreamId stream, const at::Tensor& x, const at::Tensor& y, int64_t microseconds) {
  test_device::enqueue(stream, [x, y, microseconds] {
    spin(std::chrono::microseconds(microseconds));
    const auto* from = static_cast<const float*>(x.const_data_ptr());
    auto* to = static_cast<float*>(y.mutable_data_ptr());
    for (int64_t i = 0; i < x.numel(); ++i)
      to[i] = 2 * from[i];
  });
}

at::Tensor double_it(const at::Tensor& x, int64_t microseconds) {
  auto y = at::empty_like(x);
  // What launching takes.
  spin(std::chrono::microseconds(40));
  compute(test_device::current_stream(), x, y, microseconds);
  return y;
}

at::Tensor waits(const at::Tensor& x, int64_t microseconds) {
  auto y = double_it(x, microseconds);
  test_device::wait_for(test_device::current_stream());
  return y;
}

at::Tensor elsewhere(const at::Tensor& x, int64_t microseconds) {
  auto y = at::empty_like(x);
  compute(3, x, y, microseconds);
  return y;
}

at::Tensor by_default(const at::Tensor& x, int64_t microseconds) {
  auto y = at::empty_like(x);
  compute(0, x, y, microseconds);
  return y;
}

}  // namespace

TORCH_LIBRARY(test_device, m) {
  m.def("double_it(Tensor x, int microseconds) -> Tensor");
  m.def("waits(Tensor x, int microseconds) -> Tensor");
  m.def("elsewhere(Tensor x, int microseconds) -> Tensor");
  m.def("by_default(Tensor x, int microseconds) -> Tensor");
}
TORCH_LIBRARY_IMPL(test_device, PrivateUse1, m) {
  m.impl("double_it", &double_it);
  m.impl("waits", &waits);
  m.impl("elsewhere", &elsewhere);
  m.impl("by_default", &by_default);
}
