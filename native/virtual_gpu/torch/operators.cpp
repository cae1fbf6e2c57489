#include "operators.h"

#include <ATen/EmptyTensor.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/_log_softmax_ops.h>
#include <ATen/ops/_softmax_ops.h>
#include <ATen/ops/copy_ops.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>

#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "allocators.h"
#include "device_memory.h"
#include "mirror.h"
#include "mirrored_kernel.h"

namespace opsmith::gpu {
namespace {

using c10::DispatchKey;
using c10::KernelFunction;

constexpr c10::DispatchKeySet cuda_keys(DispatchKey::CUDA);

at::Tensor empty(at::IntArrayRef size, std::optional<at::ScalarType> dtype,
                 std::optional<at::Layout> layout, std::optional<at::Device> device,
                 std::optional<bool> pin_memory, std::optional<at::MemoryFormat> format) {
  TORCH_CHECK(!pin_memory.value_or(false), "Only dense CPU tensors can be pinned");
  TORCH_CHECK_NOT_IMPLEMENTED(layout.value_or(at::kStrided) == at::kStrided,
                              "Only strided tensors are supported on the virtual GPU");
  const c10::cuda::CUDAGuard guard(with_index(device.value_or(at::kCUDA)));
  return at::detail::empty_generic(size, &device_allocator(), cuda_keys,
                                   at::dtype_or_default(dtype), format);
}

at::Tensor empty_strided(at::IntArrayRef size, at::IntArrayRef stride,
                         std::optional<at::ScalarType> dtype, std::optional<at::Layout> layout,
                         std::optional<at::Device> device, std::optional<bool> pin_memory) {
  TORCH_CHECK(!pin_memory.value_or(false), "Only dense CPU tensors can be pinned");
  TORCH_CHECK_NOT_IMPLEMENTED(layout.value_or(at::kStrided) == at::kStrided,
                              "Only strided tensors are supported on the virtual GPU");
  const c10::cuda::CUDAGuard guard(with_index(device.value_or(at::kCUDA)));
  return at::detail::empty_strided_generic(size, stride, &device_allocator(), cuda_keys,
                                           at::dtype_or_default(dtype));
}

// Not a mirrored kernel as the others: libtorch has one kernel of it for all devices, and one side may be on the CPU.
at::Tensor& copy_(at::Tensor& self, const at::Tensor& source, bool non_blocking) {
  for (const at::Tensor* tensor : {&std::as_const(self), &source}) {
    TORCH_CHECK_NOT_IMPLEMENTED(tensor->layout() == at::kStrided && !tensor->is_quantized(),
                                "aten::copy_ is not supported on the virtual GPU: a tensor of it is "
                                "not dense");
    if (tensor->is_cuda())
      c10::cuda::getCurrentCUDAStream(tensor->device().index()).synchronize();
  }
  Mirrors mirrors(self.is_cuda() ? self.device() : source.device());
  at::Tensor to = self.is_cuda() ? mirrors.of(self, true) : self;
  const at::Tensor from = source.is_cuda() ? mirrors.of(source, false) : source;
  {
    const at::AutoDispatchBelowADInplaceOrView below;
    at::_ops::copy_::redispatch(c10::DispatchKeySet(DispatchKey::CPU), to, from, non_blocking);
  }
  if (self.is_cuda()) mark_as_written(self);
  return self;
}

// A block is not used again before the kernels of all streams are done with it.
void record_stream(at::Tensor&, at::Stream) {}

// Of the ways to compute attention, the one that is made of other operators.
int64_t fused_sdp_choice(const at::Tensor&, const at::Tensor&, const at::Tensor&,
                         const std::optional<at::Tensor>&, double, bool, std::optional<double>,
                         bool) {
  constexpr int64_t math = 0;
  return math;
}

/// Only CUDA's kernels convert Half to Float as they go.
class ConvertingKernel final : public c10::OperatorKernel {
 public:
  void operator()(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                  torch::jit::Stack* stack) {
    constexpr size_t self = 0, half_to_float = 2;
    const size_t first = stack->size() - op.schema().arguments().size();
    if ((*stack)[first + half_to_float].toBool()) {
      (*stack)[first + self] = (*stack)[first + self].toTensor().to(at::kFloat);
      (*stack)[first + half_to_float] = false;
    }
    kernel_(op, keys, stack);
  }

