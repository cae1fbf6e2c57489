// Operators of that device: honest ones, and some for each way in which a timing or a check of a device can go wrong.

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <torch/csrc/autograd/profiler_kineto.h>
#include <torch/library.h>

#include <chrono>
#include <fstream>
#include <string>
#include <thread>

#include "device.h"
#include "memory.h"

namespace {

using Clock = std::chrono::steady_clock;

void spin(std::chrono::microseconds time) {
  const auto end = Clock::now() + time;
  // Asleep but for the end, which must be on time.
  constexpr std::chrono::microseconds late(500);
  if (time > 2 * late) std::this_thread::sleep_until(end - late);
  while (Clock::now() < end) {
  }
}

/// Set by a call that is made under a profiler: CUPTI stays attached to a process that has begun a session.
bool profiled = false;

/// Twice x, which takes the device so many microseconds.
void compute(c10::StreamId stream, const at::Tensor& x, const at::Tensor& y, int64_t microseconds) {
  TORCH_CHECK(x.is_contiguous() && y.is_contiguous() && x.scalar_type() == at::kFloat,
              "the test device computes with contiguous float32 tensors only");
  profiled = profiled || torch::autograd::profiler::isProfilerEnabledInMainThread();
  test_device::enqueue(stream, [x, y, microseconds] {
    spin(std::chrono::microseconds(microseconds));
    const auto* from = static_cast<const float*>(test_device::seen_by_device(x.const_data_ptr()));
    auto* to = static_cast<float*>(test_device::seen_by_device(y.mutable_data_ptr()));
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

/// Its launch takes the host much longer than its work takes the device.
at::Tensor slow_launch(const at::Tensor& x, int64_t microseconds) {
  auto y = at::empty_like(x);
  std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
  compute(test_device::current_stream(), x, y, 10);
  return y;
}

/// More launches than a stream takes at once.
at::Tensor many(const at::Tensor& x, int64_t launches) {
  auto y = at::empty_like(x);
  for (int64_t i = 0; i < launches; ++i)
    compute(test_device::current_stream(), x, y, 10);
  return y;
}

/// Of an input on the CPU, with a result on the device.
at::Tensor to_device(const at::Tensor& x, int64_t microseconds) {
  const auto there = x.to(at::Device(at::kPrivateUse1, 0));
  return double_it(there, microseconds);
}

/// Of an input on the CPU, with a result there: nobody sees that the device still works.
at::Tensor with_device(const at::Tensor& x, int64_t microseconds) {
  const auto there = at::empty({x.numel()}, at::TensorOptions().device(at::Device(at::kPrivateUse1, 0)));
  compute(test_device::current_stream(), there, at::empty_like(there), microseconds);
  return x.clone();
}

/// A kernel that writes where it may not: it shows when somebody waits for the device.
at::Tensor break_it(const at::Tensor& x) {
  test_device::enqueue(test_device::current_stream(), [] {
    test_device::break_device("CUDA error: an illegal memory access was encountered (test device)");
  });
  return at::empty_like(x);
}

/// Breaks the device for float64 only, as a kernel that is wrong for one dtype does.
at::Tensor breaks_in_double(const at::Tensor& x) {
  return x.scalar_type() == at::kDouble ? break_it(x) : double_it(x, 1);
}

/// The host reads what lies on the device.
at::Tensor reads_on_host(const at::Tensor& x) {
  auto y = at::empty_like(x);
  *static_cast<volatile float*>(y.mutable_data_ptr()) = *static_cast<const volatile float*>(x.const_data_ptr());
  return y;
}

at::Tensor draw(const at::Tensor& x) {
  return double_it(x, 10);
}

at::Tensor refuses_capture(const at::Tensor& x, std::string_view words) {
  TORCH_CHECK(!test_device::is_capturing(), std::string(words));
  return double_it(x, 10);
}

/// A kernel of the library still runs when the call is over; its end is in a file.
at::Tensor marks_later(const at::Tensor& x, std::string_view path, int64_t milliseconds) {
  test_device::enqueue(test_device::current_stream(), [path = std::string(path), milliseconds] {
    spin(std::chrono::milliseconds(milliseconds));
    std::ofstream(path) << "done";
  });
  return x.clone();
}

}  // namespace

TORCH_LIBRARY(test_device, m) {
  m.def("double_it(Tensor x, int microseconds) -> Tensor");
  m.def("waits(Tensor x, int microseconds) -> Tensor");
  m.def("elsewhere(Tensor x, int microseconds) -> Tensor");
  m.def("by_default(Tensor x, int microseconds) -> Tensor");
  m.def("slow_launch(Tensor x, int microseconds) -> Tensor");
  m.def("many(Tensor x, int launches) -> Tensor");
  m.def("to_device(Tensor x, int microseconds) -> Tensor");
  m.def("with_device(Tensor x, int microseconds) -> Tensor");
  m.def("break_it(Tensor x) -> Tensor");
  m.def("breaks_in_double(Tensor x) -> Tensor");
  m.def("reads_on_host(Tensor x) -> Tensor");
  m.def("random(Tensor x) -> Tensor", {at::Tag::nondeterministic_seeded});
  m.def("refuses_capture(Tensor x, str words) -> Tensor");
  m.def("marks_later(Tensor x, str path, int milliseconds) -> Tensor");
  m.def("was_profiled() -> bool", [] { return profiled; });
  m.def("limit_memory(int bytes) -> ()", &test_device::limit_memory);
  m.def("kept_memory() -> int", &test_device::kept_memory);
  m.def("break_after(int launches) -> ()", [](int64_t launches) {
    test_device::break_device_after(launches, "CUDA error: unspecified launch failure (test device)");
  });
}
TORCH_LIBRARY_IMPL(test_device, PrivateUse1, m) {
  m.impl("double_it", &double_it);
  m.impl("waits", &waits);
  m.impl("elsewhere", &elsewhere);
  m.impl("by_default", &by_default);
  m.impl("slow_launch", &slow_launch);
  m.impl("many", &many);
  m.impl("break_it", &break_it);
  m.impl("breaks_in_double", &breaks_in_double);
  m.impl("reads_on_host", &reads_on_host);
  m.impl("random", &draw);
  m.impl("refuses_capture", &refuses_capture);
}
TORCH_LIBRARY_IMPL(test_device, CPU, m) {
  m.impl("to_device", &to_device);
  m.impl("with_device", &with_device);
  m.impl("marks_later", &marks_later);
}
