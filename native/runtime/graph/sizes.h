// Sizes of tensors in a trace: what a script keeps as plain numbers, Python's tracer keeps as
// tensors of no dimension, and what is computed of them too.
#pragma once

#include <ATen/core/ivalue.h>
#include <ATen/core/Tensor.h>
#include <torch/csrc/jit/ir/ir.h>

#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace opsmith {

// A number as Python's bindings make a tensor of it: of no dimension, without a say in the dtype of
// what is computed with it; a constant of the trace.
at::Tensor number_tensor(const at::Scalar& number);

// Whether sizes that the node computes with, or packs and unpacks, stay values of a trace.
bool keeps_sizes(const torch::jit::Node& node);

// Whether this is aten::numel. libtorch 2.11 has no c10::aten::numel.
bool is_numel(const torch::jit::Node& node);

// Which values of a script graph are sizes while it runs under the tracer. Each size has a number,
// which the script uses, and a tensor, whose computation is recorded. An operator that takes a size
// as a number finds the tensor by the name of its argument in a stash
// (torch/csrc/jit/frontend/tracer.h, ArgumentStash).
class TracedSizes {
 public:
  using Stack = std::vector<c10::IValue>;

  // In a loop, a value may be a size in one iteration and a plain number in the next.
  void forget(const torch::jit::Node& node);
  // Sizes that get new names, as the values of control flow do.
  void rename(at::ArrayRef<torch::jit::Value*> names, at::ArrayRef<torch::jit::Value*> from);

  // The tensor of a number; null where that is no size.
  const at::Tensor* of(const torch::jit::Value* name) const;

  // Reads a size of a tensor or computes with sizes, as Python records it, and leaves the number on
  // the stack; false, with the stack as it was, where the node does neither. Notes sizes that go
  // into lists and tuples or come out of them.
  bool run(const torch::jit::Node& node, Stack& stack);

  // Prepares the operator that is called next.
  void stash(const torch::jit::Node& node, const Stack& stack) const;

  // The values that Python's function would return: sizes as tensors, also in lists and tuples.
  c10::IValue as_tensors(const torch::jit::Value* name, const c10::IValue& value) const;

 private:
  bool read(const torch::jit::Node& node, Stack& stack);
  bool compute(const torch::jit::Node& node, Stack& stack);
  bool choose(const torch::jit::Node& node, const Stack& stack);
  void keep_containers(const torch::jit::Node& node, const Stack& stack);
  void take_from_containers(const torch::jit::Node& node, const Stack& stack);
  void keep_list(const torch::jit::Node& node, std::vector<at::Tensor> list);
  void take_element(const torch::jit::Value* output, const c10::IValue& element);
  std::vector<at::Tensor> in_list(const torch::jit::Value* name, const c10::IValue& list) const;

  std::unordered_map<const torch::jit::Value*, at::Tensor> sizes_;
  std::unordered_map<const torch::jit::Value*, std::vector<at::Tensor>> lists_;  // of ints
  std::unordered_map<const torch::jit::Value*, c10::IValue> tuples_;  // sizes in them as tensors
};

}  // namespace opsmith
