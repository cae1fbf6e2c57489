#include "runtime/program/chained_comparisons.h"

#include <torch/csrc/jit/frontend/lexer.h>

#include <vector>

namespace opsmith {
namespace {

namespace jit = torch::jit;
using jit::TreeRef;

bool is_comparison(int kind) {
  switch (kind) {
    case '<':
    case '>':
    case jit::TK_LE:
    case jit::TK_GE:
    case jit::TK_EQ:
    case jit::TK_NE:
    case jit::TK_IS:
    case jit::TK_ISNOT:
    case jit::TK_IN:
    case jit::TK_NOTIN:
      return true;
    default:
      return false;
  }
}

// The parser makes `not (a in b)` of `a not in b`.
const TreeRef& without_not(const TreeRef& tree) {
  const bool is_not_in = tree->kind() == jit::TK_NOT && tree->tree(0)->kind() == jit::TK_IN;
  return is_not_in ? tree->tree(0) : tree;
}

}  // namespace

ChainedComparisons::ChainedComparisons(const std::shared_ptr<jit::Source>& source) {
  jit::Lexer lexer(source);
  int depth = 0;
  while (lexer.cur().kind != jit::TK_EOF) {
    const auto token = lexer.next();
    if (token.kind == '(' || token.kind == '[' || token.kind == '{') ++depth;
    if (token.kind == ')' || token.kind == ']' || token.kind == '}') --depth;
    if (is_comparison(token.kind)) depths_[token.range.start()] = depth;
  }
}

int ChainedComparisons::depth_of(const TreeRef& tree) const {
  const auto& comparison = without_not(tree);
  if (!is_comparison(comparison->kind())) return -1;
  const auto found = depths_.lower_bound(comparison->tree(0)->range().end());
  return found == depths_.end() ? -1 : found->second;
}

TreeRef ChainedComparisons::split(const TreeRef& tree) const {
  if (tree->isAtom()) return tree;
  std::vector<TreeRef> chain;  // from the last comparison to the first
  for (TreeRef at = tree;;) {
    const int depth = depth_of(at);
    if (depth < 0 || (!chain.empty() && depth != depth_of(tree))) break;
    chain.push_back(at);
    at = without_not(at)->tree(0);
  }
  if (chain.size() < 2) return tree->map([&](const TreeRef& child) { return split(child); });
  TreeRef left = split(without_not(chain.back())->tree(0)), all;
  for (auto link = chain.rbegin(); link != chain.rend(); ++link) {
    const auto& comparison = without_not(*link);
    const TreeRef right = split(comparison->tree(1));
    TreeRef made =
        jit::Compound::create(comparison->kind(), right->range(), jit::TreeList{left, right});
    if (*link != comparison) {
      made = jit::Compound::create(jit::TK_NOT, made->range(), jit::TreeList{made});
    }
    all = all ? jit::Compound::create(jit::TK_AND, made->range(), jit::TreeList{all, made}) : made;
    left = right;
  }
  return all;
}

}  // namespace opsmith
