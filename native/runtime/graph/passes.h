// libtorch's graph passes; what each runs, as torch._C names it in Python:
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

enum class GraphPass {
  inlining,
  constant_propagation,
  common_subexpressions,
  dead_code,
  peephole,
  freeze,
  canonicalize,
  alias_analysis
};
constexpr auto texts_of(GraphPass) {
  return enum_texts<GraphPass>({{GraphPass::inlining, "inline"},
                                {GraphPass::constant_propagation, "constant_propagation"},
                                {GraphPass::common_subexpressions, "common_subexpressions"},
                                {GraphPass::dead_code, "dead_code"},
                                {GraphPass::peephole, "peephole"},
                                {GraphPass::freeze, "freeze"},
                                {GraphPass::canonicalize, "canonicalize"},
                                {GraphPass::alias_analysis, "alias_analysis"}});
}

// The module that a graph's first input stands for, and the method that the graph is of.
struct FreezableMethod {
  torch::jit::Module module;
  std::string submodule;  // where the method is: "layers.0"; "" for the module itself
  std::string method;
};

struct PassResult {
  std::shared_ptr<torch::jit::Graph> graph;
  std::optional<GraphAliases> aliases;
  std::optional<std::string> note;  // why a pass had nothing to do
};

// Leaves `graph` as it is and works on a copy. `owner` is null for a function; freezing replaces
// its module.
PassResult run_pass(GraphPass pass, torch::jit::Graph& graph, FreezableMethod* owner);

}  // namespace opsmith
