#include "runtime/gradcheck/batched_call.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/grad_mode.h>
#include <ATen/Functions.h>
#include <ATen/functorch/BatchedFallback.h>
#include <ATen/functorch/BatchedTensorImpl.h>
#include <ATen/functorch/DynamicLayer.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>

#include "runtime/failure.h"
#include "runtime/gradcheck/forward_level.h"
#include "runtime/library.h"

namespace opsmith {
namespace {

namespace autograd = torch::autograd;
namespace functorch = at::functorch;

// A level of vmap on this thread, open as long as this lives.
class VmapLevel {
 public:
  explicit VmapLevel(int64_t count)
      : number_(functorch::initAndPushDynamicLayer(functorch::TransformType::Vmap, count,
                                                   functorch::RandomnessType::Error)) {}
  ~VmapLevel() { functorch::popDynamicLayerAndDeleteMetadata(); }
  VmapLevel(const VmapLevel&) = delete;
  VmapLevel& operator=(const VmapLevel&) = delete;

  at::Tensor batched(const at::Tensor& values) const {
    return functorch::makeBatched(values, 0, number_);
  }

 private:
  int64_t number_;
};

// With the batch dimension first; what does not depend on the batch is the same for all of it.
at::Tensor without_level(const at::Tensor& tensor, int64_t count) {
  if (!tensor.defined()) return tensor;
  if (const auto* batched = functorch::maybeGetBatchedImpl(tensor)) {
    return batched->value().movedim(batched->bdim(), 0);
  }
  return tensor.unsqueeze(0).expand_symint([&] {
    auto sizes = tensor.sym_sizes().vec();
    sizes.insert(sizes.begin(), count);
    return sizes;
  }());
}

std::vector<int64_t> with_count(int64_t count, at::IntArrayRef sizes) {
  auto all = sizes.vec();
  all.insert(all.begin(), count);
  return all;
}

// What a function that takes no batch throws is an answer here.
template <typename Call>
auto tried(const Call& call) -> decltype(call()) {
  try {
    return call();
  } catch (...) {
    describe_current_exception();
    return std::nullopt;
  }
}

void call_kernel(const c10::OperatorHandle& op, c10::DispatchKeySet, torch::jit::Stack* stack) {
  auto key = c10::DispatchKey::CPU;
  for (const auto& value : torch::jit::last(*stack, op.schema().arguments().size())) {
    if (value.isTensor() && value.toTensor().defined() && value.toTensor().is_cuda()) {
      key = c10::DispatchKey::CUDA;
    }
  }
  op.redispatchBoxed(c10::DispatchKeySet(key), stack);
}

}  // namespace

SeenThroughByVmap::SeenThroughByVmap() : loop_(functorch::isVmapFallbackEnabled()) {
  functorch::setVmapFallbackEnabled(false);
  auto& dispatcher = c10::Dispatcher::singleton();
  for (const auto& name : library_operators()) {
    const auto op = dispatcher.findSchema(name);
    if (!op || op->hasKernelForDispatchKey(c10::DispatchKey::FuncTorchBatched)) continue;
    handles_.push_back(
        dispatcher.registerImpl(name, c10::DispatchKey::FuncTorchBatched,
                                c10::KernelFunction::makeFromBoxedFunction<&call_kernel>(),
                                std::nullopt, nullptr, "opsmith: vmap calls the kernel"));
  }
}

SeenThroughByVmap::~SeenThroughByVmap() {
  functorch::setVmapFallbackEnabled(loop_);
}

Tensors BatchedCall::stacked(int64_t count) const {
  // Broadcasting counts dimensions from the last: all get as many as the input that has most.
  int64_t rank = 0;
  for (const auto& input : inputs_)
    rank = std::max(rank, input.dim());
  Tensors batch;
  for (const auto& input : inputs_) {
    std::vector<int64_t> sizes{count};
    sizes.insert(sizes.end(), static_cast<size_t>(rank - input.dim()), 1);
    sizes.insert(sizes.end(), input.sizes().begin(), input.sizes().end());
    batch.push_back(input.detach()
                        .reshape(at::IntArrayRef(sizes).slice(1))
                        .expand(sizes)
                        .clone(at::MemoryFormat::Contiguous));
    if (input.requires_grad()) batch.back().requires_grad_();
  }
  return batch;
}

std::optional<Tensors> BatchedCall::call_stacked(const Tensors& batch, int64_t count) const {
  return tried([&]() -> std::optional<Tensors> {
    auto results = function_(batch);
    if (results.size() != outputs_.size()) return std::nullopt;
    for (size_t o = 0; o < results.size(); ++o) {
      if (results[o].sizes() != at::IntArrayRef(with_count(count, outputs_[o].sizes())) ||
          results[o].scalar_type() != outputs_[o].scalar_type()) {
        return std::nullopt;
      }
    }
    return results;
  });
}

std::optional<Tensors> BatchedCall::call_under_vmap(size_t index, const at::Tensor& values) const {
  const int64_t count = values.size(0);
  auto results = tried([&]() -> std::optional<Tensors> {
    const at::NoGradGuard no_graph;
    const VmapLevel level(count);
    auto inputs = inputs_;
    inputs[index] = level.batched(values);
    return function_(inputs);
  });
  if (!results || results->size() != outputs_.size()) return std::nullopt;
  for (size_t o = 0; o < results->size(); ++o) {
    auto& result = (*results)[o];
    result = without_level(result, count);
    if (result.sizes() != at::IntArrayRef(with_count(count, outputs_[o].sizes())) ||
        result.scalar_type() != outputs_[o].scalar_type()) {
      return std::nullopt;
    }
  }
  return results;
}

std::optional<Tensors> BatchedCall::call(size_t index, const at::Tensor& values) const {
  if (way_ == BatchWay::vmap) return call_under_vmap(index, values);
  const int64_t count = values.size(0);
  auto batch = stacked(count);
  batch[index].variable_data().copy_(values.view(batch[index].sizes()));
  return call_stacked(batch, count);
}

std::optional<BatchedCall::Gradients> BatchedCall::backward(size_t output,
                                                            const at::Tensor& gradients) const {
  const int64_t count = gradients.size(0);
  const auto differentiable = differentiable_inputs(inputs_);
  const auto twice = [](const at::Tensor& of, const Tensors& wanted, const at::Tensor& gradient,
                        bool keep) {
    const auto once = autograd::grad({of}, wanted, {gradient}, /*retain_graph=*/true,
                                     /*create_graph=*/false, /*allow_unused=*/true);
    return Gradients{once, autograd::grad({of}, wanted, {gradient}, keep, false, true)};
  };
  auto found = tried([&]() -> std::optional<Gradients> {
    Tensors wanted;
    if (way_ == BatchWay::vmap) {
      for (const size_t index : differentiable)
        wanted.push_back(inputs_[index]);
      const VmapLevel level(count);
      return twice(outputs_[output], wanted, level.batched(gradients), true);
    }
    const auto batch = stacked(count);
    const auto results = call_stacked(batch, count);
    if (!results || !(*results)[output].requires_grad()) return std::nullopt;
    for (const size_t index : differentiable)
      wanted.push_back(batch[index]);
    return twice((*results)[output], wanted, gradients, false);
  });
  if (!found) return std::nullopt;
  for (auto* tensors : {&found->once, &found->again}) {
    for (size_t i = 0; i < tensors->size(); ++i) {
      auto& gradient = (*tensors)[i];
      if (!gradient.defined()) continue;
      const auto& input = inputs_[differentiable[i]];
      if (way_ == BatchWay::vmap) gradient = without_level(gradient, count);
      const auto sizes = with_count(count, input.sizes());
      const bool fits = way_ == BatchWay::vmap ? gradient.sizes() == at::IntArrayRef(sizes)
                                               : gradient.numel() == count * input.numel();
      if (!fits || gradient.scalar_type() != input.scalar_type()) return std::nullopt;
      gradient = gradient.detach().reshape(sizes);
    }
  }
  return found;
}

std::optional<Tensors> BatchedCall::forward(size_t index, const at::Tensor& tangents) const {
  const int64_t count = tangents.size(0);
  auto batch = stacked(count);
  return tried([&]() -> std::optional<Tensors> {
    const ForwardLevel level;
    for (const size_t i : differentiable_inputs(inputs_)) {
      const auto primal = batch[i].detach();
      const auto tangent = i == index ? tangents.view(primal.sizes()) : at::zeros_like(primal);
      batch[i] = level.make_dual(primal, tangent);
    }
    const auto results = call_stacked(batch, count);
    if (!results) return std::nullopt;
    Tensors found;
    for (const auto& result : *results)
      found.push_back(level.tangent_of(result));
    return found;
  });
}

}  // namespace opsmith
