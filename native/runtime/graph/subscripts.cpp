#include "runtime/graph/subscripts.h"

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <string>

namespace opsmith {
namespace {

namespace aten = c10::aten;
namespace jit = torch::jit;

std::string source_text(const jit::Node& node) {
  const auto range = node.sourceRange();
  return range.source() ? range.text().str() : std::string();
}

bool is_view(const jit::Node& node) {
  return node.kind() == aten::select || node.kind() == aten::slice ||
         node.kind() == aten::unsqueeze;
}

// A call's range ends with ")". That of x[1:] ends before the bracket: libtorch's parser takes it
// to end where its last part does.
bool is_subscript(const jit::Node& node) {
  if (!is_view(node)) return false;
  const auto text = source_text(node);
  if (text.empty()) return false;
  const auto opened = std::count(text.begin(), text.end(), '[');
  return text.back() == ']' || opened > std::count(text.begin(), text.end(), ']');
}

}  // namespace

// A call or an operator has its "=" inside brackets, if at all.
bool is_assignment(const jit::Node& node) {
  const auto text = source_text(node);
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (c != '=' || depth != 0) continue;
    const bool compares = (i + 1 < text.size() && text[i + 1] == '=') ||
                          (i > 0 && (text[i - 1] == '=' || text[i - 1] == '!'));
    if (compares) return false;
    // "<" and ">" before it compare, unless they are a shift's: <<=, >>=.
    if (i > 0 && (text[i - 1] == '<' || text[i - 1] == '>')) {
      return i > 1 && text[i - 2] == text[i - 1];
    }
    return true;
  }
  return false;
}

bool is_assigned_number(const jit::Node& node) {
  const auto& uses = node.output()->uses();
  if (uses.size() != 1 || !source_text(node).empty()) return false;
  const auto& [user, offset] = uses[0];
  const bool is_value = (user->kind() == aten::copy_ && offset == 1) ||
                        (user->kind() == aten::index_put_ && offset == 2);
  return is_value && is_assignment(*user);
}

std::vector<const jit::Node*> views_assigned_to(const jit::Node& node) {
  const std::string name = node.kind().toUnqualString();
  const bool is_in_place = name.size() > 1 && name.back() == '_' && name[name.size() - 2] != '_';
  if (!is_in_place || node.kind() == aten::copy_ || node.kind() == aten::index_put_ ||
      node.inputs().empty()) {
    return {};
  }
  const auto* target = node.inputs()[0]->node();
  if (!is_subscript(*target)) return {};
  const auto statement = node.sourceRange();
  const auto subscript = target->sourceRange();
  if (statement.source() != subscript.source() || statement.start() != subscript.start() ||
      !is_assignment(node)) {
    return {};
  }
  std::vector<const jit::Node*> views;
  for (const auto* view = node.inputs()[0]->node();
       is_view(*view) && view->sourceRange() == subscript; view = view->inputs()[0]->node()) {
    views.push_back(view);
  }
  std::reverse(views.begin(), views.end());
  return views;
}

void count_from_front(const jit::Node& node, std::vector<c10::IValue>& stack) {
  if (!is_view(node) || !stack[0].isTensor() || !stack[1].isInt() || stack[1].toInt() >= 0) return;
  if (!is_subscript(node)) return;
  const auto dimensions = stack[0].toTensor().dim() + (node.kind() == aten::unsqueeze ? 1 : 0);
  stack[1] = stack[1].toInt() + dimensions;
}

void assign(const at::Tensor& target, const at::Tensor& value) {
  if (target.sizes() == value.sizes()) {
    target.copy_(value);
  } else if (value.dim() == 0 && value.device().is_cpu()) {
    target.fill_(value);
  } else {
    auto sizes = value.sizes();
    while (!sizes.empty() && sizes.front() == 1)
      sizes = sizes.slice(1);
    auto expanded = value.view(sizes);
    if (expanded.sizes() != target.sizes()) expanded = expanded.expand(target.sizes());
    target.copy_(expanded);
  }
}

}  // namespace opsmith
