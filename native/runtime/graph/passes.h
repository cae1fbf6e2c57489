// libtorch's graph passes by name; what each runs, as torch._C names it in Python:
//   inline                 _jit_pass_inline
//   constant_propagation   _jit_pass_constant_propagation
//   common_subexpressions  _jit_pass_cse
//   dead_code              _jit_pass_dce
//   peephole               _jit_pass_peephole
//   freeze                 of an archive _freeze_module, then its method anew; of a function, which
//                          holds no parameters, _jit_pass_optimize_frozen_graph
//   canonicalize           _jit_pass_canonicalize
//   alias_analysis         AliasDb: changes nothing, answers what may alias and what is written
#pragma once

#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/ir.h>

#include <memory>
#include <optional>
#include <string>

#include "runtime/graph/text.h"

namespace opsmith {

// The module that a graph's first input stands for, and the method that the graph is of.
struct FreezableMethod {
  torch::jit::Module module;
  std::string submodule;  // where the method is: "layers.0"; "" for the module itself
  std::string method;
};

struct PassResult {
  std::shared_ptr<torch::jit::Graph> graph;
  std::optional<GraphAliases> aliases;
  std::string note;  // why a pass had nothing to do; "" when it ran as it does elsewhere
};

// Leaves `graph` as it is and works on a copy. `owner` is null for a function; freezing replaces
// its module. Throws Failure (request.invalid) for an unknown name.
PassResult run_pass(const std::string& name, torch::jit::Graph& graph, FreezableMethod* owner);

}  // namespace opsmith
