#pragma once

#include <torch/csrc/jit/frontend/source_range.h>
#include <torch/csrc/jit/frontend/tree.h>

#include <cstddef>
#include <map>
#include <memory>

namespace opsmith {

// `a < b <= c` as Python means it: `a < b and b <= c`. libtorch's own parser, which Python's front
// end does not use, reads `(a < b) <= c`.
class ChainedComparisons {
 public:
  // The source that the trees were parsed from.
  explicit ChainedComparisons(const std::shared_ptr<torch::jit::Source>& source);

  // The tree with every chain taken apart. The operands between are the same trees, twice: as in
  // Python's front end they are computed twice.
  torch::jit::TreeRef split(const torch::jit::TreeRef& tree) const;

 private:
  // How many brackets are open around a comparison; `-1` for a tree that is none.
  int depth_of(const torch::jit::TreeRef& tree) const;

  std::map<size_t, int> depths_;  // by where the operator stands
};

}  // namespace opsmith
