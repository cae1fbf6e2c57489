#include "runtime/graph/passes.h"

#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/alias_analysis.h>
#include <torch/csrc/jit/passes/canonicalize.h>
#include <torch/csrc/jit/passes/common_subexpression_elimination.h>
#include <torch/csrc/jit/passes/constant_propagation.h>
#include <torch/csrc/jit/passes/dead_code_elimination.h>
#include <torch/csrc/jit/passes/freeze_module.h>
#include <torch/csrc/jit/passes/frozen_graph_optimizations.h>
#include <torch/csrc/jit/passes/inliner.h>
#include <torch/csrc/jit/passes/peephole.h>

#include "runtime/failure.h"
#include "runtime/graph/modules.h"

namespace opsmith {
namespace {

namespace jit = torch::jit;

GraphAliases find_aliases(const std::shared_ptr<jit::Graph>& graph) {
  const jit::AliasDb database(graph);
  GraphAliases aliases;
  for (auto* node : numbered_nodes(*graph)) {
    NodeAliases found;
    for (auto* input : node->inputs()) {
      if (input->mustBeNone()) continue;
      for (const auto* output : node->outputs()) {
        if (!database.mayAlias(input, output)) continue;
        found.may_alias.push_back(input->debugName());
        break;
      }
      if (database.writesToAlias(node, {input})) found.writes_to.push_back(input->debugName());
    }
    if (!found.may_alias.empty() || !found.writes_to.empty()) aliases[node] = std::move(found);
  }
  return aliases;
}

PassResult freeze(std::shared_ptr<jit::Graph> graph, FreezableMethod* owner) {
  if (owner == nullptr) {
    jit::OptimizeFrozenGraph(graph);
    return {graph, std::nullopt,
            "A function has no parameters that can be frozen, so only the optimizations for frozen "
            "graphs ran."};
  }
  // Freezing is defined for modules in eval mode only, and for whole modules: a method of a
  // submodule becomes the root's.
  owner->module = find_submodule(owner->module, owner->submodule).deepcopy();
  owner->submodule.clear();
  owner->module.eval();
  std::vector<std::string> preserved;
  if (owner->method != "forward") preserved.push_back(owner->method);
  owner->module = jit::freeze_module(owner->module, preserved);
  auto frozen = owner->module.get_method(owner->method).graph()->copy();
  jit::OptimizeFrozenGraph(frozen);
  return {frozen, std::nullopt,
          "This pass freezes the method as it was captured, in eval mode: earlier passes have no "
          "effect on the result."};
}

}  // namespace

PassResult run_pass(GraphPass pass, jit::Graph& original, FreezableMethod* owner) {
  auto graph = original.copy();
  switch (pass) {
    case GraphPass::inlining:
      jit::Inline(*graph);
      break;
    case GraphPass::constant_propagation:
      jit::ConstantPropagation(graph);
      break;
    case GraphPass::common_subexpressions:
      jit::EliminateCommonSubexpression(graph);
      break;
    case GraphPass::dead_code:
      jit::EliminateDeadCode(graph);
      break;
    case GraphPass::peephole:
      jit::PeepholeOptimize(graph);
      break;
    case GraphPass::canonicalize:
      graph = jit::Canonicalize(graph, /*keep_unique_names=*/false);
      break;
    case GraphPass::freeze:
      return freeze(graph, owner);
    case GraphPass::alias_analysis: {
      auto aliases = find_aliases(graph);
      return {graph, std::move(aliases), std::nullopt};
    }
  }
  return {graph, std::nullopt, std::nullopt};
}

}  // namespace opsmith
