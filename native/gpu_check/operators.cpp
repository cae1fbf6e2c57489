#include <ATen/ATen.h>
#include <c10/core/DeviceGuard.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include "current_stream.h"
#include "kernels.h"

/// Tests build this for a device that is made of threads.
#ifndef OPSMITH_GPU_CHECK_DEVICE
#define OPSMITH_GPU_CHECK_DEVICE CUDA
#endif

namespace opsmith_gpu_check {

at::Tensor add_one_with_torch(const at::Tensor& x);  // torch.cu

namespace {

void check(const char* error) {
  TORCH_CHECK(error == nullptr, "the kernel was not launched: ", error);
}

at::Tensor add_one(const at::Tensor& x) {
  const c10::DeviceGuard guard(x.device());
  const auto from = x.contiguous();
  auto to = at::empty_like(from);
  check(launch_add_one(from.const_data_ptr<float>(), to.mutable_data_ptr<float>(), from.numel(),
                       current_stream(x.device())));
  return to;
}

at::Tensor add_one_torch(const at::Tensor& x) {
  const c10::DeviceGuard guard(x.device());
  return add_one_with_torch(x);
}

at::Tensor spin(const at::Tensor& x, int64_t nanoseconds, int64_t where) {
  const c10::DeviceGuard guard(x.device());
  const auto from = x.contiguous();
  auto to = at::empty_like(from);
  check(launch_spin(from.const_data_ptr<float>(), to.mutable_data_ptr<float>(), from.numel(),
                    nanoseconds, static_cast<place>(where), current_stream(x.device())));
  return to;
}

at::Tensor read(const at::Tensor& x, int64_t times, int64_t blocks) {
  const c10::DeviceGuard guard(x.device());
  auto sums = at::empty({blocks}, x.options());
  check(launch_read(x.const_data_ptr<float>(), x.numel(), times, sums.mutable_data_ptr<float>(),
                    blocks, current_stream(x.device())));
  return sums;
}

at::Tensor store_outside(const at::Tensor& x) {
  const c10::DeviceGuard guard(x.device());
  auto to = x.clone();
  check(launch_store_outside(to.mutable_data_ptr<float>(), current_stream(x.device())));
  return to;
}

at::Tensor assertion(const at::Tensor& x) {
  const c10::DeviceGuard guard(x.device());
  check(launch_assertion(x.const_data_ptr<float>(), current_stream(x.device())));
  return x.clone();
}

at::Tensor endless(const at::Tensor& x) {
  const c10::DeviceGuard guard(x.device());
  auto to = x.clone();
  check(launch_endless(to.mutable_data_ptr<float>(), current_stream(x.device())));
  return to;
}

at::Tensor allocate(const at::Tensor& x, int64_t bytes) {
  return at::empty({bytes}, x.options().dtype(at::kByte));
}

/// Its backward ends the process that makes it.
struct CrashingBackward : torch::autograd::Function<CrashingBackward> {
  static at::Tensor forward(torch::autograd::AutogradContext*, const at::Tensor& x) {
    return x.clone();
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext*,
                                                 torch::autograd::variable_list gradients) {
    volatile int* nowhere = nullptr;
    *nowhere = 1;
    return gradients;
  }
};

at::Tensor crashing_backward(const at::Tensor& x) {
  return CrashingBackward::apply(x);
}

TORCH_LIBRARY(opsmith_gpu_check, m) {
  m.def("add_one(Tensor x) -> Tensor");
  m.def("add_one_torch(Tensor x) -> Tensor");
  m.def("spin(Tensor x, int nanoseconds, int place) -> Tensor");
  m.def("read(Tensor x, int times, int blocks) -> Tensor");
  m.def("store_outside(Tensor x) -> Tensor");
  m.def("assertion(Tensor x) -> Tensor");
  m.def("endless(Tensor x) -> Tensor");
  m.def("allocate(Tensor x, int bytes) -> Tensor");
  m.def("crashing_backward(Tensor x) -> Tensor");
}

TORCH_LIBRARY_IMPL(opsmith_gpu_check, OPSMITH_GPU_CHECK_DEVICE, m) {
  m.impl("add_one", &add_one);
  m.impl("add_one_torch", &add_one_torch);
  m.impl("spin", &spin);
  m.impl("read", &read);
  m.impl("store_outside", &store_outside);
  m.impl("assertion", &assertion);
  m.impl("endless", &endless);
  m.impl("allocate", &allocate);
}

// Operator checks compare add_one with these: an operator without them fails.
TORCH_LIBRARY_IMPL(opsmith_gpu_check, Meta, m) {
  m.impl("add_one", [](const at::Tensor& x) { return at::empty_like(x); });
}

TORCH_LIBRARY_IMPL(opsmith_gpu_check, CPU, m) {
  m.impl("add_one", [](const at::Tensor& x) { return x + 1; });
  m.impl("crashing_backward", [](const at::Tensor& x) { return x.clone(); });
}

TORCH_LIBRARY_IMPL(opsmith_gpu_check, Autograd, m) {
  m.impl("crashing_backward", &crashing_backward);
}

}  // namespace
}  // namespace opsmith_gpu_check
