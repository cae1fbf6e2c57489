#include "mirrored_kernel.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <c10/cuda/CUDAFunctions.h>

#include <string_view>
#include <unordered_set>
#include <vector>

#include "allocators.h"
#include "device_memory.h"
#include "device_rules.h"
#include "generator.h"
#include "mirror.h"

namespace opsmith::gpu {
namespace {

using c10::IValue;
using std::string_view;

// Their results have memory that nothing was written to.
const std::unordered_set<string_view> leave_memory_unwritten{"aten::empty", "aten::empty_strided",
                                                             "aten::resize_", "aten::set_"};

bool is_tensor_list(const IValue& value) {
  return value.isTensorList() || value.isOptionalTensorList();
}

/// Calls `f` for each tensor of a value, and puts its result there.
template <typename F>
void change_tensors(IValue& value, F&& f) {
  if (value.isTensor()) {
    if (value.toTensor().defined()) value = f(value.toTensor());
  } else if (is_tensor_list(value)) {
    // The list may be the caller's.
    auto changed = value.toList().copy();
    for (size_t i = 0; i < changed.size(); ++i) {
      const IValue element = changed.get(i);
      if (element.isTensor() && element.toTensor().defined()) changed.set(i, f(element.toTensor()));
    }
    value = std::move(changed);
  }
}

void check_kind(const c10::OperatorHandle& op, const at::Tensor& tensor) {
  TORCH_CHECK_NOT_IMPLEMENTED(
      tensor.layout() == c10::kStrided && !tensor.is_quantized() && !tensor.is_nested(),
      op.operator_name(), " is not supported on the virtual GPU: one of its tensors is ",
      tensor.is_quantized() ? "quantized" : "not dense");
}

}  // namespace

void throw_error_of_kernels() {
  if (!has_error()) return;
  report_ignored_errors();
  C10_CUDA_CHECK(cudaGetLastError());
}

struct MirroredKernel::Traits {
  explicit Traits(const c10::OperatorHandle& op)
      : rule(device_rule(op)), marks(!leave_memory_unwritten.contains(op.operator_name().name)) {
    for (const c10::Argument& argument : op.schema().arguments()) {
      const auto* alias = argument.alias_info();
      written.push_back(alias != nullptr && alias->isWrite());
      const auto& type = *argument.type();
      const bool may_be_none = type.kind() == c10::TypeKind::OptionalType;
      draws |= type == *c10::GeneratorType::get() ||
               (may_be_none && *type.containedType(0) == *c10::GeneratorType::get());
    }
    // A view writes nothing.
    for (const c10::Argument& result : op.schema().returns())
      marks &= result.alias_info() == nullptr || result.alias_info()->isWrite();
  }

  DeviceRule rule;
  bool marks;
  bool draws = false;  // it has a generator
  std::vector<bool> written;
};

MirroredKernel::~MirroredKernel() {
  delete traits_.load();
}

const MirroredKernel::Traits& MirroredKernel::traits_of(const c10::OperatorHandle& op) {
  const Traits* known = traits_.load(std::memory_order_acquire);
  if (known != nullptr) return *known;
  const auto* made = new Traits(op);
  if (traits_.compare_exchange_strong(known, made)) return *made;
  delete made;
  return *known;
}

void MirroredKernel::operator()(const c10::OperatorHandle& op, c10::DispatchKeySet,
                                torch::jit::Stack* stack) {
  const Traits& traits = traits_of(op);
  const size_t count = traits.written.size();
  const size_t first = stack->size() - count;
  const auto found =
      device_of_call(op, traits.rule, c10::ArrayRef<IValue>(stack->data() + first, count));
  // Undefined tensors only, or a list without any: what the CPU does is right.
  const c10::Device device = with_index(found.value_or(c10::Device(c10::kCUDA)));

  throw_error_of_kernels();

  Mirrors mirrors(device);
  for (size_t i = 0; i < count; ++i) {
    IValue& argument = (*stack)[first + i];
    if (argument.isTensor() || is_tensor_list(argument)) {
      change_tensors(argument, [&](const at::Tensor& tensor) {
        if (!tensor.is_cuda()) return tensor;
        check_kind(op, tensor);
        return mirrors.of(tensor, traits.written[i]);
      });
    } else if (argument.isDevice()) {
      argument = c10::Device(c10::kCPU);
    } else if (argument.isStorage()) {
      if (argument.toStorage().device_type() == c10::kCUDA)
        argument = mirrors.of(argument.toStorage(), true);
    } else if (argument.isGenerator()) {
      argument = cpu_generator_for(argument.toGenerator());
    } else if (traits.draws && argument.isNone() &&
               op.schema().arguments()[i].name() == "generator") {
      argument = cpu_generator_for(at::cuda::detail::getDefaultCUDAGenerator(device.index()));
    }
  }

  {
    const ResultsOnDevice results(device.index());
    const at::AutoDispatchBelowADInplaceOrView below;
    op.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CPU), stack);
  }

  mirrors.write_back();
  for (size_t i = first; i < stack->size(); ++i) {
    change_tensors((*stack)[i], [&](const at::Tensor& tensor) {
      check_kind(op, tensor);
      at::Tensor result = mirrors.original(tensor);
      if (traits.marks) mark_as_written(result);
      return result;
    });
  }
}

void refuse(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack*) {
  const char* kind =
      keys.has(c10::DispatchKey::SparseCUDA) || keys.has(c10::DispatchKey::SparseCsrCUDA)
          ? " for sparse tensors"
      : keys.has(c10::DispatchKey::QuantizedCUDA)    ? " for quantized tensors"
      : keys.has(c10::DispatchKey::NestedTensorCUDA) ? " for nested tensors"
                                                     : "";
  TORCH_CHECK_NOT_IMPLEMENTED(false, op.operator_name(), " is not supported on the virtual GPU",
                              kind);
}

c10::Device with_index(c10::Device device) {
  if (!device.has_index()) return {c10::kCUDA, c10::cuda::current_device()};
  const bool known = device.index() < c10::cuda::device_count();
  if (!known) c10::cuda::check_result(cudaErrorInvalidDevice, "", "", 0);
  return device;
}

}  // namespace opsmith::gpu
