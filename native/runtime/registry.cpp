#include "runtime/registry.h"

#include <ATen/core/class_type.h>
#include <torch/custom_class_detail.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "runtime/failure.h"

namespace opsmith {
namespace {

std::string schema_text(const c10::FunctionSchema& schema) {
  std::ostringstream out;
  out << schema;
  return out.str();
}

// The default as the schema's own printer writes it: "TYPE NAME=DEFAULT".
std::optional<std::string> default_text(const c10::Argument& argument) {
  if (!argument.default_value()) return std::nullopt;
  std::ostringstream out;
  out << argument;
  const std::string text = out.str();
  const std::string marker = " " + argument.name() + "=";
  const auto at = text.find(marker);
  return at == std::string::npos ? std::string() : text.substr(at + marker.size());
}

std::optional<std::string> alias_text(const c10::Argument& argument) {
  const c10::AliasInfo* alias = argument.alias_info();
  if (alias == nullptr) return std::nullopt;
  // `Tensor(a!)[]` keeps the set on the element.
  if (alias->beforeSets().empty() && !alias->containedTypes().empty()) {
    alias = &alias->containedTypes().front();
  }
  std::set<std::string> names;
  for (const auto& set : alias->beforeSets())
    names.insert(set.toUnqualString());
  std::string text;
  for (const auto& name : names)
    text += (text.empty() ? "" : "|") + name;
  if (text.empty()) return std::nullopt;
  return alias->isWrite() ? text + "!" : text;
}

ArgumentDetail describe_argument(const c10::Argument& argument) {
  return {argument.name(), argument_type(argument), default_text(argument), argument.kwarg_only(),
          alias_text(argument)};
}

// A line of dumpState(): "KEY[alias]: registered at FILE:LINE :: SIGNATURE [ boxed unboxed ]". In
// the place of "at FILE:LINE", torch::RegisterOperators has "by RegisterOperators": `file` is ""
// then.
std::optional<RegisteredKernel> read_kernel(const std::string& line) {
  static const std::string marker = ": registered at ";
  static const std::string without_place = ": registered by RegisterOperators";
  const auto at = line.find(marker);
  const bool has_place = at != std::string::npos;
  if (!has_place && line.find(without_place) == std::string::npos) return std::nullopt;
  if (line.find("(inactive)") != std::string::npos) return std::nullopt;
  RegisteredKernel kernel;
  kernel.dispatch_key = line.substr(0, line.find_first_of("[:"));
  if (kernel.dispatch_key == "debug") return std::nullopt;
  if (kernel.dispatch_key == "catchall" || kernel.dispatch_key == "catch all") {
    kernel.dispatch_key = "CompositeImplicitAutograd";
  }
  if (!has_place) return kernel;
  std::string place = line.substr(at + marker.size());
  for (const char* end : {" :: ", " [ ", " ("}) {
    if (const auto cut = place.find(end); cut != std::string::npos) place.resize(cut);
  }
  const auto colon = place.rfind(':');
  kernel.file = place.substr(0, colon);
  if (colon != std::string::npos) kernel.line = std::atoll(place.c_str() + colon + 1);
  return kernel;
}

std::string full_name(const c10::OperatorName& name) {
  return name.overload_name.empty() ? name.name : name.name + "." + name.overload_name;
}

// Levenshtein's distance, given up past `limit`.
size_t edit_distance(const std::string& a, const std::string& b, size_t limit) {
  if (a.size() > b.size() + limit || b.size() > a.size() + limit) return limit + 1;
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1] ? 1 : 0)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

[[noreturn]] void unknown_operator(const std::string& op, const c10::OperatorName& asked) {
  auto& dispatcher = c10::Dispatcher::singleton();
  std::vector<std::string> overloads, names;
  for (const auto& name : dispatcher.getAllOpNames()) {
    if (!dispatcher.findSchema(name)) continue;
    if (name.name == asked.name) overloads.push_back(full_name(name));
    names.push_back(name.name);
  }
  std::sort(overloads.begin(), overloads.end());
  if (!overloads.empty()) {
    throw Failure(ErrorCode::operator_unknown,
                  asked.overload_name.empty()
                      ? op + " has several overloads: " + c10::Join(", ", overloads)
                      : asked.name + " has no overload " + asked.overload_name +
                            "; its overloads are " + c10::Join(", ", overloads));
  }
  if (dispatcher.findOp(asked)) {
    throw Failure(ErrorCode::operator_unknown,
                  op + " has a kernel, but no schema: no m.def defines the operator",
                  "Define the operator with m.def in a TORCH_LIBRARY or TORCH_LIBRARY_FRAGMENT "
                  "block.");
  }
  const auto near = near_names(asked.name, names);
  throw Failure(ErrorCode::operator_unknown, "There is no operator " + op,
                near.empty() ? "" : "Did you mean " + c10::Join(", ", near) + "?");
}

c10::OperatorName parse_name(const std::string& op) {
  const auto start = op.find("::");
  const auto dot = op.find('.', start == std::string::npos ? 0 : start);
  if (dot == std::string::npos) return {op, ""};
  return {op.substr(0, dot), op.substr(dot + 1)};
}

}  // namespace

