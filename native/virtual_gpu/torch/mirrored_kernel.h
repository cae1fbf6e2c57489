#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <atomic>

namespace opsmith::gpu {

/// An operator's kernel for CUDA tensors that runs its kernel for the CPU on their memory.
class MirroredKernel final : public c10::OperatorKernel {
 public:
  MirroredKernel() = default;
  ~MirroredKernel() override;
  void operator()(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                  torch::jit::Stack* stack);

 private:
  struct Traits;
  const Traits& traits_of(const c10::OperatorHandle& op);

  // Found at the first call: there are a thousand of us, and most are never called.
  std::atomic<const Traits*> traits_{nullptr};
};

/// Throws that the operator is not supported.
void refuse(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack);

/// As after a launch of libtorch's: an error of an earlier kernel shows at the next operator.
void throw_error_of_kernels();

/// Throws where the device has no such index.
c10::Device with_index(c10::Device device);

}  // namespace opsmith::gpu
