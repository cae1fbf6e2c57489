#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <optional>

namespace opsmith::gpu {

/// Which devices an operator's tensors may be on, where one of them is on a CUDA device.
enum class DeviceRule {
  same,     // all on one device
  scalar,   // and one tensor without dimensions may be on the CPU, as TensorIterator allows
  scalars,  // and any number of such tensors
  indices,  // and indices may be on the CPU
  any,
};

DeviceRule device_rule(const c10::OperatorHandle& op);

/// The CUDA device that a call runs on: its tensors', else that of its argument `device`. Throws
/// what PyTorch throws where the tensors are not where the rule wants them.
std::optional<c10::Device> device_of_call(const c10::OperatorHandle& op, DeviceRule rule,
                                          c10::ArrayRef<c10::IValue> arguments);

}  // namespace opsmith::gpu
