// The launchers of native/gpu_check for the device of test/cases/timing/device: its threads do what kernels do on a GPU.
#include <ATen/TensorOperators.h>
#include <ATen/ops/empty_like.h>
#include <torch/library.h>

#include <chrono>
#include <thread>

#include "device.h"
#include "kernels.h"
#include "memory.h"

namespace opsmith_gpu_check {
namespace {

using Clock = std::chrono::steady_clock;
using test_device::seen_by_device;

c10::StreamId stream_of(CUstream_st* stream) {
  return test_device::stream_of_handle(stream);
}

const float* device_side(const float* from) {
  return static_cast<const float*>(seen_by_device(from));
}

float* device_side(float* to) {
  return static_cast<float*>(seen_by_device(to));
}

const char* break_by(CUstream_st* stream, const char* words) {
  test_device::enqueue(stream_of(stream), [words] { test_device::break_device(words); });
  return nullptr;
}

/// libtorch's own kernels for this device copy to the CPU and back: too long for large tensors.
at::Tensor relu(const at::Tensor& x) {
  test_device::enqueue(test_device::current_stream(), [x] {
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  });
  return at::empty_like(x);
}
TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("relu", &relu);
}

}  // namespace

const char* launch_add_one(const float* from, float* to, int64_t count, CUstream_st* stream) {
  test_device::enqueue(stream_of(stream), [=] {
    for (int64_t i = 0; i < count; ++i)
      device_side(to)[i] = device_side(from)[i] + 1;
  });
  return nullptr;
}

const char* launch_spin(const float* from, float* to, int64_t count, int64_t nanoseconds,
                        place where, CUstream_st* current) {
  // It has no streams that wait for the default one: of its own streams this is one that nothing waits for.
  c10::StreamId stream = stream_of(current);
  if (where == place::legacy_default) stream = 0;
  if (where == place::own_nonblocking) stream = 3;
  test_device::enqueue(stream, [=] {
    for (const auto end = Clock::now() + std::chrono::nanoseconds(nanoseconds); Clock::now() < end;) {
    }
    for (int64_t i = 0; i < count; ++i)
      device_side(to)[i] = device_side(from)[i];
  });
  if (where == place::current_and_waits) test_device::wait_for(stream);
  return nullptr;
}

const char* launch_read(const float*, int64_t, int64_t, float*, int64_t, CUstream_st*) {
  return "this device has no cache";
}

const char* launch_store_outside(float*, CUstream_st* stream) {
  return break_by(stream, "CUDA error: an illegal memory access was encountered (test device)");
}

const char* launch_assertion(const float*, CUstream_st* stream) {
  return break_by(stream, "CUDA error: device-side assert triggered (test device)");
}

const char* launch_endless(float*, CUstream_st* stream) {
  test_device::enqueue(stream_of(stream), [] {
    for (;;)
      std::this_thread::sleep_for(std::chrono::seconds(1));
  });
  return nullptr;
}

// As torch.cu, which nvcc compiles with libtorch's headers.
at::Tensor add_one_with_torch(const at::Tensor& x) {
  return x + 1;
}

}  // namespace opsmith_gpu_check
