// Runs a script graph under libtorch's tracer, so that it records what Python's would.
#pragma once

#include <torch/csrc/jit/ir/ir.h>

#include <vector>

#include "runtime/graph/runner.h"
#include "runtime/graph/sizes.h"

namespace opsmith {

// Under the tracer, Python runs the operators of its bindings; a script is sometimes compiled to
// other operators. This runner calls the operators that Python would: sizes of tensors stay values
// of the trace, numbers become tensors where they do in Python, and writing to a part of a tensor
// is spelled out as Python's indexing does it.
class TracingRunner : public GraphRunner {
 public:
  using GraphRunner::GraphRunner;

  // Call it while a trace is recorded. It returns what Python's function would return.
  Stack run(const Stack& arguments);

  // For the tracer: where in the program the recorded operator was called, and through which
  // functions and modules.
  static void record_place(torch::jit::Node* recorded);

 private:
  void run_node(torch::jit::Node& node, size_t id) override;
  void call(torch::jit::Node& node, size_t id, Stack& stack) override;
  void bind(at::ArrayRef<torch::jit::Value*> names, at::ArrayRef<torch::jit::Value*> from,
            const Stack& values) override;

  bool make_tensor(torch::jit::Node& node, size_t id, Stack& stack);
  bool compute_with_number(const torch::jit::Node& node, Stack& stack);
  bool compute_with_size(const torch::jit::Node& node, Stack& stack);
  bool subtract_from_number(const torch::jit::Node& node, Stack& stack);
  bool compute_size_first(const torch::jit::Node& node, Stack& stack);
  void call_operator(torch::jit::Node& node, size_t id, Stack& stack);
  void write_back(const torch::jit::Node& node, const c10::IValue& written);

  TracedSizes sizes_;
};

}  // namespace opsmith