std::string argument_type(const c10::Argument& argument) {
  const c10::Type* type = argument.real_type().get();
  bool optional = false;
  if (type->kind() == c10::TypeKind::OptionalType && argument.N()) {
    optional = true;
    type = type->expectRef<c10::OptionalType>().getElementType().get();
  }
  if (type->kind() == c10::TypeKind::ListType && argument.N()) {
    return type->expectRef<c10::ListType>().getElementType()->str() + "[" +
           std::to_string(*argument.N()) + "]" + (optional ? "?" : "");
  }
  return argument.real_type()->str();
}

std::vector<OperatorSummary> list_operators() {
  auto& dispatcher = c10::Dispatcher::singleton();
  std::vector<OperatorSummary> operators;
  for (const auto& name : dispatcher.getAllOpNames()) {
    if (const auto op = dispatcher.findSchema(name)) {
      operators.push_back({name.name, name.overload_name, schema_text(op->schema())});
    }
  }
  std::sort(operators.begin(), operators.end(), [](const auto& a, const auto& b) {
    return std::tie(a.name, a.overload) < std::tie(b.name, b.overload);
  });
  return operators;
}

OperatorDetail describe_operator(const c10::OperatorHandle& op) {
  const auto& schema = op.schema();
  OperatorDetail detail;
  detail.summary = {op.operator_name().name, op.operator_name().overload_name, schema_text(schema)};
  for (const auto& argument : schema.arguments())
    detail.arguments.push_back(describe_argument(argument));
  for (const auto& value : schema.returns())
    detail.returns.push_back(describe_argument(value));
  std::istringstream lines(op.dumpState());
  for (std::string line; std::getline(lines, line);) {
    if (auto kernel = read_kernel(line)) detail.kernels.push_back(std::move(*kernel));
  }
  return detail;
}

OperatorDetail describe_operator(const std::string& name, const std::string& overload) {
  const auto op = c10::Dispatcher::singleton().findSchema({name, overload});
  if (!op) unknown_operator(overload.empty() ? name : name + "." + overload, {name, overload});
  return describe_operator(*op);
}

c10::OperatorHandle find_operator(const std::string& op) {
  auto& dispatcher = c10::Dispatcher::singleton();
  const auto asked = parse_name(op);
  if (const auto found = dispatcher.findSchema(asked)) return *found;
  std::optional<c10::OperatorHandle> only;
  if (asked.overload_name.empty()) {
    for (const auto& name : dispatcher.getAllOpNames()) {
      if (name.name != asked.name) continue;
      const auto found = dispatcher.findSchema(name);
      if (!found) continue;
      if (only) unknown_operator(op, asked);
      only = found;
    }
  }
  if (!only) unknown_operator(op, asked);
  return *only;
}

std::vector<std::string> near_names(const std::string& name,
                                    const std::vector<std::string>& names) {
  const size_t limit = std::max<size_t>(2, name.size() / 4);
  std::set<std::pair<size_t, std::string>> near;
  const auto separator = name.find("::");
  for (const auto& other : names) {
    size_t distance = edit_distance(name, other, limit);
    // The right name in another namespace, "my_op::f" for "my_ops::f" or "aten::f".
    const auto other_separator = other.find("::");
    if (separator != std::string::npos && other_separator != std::string::npos &&
        name.substr(separator) == other.substr(other_separator)) {
      distance = std::min<size_t>(distance, 2);
    }
    if (distance <= limit) near.emplace(distance, other);
  }
  std::vector<std::string> nearest;
  for (const auto& [distance, other] : near) {
    if (nearest.size() < 5 && std::find(nearest.begin(), nearest.end(), other) == nearest.end()) {
      nearest.push_back(other);
    }
  }
  return nearest;
}

size_t class_method_count() {
  return torch::customClassSchemasForBCCheck().size();
}

std::vector<ClassDetail> classes_since(size_t since) {
  static const std::string prefix = "__torch__.torch.classes.";
  std::map<std::string, c10::ClassTypePtr> classes;
  const auto schemas = torch::customClassSchemasForBCCheck();
  for (size_t i = since; i < schemas.size(); ++i) {
    // The schema carries a method's bare name; the type of `self` says whose it is.
    if (schemas[i].arguments().empty()) continue;
    const auto type = schemas[i].arguments().front().type()->cast<c10::ClassType>();
    if (!type || !type->name()) continue;
    std::string name = type->name()->qualifiedName();
    if (name.rfind(prefix, 0) == 0) name = name.substr(prefix.size());
    classes.emplace(name, type);
  }
  std::vector<ClassDetail> details;
  for (const auto& [name, type] : classes) {
    ClassDetail detail{name, {}};
    for (const auto* method : type->methods()) {
      detail.methods.push_back({method->name(), schema_text(method->getSchema())});
    }
    details.push_back(std::move(detail));
  }
  return details;
}

}  // namespace opsmith
