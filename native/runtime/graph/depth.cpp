#include "runtime/graph/depth.h"

#include <algorithm>
#include <unordered_map>

#include "runtime/process/crash_report.h"

namespace opsmith {
namespace {

namespace jit = torch::jit;

using Depths = std::unordered_map<const jit::Value*, int64_t>;

int64_t deepest(at::ArrayRef<const jit::Value*> values, const Depths& depths) {
  int64_t depth = 0;
  for (const auto* value : values) {
    const auto found = depths.find(value);
    if (found != depths.end()) depth = std::max(depth, found->second);
  }
  return depth;
}

// The depth of what the block gives back or, if that is more, of what it does besides.
int64_t walk(const jit::Block& block, int64_t start, Depths& depths) {
  int64_t most = start;
  for (const auto* input : block.inputs())
    depths[input] = start;
  for (const auto* node : block.nodes()) {
    int64_t depth = deepest(node->inputs(), depths) + 1;
    for (const auto* inner : node->blocks())
      depth = std::max(depth, walk(*inner, depth, depths));
    for (const auto* output : node->outputs())
      depths[output] = depth;
    most = std::max(most, depth);
  }
  return most;
}

}  // namespace

int64_t longest_chain(const jit::Graph& graph) {
  Depths depths;
  return walk(*graph.block(), 0, depths);
}

void note_depth(const jit::Graph& graph) {
  // The call thread's stack has room for some 40,000.
  constexpr int64_t shallow = 5000;
  const auto chain = longest_chain(graph);
  if (chain > shallow) note_deep_graph(chain);
}

}  // namespace opsmith
