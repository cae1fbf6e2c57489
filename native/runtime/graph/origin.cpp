#include "runtime/graph/origin.h"

#include <ATen/core/class_type.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/scope.h>

#include <optional>

#include "runtime/graph/text.h"

namespace opsmith {
namespace {

namespace jit = torch::jit;

// The tracer's scopes carry the whole path each: "__module.encoder", "__module.encoder.layers.0".
std::vector<std::string> traced_scope(const jit::Node& node) {
  std::vector<std::string> parts;
  const auto names = node.scopeName();
  std::string before;
  for (size_t start = 0; start < names.size();) {
    const auto end = std::min(names.find('/', start), names.size());
    auto part = names.substr(start, end - start);
    start = end + 1;
    const auto whole = part;
    if (!before.empty() && part.starts_with(before + ".")) part = part.substr(before.size() + 1);
    before = whole;
    if (part.starts_with("__module.")) part = part.substr(9);
    if (!part.empty() && part != "__module") parts.push_back(part);
  }
  return parts;
}

bool is_builtin_class(const std::string& name) {
  static const std::string prefix = "__torch__.torch.classes.";
  if (!name.starts_with(prefix)) return true;  // a class of the program
  const auto rest = name.substr(prefix.size());
  const auto ns = rest.substr(0, rest.find('.'));
  return ns == "xnnpack" || ns == "metal" || ns == "vulkan" || ns == "dist_c10d" ||
         ns == "dist_rpc" || ns == "cuda" || ns == "rnn" || ns == "profiling" ||
         is_builtin_namespace(ns);
}

}  // namespace

std::optional<GraphPlace> place_of(const jit::SourceRange& given) {
  const auto original = given.findSourceRangeThatGenerated();
  const auto& range = original ? *original : given;
  const auto place = range.file_line_col();
  if (!place || std::get<0>(*place).empty()) return std::nullopt;
  // libtorch's builtin functions, which it inlines as it compiles (`x.shape`), lie in no file.
  if (std::get<0>(*place) == "<string>") return std::nullopt;
  const auto source = range.source();
  const auto last = source->lineno_for_offset(range.end());
  const auto column = [&](size_t offset, size_t line) {
    return static_cast<int64_t>(offset - source->offset_for_line(line)) + 1;
  };
  return GraphPlace{std::get<0>(*place), static_cast<int64_t>(std::get<1>(*place)),
                    static_cast<int64_t>(std::get<2>(*place)) + 1,
                    static_cast<int64_t>(source->lineno_to_source_lineno(last)),
                    column(range.end(), last)};
}

std::vector<std::string> scope_of(const jit::Node& node) {
  auto next = node.callstack();
  if (!next) return traced_scope(node);
  std::vector<std::string> parts;
  for (; next; next = (*next)->callee()) {
    const auto module = (*next)->module_instance();
    // Calls within one module say "self" or "SELF"; of a free function there is no module.
    auto name = module ? module->instance_name() : std::string();
    if (name.empty()) name = (*next)->function_name();
    if (!name.empty() && name != "self" && name != "SELF") parts.push_back(name);
  }
  return parts;
}

bool is_builtin_namespace(const std::string& name) {
  for (const char* ns :
       {"aten",         "prim",       "prims",    "quantized",        "_quantized",
        "sparse",       "inductor",   "mkldnn",   "mkldnn_prepacked", "prepacked",
        "onednn",       "profiler",   "c10d",     "_c10d_functional", "cuda",
        "cuda_graphs",  "attr",       "onnx",     "namespaces",       "static_runtime",
        "higher_order", "rngprims",   "symm_mem", "debugprims",       "_test",
        "caffe2",       "tensorexpr", "fb",       "xnnpack",          "vulkan"}) {
    if (name == ns) return true;
  }
  return false;
}

bool is_custom(const jit::Node& node) {
  if (!is_builtin_namespace(node.kind().ns().toUnqualString())) return true;
  const auto has_custom_type = [](const jit::Value& value) {
    const auto type = value.type()->cast<c10::ClassType>();
    return type && type->name() && !is_builtin_class(type->name()->qualifiedName());
  };
  if (node.kind() == c10::prim::CreateObject) return has_custom_type(*node.output());
  return node.kind() == c10::prim::CallMethod && has_custom_type(*node.inputs()[0]);
}

}  // namespace opsmith
