#include "device_rules.h"

#include <ATen/core/op_registration/adaption.h>

#include <cstring>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace opsmith::gpu {
namespace {

// native_functions.yaml says which operators are checked by generated code ("same"), and which
// leave it to TensorIterator; a schema does not. Operators with the tag "pointwise" use
// TensorIterator, except for those below.
const std::unordered_set<std::string_view> pointwise_but_same{"clamp",
                                                              "clamp_",
                                                              "clamp_max",
                                                              "clamp_max_",
                                                              "clamp_min",
                                                              "clamp_min_",
                                                              "gcd",
                                                              "gcd_",
                                                              "lcm",
                                                              "lcm_",
                                                              "logaddexp",
                                                              "logaddexp2",
                                                              "igamma",
                                                              "igamma_",
                                                              "igammac",
                                                              "igammac_",
                                                              "nextafter",
                                                              "nextafter_",
                                                              "equal",
                                                              "native_dropout_backward",
                                                              "gelu_backward",
                                                              "silu_backward",
                                                              "threshold_backward",
                                                              "sigmoid_backward",
                                                              "logit_backward",
                                                              "tanh_backward"};

const std::unordered_map<std::string_view, DeviceRule> exceptions{
    {"copy_", DeviceRule::any},
    {"set_", DeviceRule::any},
    {"is_set_to", DeviceRule::any},
    {"_fused_adam_", DeviceRule::any},
    {"_fused_adamw_", DeviceRule::any},
    {"_fused_sgd_", DeviceRule::any},
    {"_fused_adagrad_", DeviceRule::any},
    {"index", DeviceRule::indices},
    {"_index_put_impl_", DeviceRule::indices},
    {"where", DeviceRule::scalars},
    {"masked_fill", DeviceRule::scalars},
    {"masked_fill_", DeviceRule::scalars},
    {"fill_", DeviceRule::scalars},
    {"index_fill_", DeviceRule::scalars},
    {"bernoulli_", DeviceRule::scalar},
    {"binary_cross_entropy", DeviceRule::scalar},
    {"binomial", DeviceRule::scalar},
    {"floor_divide", DeviceRule::scalar},
    {"floor_divide_", DeviceRule::scalar},
    {"mse_loss", DeviceRule::scalar},
    {"smooth_l1_loss", DeviceRule::scalar},
    {"rsub", DeviceRule::scalar},
};

/// Calls f(tensor, place of the argument, place in its list or -1).
template <typename F>
void for_each_tensor(c10::ArrayRef<c10::IValue> arguments, F&& f) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const c10::IValue& argument = arguments[i];
    if (argument.isTensor()) {
      if (argument.toTensor().defined()) f(argument.toTensor(), i, -1);
    } else if (argument.isTensorList() || argument.isOptionalTensorList()) {
      const auto& elements = argument.toListRef();
      for (size_t k = 0; k < elements.size(); ++k)
        if (elements[k].isTensor() && elements[k].toTensor().defined())
          f(elements[k].toTensor(), i, static_cast<int>(k));
    }
  }
}

[[noreturn]] void two_devices(c10::Device one, c10::Device other) {
  TORCH_CHECK(false,
              "Expected all tensors to be on the same device, but found at least two devices, ",
              one, " and ", other, "!");
}

void check_same(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments) {
  std::optional<c10::Device> common;
  for_each_tensor(arguments, [&](const at::Tensor& tensor, size_t place, int) {
    if (!common) common = tensor.device();
    if (*common == tensor.device()) return;
    const std::string method = "wrapper_CUDA_" + op.operator_name().name.substr(strlen("aten::"));
    const std::string& argument = op.schema().arguments()[place].name();
    c10::impl::common_device_check_failure(*common, tensor, method.c_str(), argument.c_str());
  });
}

void check_with_scalars(const c10::OperatorHandle& op, DeviceRule rule, c10::Device common,
                        c10::ArrayRef<c10::IValue> arguments) {
  int scalars = 0;
  for_each_tensor(arguments, [&](const at::Tensor& tensor, size_t place, int) {
    if (tensor.device() == common) return;
    const auto* alias = op.schema().arguments()[place].alias_info();
    const bool written = alias != nullptr && alias->isWrite();
    if (!tensor.is_cpu() || tensor.dim() != 0 || written) two_devices(common, tensor.device());
    TORCH_CHECK(++scalars == 1 || rule == DeviceRule::scalars,
                "Trying to pass too many CPU scalars to non-CPU kernel!");
  });
}

void check_with_indices(c10::Device common, c10::ArrayRef<c10::IValue> arguments) {
  for_each_tensor(arguments, [&](const at::Tensor& tensor, size_t, int element) {
    if (tensor.device() == common) return;
    if (element < 0) {
      if (!tensor.is_cpu() || tensor.dim() != 0) two_devices(common, tensor.device());
      return;
    }
    TORCH_CHECK(tensor.is_cpu(), "indices should be either on ", at::kCPU,
                " or on the same device as the indexed tensor (", common, ")");
  });
}

}  // namespace

DeviceRule device_rule(const c10::OperatorHandle& op) {
  const std::string_view name = std::string_view(op.operator_name().name).substr(strlen("aten::"));
  if (const auto found = exceptions.find(name); found != exceptions.end()) return found->second;
  if (!op.hasTag(at::Tag::pointwise) || pointwise_but_same.contains(name)) return DeviceRule::same;
  return DeviceRule::scalar;
}

std::optional<c10::Device> device_of_call(const c10::OperatorHandle& op, DeviceRule rule,
                                          c10::ArrayRef<c10::IValue> arguments) {
  std::optional<c10::Device> common;
  bool mixed = false;
  for_each_tensor(arguments, [&](const at::Tensor& tensor, size_t, int) {
    const c10::Device device = tensor.device();
    if (!common && device.is_cuda()) common = device;
    mixed |= device != common;
  });
  if (!common) {
    for (const c10::IValue& argument : arguments)
      if (argument.isDevice() && argument.toDevice().is_cuda()) return argument.toDevice();
    return std::nullopt;
  }
  if (!mixed) return common;
  switch (rule) {
    case DeviceRule::same:
      check_same(op, arguments);
      break;
    case DeviceRule::scalar:
    case DeviceRule::scalars:
      check_with_scalars(op, rule, *common, arguments);
      break;
    case DeviceRule::indices:
      check_with_indices(*common, arguments);
      break;
    case DeviceRule::any:
      break;
  }
  return common;
}

}  // namespace opsmith::gpu
