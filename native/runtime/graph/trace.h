// Tracing: a call recorded as a flat graph, and what such a record loses.
#pragma once

#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/ir.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/callable.h"
#include "runtime/graph/capture.h"

namespace opsmith {

struct Trace {
  std::shared_ptr<torch::jit::Graph> graph;
  // Which arguments are inputs of the graph (tensors, and lists, tuples and dicts of tensors); the
  // others became constants.
  std::vector<size_t> traced;
  std::vector<std::string> warnings;  // libtorch's own
};

// Calls once, recording. `self` is the module of an archive's method, else null.
Trace trace_call(const Callable& callable, const std::vector<c10::IValue>& arguments,
                 torch::jit::Module* self);

// Where control flow depends on a tensor or numbers are read from one, in a function's script graph
// and in those it calls.
std::vector<GraphWarning> find_losses(const torch::jit::Function& function);

// Runs function and trace on copies of the same arguments, from the same seed, and compares by
// assert_close's tolerances. The function's own exceptions pass; those of the trace are a mismatch.
TraceCheck check_trace(const Callable& callable, const Trace& trace,
                       const std::vector<c10::IValue>& arguments, torch::jit::Module* self,
                       const std::string& words);

}  // namespace opsmith