 private:
  MirroredKernel kernel_;
};

// They have one kernel for all devices, which looks for parts that CUDA alone has.
const std::unordered_set<std::string_view> mirrored_though_composite{
    "aten::convolution", "aten::_convolution", "aten::convolution_backward"};

template <typename Kernel>
KernelFunction boxed() {
  return KernelFunction::makeFromBoxedFunctor(std::make_unique<Kernel>());
}

KernelFunction refusing() { return KernelFunction::makeFromBoxedFunction<&refuse>(); }

std::optional<KernelFunction> kernel_by_hand(const c10::OperatorName& name) {
  static const std::unordered_map<std::string, KernelFunction (*)()> made{
      {"aten::empty.memory_format",
       [] { return KernelFunction::makeFromUnboxedFunction(TORCH_FN(empty)); }},
      {"aten::empty_strided",
       [] { return KernelFunction::makeFromUnboxedFunction(TORCH_FN(empty_strided)); }},
      {"aten::copy_", [] { return KernelFunction::makeFromUnboxedFunction(TORCH_FN(copy_)); }},
      {"aten::record_stream",
       [] { return KernelFunction::makeFromUnboxedFunction(TORCH_FN(record_stream)); }},
      {"aten::_fused_sdp_choice",
       [] { return KernelFunction::makeFromUnboxedFunction(TORCH_FN(fused_sdp_choice)); }},
      {"aten::_softmax", &boxed<ConvertingKernel>},
      {"aten::_log_softmax", &boxed<ConvertingKernel>},
  };
  const auto found = made.find(c10::toString(name));
  if (found == made.end()) return std::nullopt;
  return found->second();
}

}  // namespace

void register_operators() {
  auto& dispatcher = c10::Dispatcher::singleton();
  // Leaked: the kernels stay for the life of the process.
  static auto* registered = new std::vector<c10::RegistrationHandleRAII>();
  const auto add = [&](const c10::OperatorName& name, DispatchKey key, KernelFunction kernel) {
    registered->push_back(dispatcher.registerImpl(name, key, std::move(kernel),
                                                  std::nullopt, nullptr,
                                                  "Opsmith's virtual GPU"));
  };
  for (const c10::OperatorName& name : dispatcher.getAllOpNames()) {
    if (!name.name.starts_with("aten::")) continue;
    const auto op = dispatcher.findSchema(name);
    if (!op || op->hasKernelForDispatchKey(DispatchKey::CUDA)) continue;
    if (auto kernel = kernel_by_hand(name))
      add(name, DispatchKey::CUDA, std::move(*kernel));
    else if (op->hasKernelForDispatchKey(DispatchKey::CPU) ||
             mirrored_though_composite.contains(name.name))
      add(name, DispatchKey::CUDA, boxed<MirroredKernel>());
    else if (!op->hasComputedKernelForDispatchKey(DispatchKey::CUDA))
      add(name, DispatchKey::CUDA, refusing());
  }
  // The other kinds of tensors begin with these; with no such tensor, nothing else of theirs is called. A fallback for
  // their keys would cost more than all else here.
  const std::pair<DispatchKey, std::vector<c10::OperatorName>> unsupported[] = {
      {DispatchKey::SparseCUDA,
       {{"aten::empty", "memory_format"},
        {"aten::_sparse_coo_tensor_with_dims", ""},
        {"aten::_sparse_coo_tensor_with_dims_and_tensors", ""}}},
      {DispatchKey::SparseCsrCUDA,
       {{"aten::empty", "memory_format"}, {"aten::_sparse_compressed_tensor_with_dims", ""}}},
      {DispatchKey::QuantizedCUDA,
       {{"aten::empty", "memory_format"},
        {"aten::_empty_affine_quantized", ""},
        {"aten::_empty_per_channel_affine_quantized", ""}}},
      {DispatchKey::NestedTensorCUDA, {{"aten::empty", "memory_format"}}},
  };
  for (const auto& [key, names] : unsupported)
    for (const c10::OperatorName& name : names) add(name, key, refusing());
}

}  // namespace opsmith::gpu
