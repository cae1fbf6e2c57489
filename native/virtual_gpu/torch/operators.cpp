#include "operators.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/EmptyTensor.h>
#include <ATen/ops/copy_ops.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/library.h>

#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "allocators.h"
#include "mirror.h"
#include "mirrored_kernel.h"
#include "recurrent_cells.h"

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

// Not a mirrored kernel as the others: libtorch has one kernel of it for all devices, and one side
// may be on the CPU.
at::Tensor& copy_(at::Tensor& self, const at::Tensor& source, bool non_blocking) {
  for (const at::Tensor* tensor : {&std::as_const(self), &source}) {
    TORCH_CHECK_NOT_IMPLEMENTED(
        tensor->layout() == at::kStrided && !tensor->is_quantized(),
        "aten::copy_ is not supported on the virtual GPU: one of its tensors is "
        "not dense, or is quantized");
  }
  throw_error_of_kernels();
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

// A kernel is done when its launch returns, so nothing uses a block that is freed.
void record_stream(at::Tensor&, at::Stream) {}

// Of the ways to compute attention, the one that is made of other operators.
int64_t fused_sdp_choice(const at::Tensor&, const at::Tensor&, const at::Tensor&,
                         const std::optional<at::Tensor>&, double, bool, std::optional<double>,
                         bool) {
  constexpr int64_t math = 0;
  return math;
}

// cuDNN and MIOpen are not there, so libtorch's own kernel is used.
bool no_library_for_ctc_loss(const at::Tensor&, const at::Tensor&, at::IntArrayRef, at::IntArrayRef,
                             int64_t) {
  return false;
}

bool no_library_for_ctc_loss_of_tensors(const at::Tensor&, const at::Tensor&, const at::Tensor&,
                                        const at::Tensor&, int64_t) {
  return false;
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

// Tensors that are not dense, or not of plain numbers, have no kernels here.
constexpr std::pair<DispatchKey, DispatchKey> other_kinds[] = {
    {DispatchKey::SparseCPU, DispatchKey::SparseCUDA},
    {DispatchKey::SparseCsrCPU, DispatchKey::SparseCsrCUDA},
    {DispatchKey::QuantizedCPU, DispatchKey::QuantizedCUDA},
    {DispatchKey::NestedTensorCPU, DispatchKey::NestedTensorCUDA},
};

template <typename Kernel>
KernelFunction boxed() {
  return KernelFunction::makeFromBoxedFunctor(std::make_unique<Kernel>());
}

KernelFunction refusing() {
  return KernelFunction::makeFromBoxedFunction<&refuse>();
}

template <typename Function>
KernelFunction unboxed(Function function) {
  return KernelFunction::makeFromUnboxedFunction(function);
}

std::optional<KernelFunction> kernel_by_hand(const c10::OperatorName& name) {
  static const std::unordered_map<std::string, KernelFunction (*)()> made{
      {"aten::empty.memory_format", [] { return unboxed(TORCH_FN(empty)); }},
      {"aten::empty_strided", [] { return unboxed(TORCH_FN(empty_strided)); }},
      {"aten::copy_", [] { return unboxed(TORCH_FN(copy_)); }},
      {"aten::record_stream", [] { return unboxed(TORCH_FN(record_stream)); }},
      {"aten::_fused_sdp_choice", [] { return unboxed(TORCH_FN(fused_sdp_choice)); }},
      {"aten::_use_cudnn_ctc_loss", [] { return unboxed(TORCH_FN(no_library_for_ctc_loss)); }},
      {"aten::_use_miopen_ctc_loss", [] { return unboxed(TORCH_FN(no_library_for_ctc_loss)); }},
      {"aten::_use_cudnn_ctc_loss.Tensor",
       [] { return unboxed(TORCH_FN(no_library_for_ctc_loss_of_tensors)); }},
      {"aten::_use_miopen_ctc_loss.Tensor",
       [] { return unboxed(TORCH_FN(no_library_for_ctc_loss_of_tensors)); }},
      {"aten::_thnn_fused_lstm_cell", [] { return unboxed(TORCH_FN(lstm_cell)); }},
      {"aten::_thnn_fused_lstm_cell_backward_impl",
       [] { return unboxed(TORCH_FN(lstm_cell_backward)); }},
      {"aten::_thnn_fused_gru_cell", [] { return unboxed(TORCH_FN(gru_cell)); }},
      {"aten::_thnn_fused_gru_cell_backward", [] { return unboxed(TORCH_FN(gru_cell_backward)); }},
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
    registered->push_back(dispatcher.registerImpl(name, key, std::move(kernel), std::nullopt,
                                                  nullptr, "Opsmith's virtual GPU"));
  };
  for (const c10::OperatorName& name : dispatcher.getAllOpNames()) {
    if (!name.name.starts_with("aten::")) continue;
    const auto op = dispatcher.findSchema(name);
    if (!op) continue;
    const auto has = [&](DispatchKey key) { return op->hasKernelForDispatchKey(key); };
    if (!has(DispatchKey::CUDA)) {
      if (auto kernel = kernel_by_hand(name))
        add(name, DispatchKey::CUDA, std::move(*kernel));
      else if (has(DispatchKey::CPU) || mirrored_though_composite.contains(name.name))
        add(name, DispatchKey::CUDA, boxed<MirroredKernel>());
      else if (!op->hasComputedKernelForDispatchKey(DispatchKey::CUDA))
        add(name, DispatchKey::CUDA, refusing());
    }
    for (const auto& [of_cpu, of_cuda] : other_kinds)
      if (has(of_cpu) && !has(of_cuda)) add(name, of_cuda, refusing());
  }
}

}  // namespace opsmith::gpu
