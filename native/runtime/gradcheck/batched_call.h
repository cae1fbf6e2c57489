// Turns many calls of one function into one call with a batch dimension.
//
// There are two ways. Under vmap (libtorch's functorch) the function sees tensors without the batch
// dimension, and every ATen operator in it, and in its backward, works on the whole batch; kernels
// that read memory themselves stop it. Stacked, the function is given inputs with one dimension
// more, which elementwise kernels do not mind. The caller must compare the batch with single calls.
#pragma once

#include <c10/core/DispatchKeySet.h>

#include <optional>
#include <vector>

#include "runtime/differentiable.h"

namespace c10 {
class RegistrationHandleRAII;
}

namespace opsmith {

enum class BatchWay { vmap, stacked };

// While this lives, vmap calls the kernels of the loaded library's operators with the batch, as if
// they were inlined. libtorch's fallback, a loop over the batch, is not faster than ours. It is
// off, so an operator without a batching rule throws.
class SeenThroughByVmap {
 public:
  SeenThroughByVmap();
  ~SeenThroughByVmap();
  SeenThroughByVmap(const SeenThroughByVmap&) = delete;
  SeenThroughByVmap& operator=(const SeenThroughByVmap&) = delete;

 private:
  bool loop_;
  std::vector<c10::RegistrationHandleRAII> handles_;
};

class BatchedCall {
 public:
  // `outputs` are what `function` gives for `inputs`, with their graph. All must outlive this.
  BatchedCall(BatchWay way, const TensorFunction& function, const Tensors& inputs,
              const Tensors& outputs)
      : way_(way), function_(function), inputs_(inputs), outputs_(outputs) {}

  // What the function gives for each of `values` [count, sizes of the input] in place of input
  // `index`: tensors [count, sizes of the output]. nullopt where it throws, or where its outputs
  // have other sizes or dtypes. A vmap records no graph.
  std::optional<Tensors> call(size_t index, const at::Tensor& values) const;

  // The gradients of the inputs that require grad, for each of `gradients` [count, sizes] of output
  // `output`, computed twice from one graph: tensors [count, sizes of the input], undefined where
  // the output does not depend on the input.
  struct Gradients {
    Tensors once, again;
  };
  std::optional<Gradients> backward(size_t output, const at::Tensor& gradients) const;

  // The tangents of the outputs for each of `tangents` [count, sizes of the input] of input
  // `index`. Stacked only.
  std::optional<Tensors> forward(size_t index, const at::Tensor& tangents) const;

 private:
  std::optional<Tensors> call_under_vmap(size_t index, const at::Tensor& values) const;
  std::optional<Tensors> call_stacked(const Tensors& batch, int64_t count) const;
  // Each input `count` times; those that require grad are leaves that do.
  Tensors stacked(int64_t count) const;
  Tensors graph_stacked(int64_t count, Tensors& leaves) const;

  BatchWay way_;
  const TensorFunction& function_;
  const Tensors& inputs_;
  const Tensors& outputs_;
};

}  // namespace opsmith
