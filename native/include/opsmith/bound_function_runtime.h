#pragma once

// The part of bound_function.h and carry.h that is the same for all signatures.

#include <opsmith/binding.h>
#include <opsmith/bound_function.h>
#include <opsmith/documentation.h>
#include <torch/library.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#ifdef OPSMITH_SEPARATE_RUNTIME
#define OPSMITH_INLINE
#else
#define OPSMITH_INLINE inline
#endif

#pragma GCC visibility push(hidden)
namespace opsmith {

OPSMITH_INLINE at::Tensor take_tensor(c10::IValue& value) {
  return value.isNone() ? at::Tensor() : std::move(value).toTensor();
}

OPSMITH_INLINE c10::IValue make_list(c10::TypePtr element_type, std::vector<c10::IValue> elements) {
  c10::impl::GenericList list(std::move(element_type));
  list.reserve(elements.size());
  for (c10::IValue& element : elements)
    list.push_back(std::move(element));
  return c10::IValue(std::move(list));
}

OPSMITH_INLINE void fail_integer(const argument_place& place, int64_t value, bool is_signed,
                                 std::size_t bytes) {
  TORCH_CHECK_VALUE(false, "argument '", place.schema.arguments()[place.index].name(), "' of ",
                    place.schema.name(), ": ", value, " does not fit ",
                    is_signed ? "a signed" : "an unsigned", " integer of ", 8 * bytes, " bits");
}

OPSMITH_INLINE void fail_length(const argument_place& place, std::size_t expected,
                                std::size_t given) {
  TORCH_CHECK_VALUE(false, "argument '", place.schema.arguments()[place.index].name(), "' of ",
                    place.schema.name(), ": ", expected, " elements expected, got ", given);
}

/// Runs a bound function with boxed arguments.
struct bound_kernel : c10::OperatorKernel {
  explicit bound_kernel(erased_function function) : function(function) {}
  ~bound_kernel() override {
    if (function.destroy != nullptr) function.destroy(function.callable);
  }
  void operator()(const c10::OperatorHandle& op, c10::DispatchKeySet, c10::Stack* stack) {
    function.invoke(function.callable, op.schema(), *stack);
  }
  erased_function function;
};

/// The row of the generated table (opsmith/binding.h) for a function of so many parameters.
OPSMITH_INLINE std::vector<std::string> names_from_table(const std::string& function,
                                                         std::size_t count) {
  if (opsmith_argument_name_table == nullptr || count == 0) return {};
  for (const argument_names* row = opsmith_argument_name_table; row->function != nullptr; ++row) {
    if (function != row->function) continue;
    std::vector<std::string> names(1);
    for (const char* c = row->names; *c != '\0'; ++c) {
      if (*c == ',') {
        names.emplace_back();
      } else if (*c != ' ') {
        names.back() += *c;
      }
    }
    if (names.size() == count) return names;
  }
  return {};
}

/// Makes a default value what the schema wants of the argument's type: 1 for a float is 1.0.
OPSMITH_INLINE c10::IValue fit_default(const c10::IValue& value, const c10::TypePtr& type,
                                       const std::string& what) {
  using kind = c10::TypeKind;
  if (auto optional = type->cast<c10::OptionalType>()) {
    return value.isNone() ? value : fit_default(value, optional->getElementType(), what);
  }
  if (type->kind() == kind::FloatType && value.isInt()) {
    return c10::IValue(static_cast<double>(value.toInt()));
  }
  if (type->kind() == kind::IntType && value.isDouble()) {
    const double number = value.toDouble();
    TORCH_CHECK(number == static_cast<double>(static_cast<int64_t>(number)), what, ": ", number,
                " is no integer");
    return c10::IValue(static_cast<int64_t>(number));
  }
  if (type->kind() == kind::BoolType && value.isInt()) return c10::IValue(value.toInt() != 0);
  if (type->kind() == kind::DeviceObjType && value.isString()) {
    return c10::IValue(c10::Device(value.toStringRef()));
  }
  if (auto list = type->cast<c10::ListType>(); list && value.isList()) {
    std::vector<c10::IValue> fitted;
    for (const c10::IValue& element : value.toListRef()) {
      fitted.push_back(fit_default(element, list->getElementType(), what));
    }
    return make_list(list->getElementType(), std::move(fitted));
  }
  TORCH_CHECK(value.type()->isSubtypeOf(*type), what, ": a default of type ",
              value.type()->repr_str(), " does not fit ", type->repr_str());
  return value;
}

OPSMITH_INLINE c10::FunctionSchema make_schema(const std::string& qualified_name,
                                               const std::string& name, std::string overload,
                                               const erased_function& function,
                                               const annotations& notes) {
  const auto table = names_from_table(name, function.parameter_count);
  std::vector<c10::Argument> arguments;
  bool has_default_before = false;
  for (std::size_t i = 0; i < function.parameter_count; ++i) {
    c10::TypePtr fake = function.parameters[i](true);
    c10::TypePtr real = function.parameters[i](false);
    std::string argument_name = "_" + std::to_string(i);
    if (i < table.size() && !table[i].empty()) argument_name = table[i];
    std::optional<c10::IValue> default_value;
    if (i < notes.parameter_count) {
      const parameter_note& note = notes.parameters[i];
      if (*note.name != '\0') argument_name = note.name;
      if (note.default_value != nullptr) {
        const c10::IValue& given = *note.default_value;
        const bool is_absent = given.isNone() || (given.isTensor() && !given.toTensor().defined());
        // A Tensor parameter that may be left out is an undefined tensor in C++, None in a
        // schema.
        if (is_absent && real->kind() == c10::TypeKind::TensorType) {
          fake = real = c10::OptionalType::ofTensor();
        }
        default_value = fit_default(is_absent ? c10::IValue() : given, fake,
                                    "default of '" + argument_name + "' of " + qualified_name);
      }
    }
    const bool is_keyword_only = i >= notes.keyword_only_from;
    TORCH_CHECK(default_value || !has_default_before || is_keyword_only, qualified_name,
                ": argument '", argument_name, "' has no default, but an earlier argument has one");
    has_default_before = default_value.has_value();
    arguments.emplace_back(argument_name, fake, real, std::nullopt, std::move(default_value),
                           is_keyword_only);
  }
  std::vector<c10::Argument> returns;
  for (std::size_t i = 0; i < function.result_count; ++i) {
    returns.emplace_back("", function.results[i](true), function.results[i](false));
  }
  c10::FunctionSchema schema(qualified_name, std::move(overload), std::move(arguments),
                             std::move(returns));
  // Nothing is known of what the function does to its inputs.
  schema.setAliasAnalysis(c10::AliasAnalysisKind::CONSERVATIVE);
  return schema;
}

/// The first overload name that is still free: "", "overload1", "overload2", …
OPSMITH_INLINE std::string free_overload_name(const std::string& qualified_name) {
  std::string overload;
  for (int i = 1; c10::Dispatcher::singleton().findSchema({qualified_name, overload}); ++i) {
    overload = "overload" + std::to_string(i);
  }
  return overload;
}

struct function_registry::contents {
  std::string ns;
  std::vector<std::unique_ptr<torch::Library>> libraries;
};

OPSMITH_INLINE function_registry::function_registry(const char* ns)
    : contents_(new contents{ns, {}}) {}

OPSMITH_INLINE function_registry::~function_registry() {
  delete contents_;
}

OPSMITH_INLINE void function_registry::add(const char* name, erased_function function,
                                           const annotations& notes, const char* file, int line) {
  auto kernel = std::make_unique<bound_kernel>(function);
  const std::string qualified_name = contents_->ns + "::" + name;
  auto schema =
      make_schema(qualified_name, name, free_overload_name(qualified_name), function, notes);
  auto library = std::make_unique<torch::Library>(torch::Library::FRAGMENT, contents_->ns,
                                                  std::nullopt, file, line);
  library->def(std::move(schema), torch::CppFunction::makeFromBoxedFunctor(std::move(kernel)));
  contents_->libraries.push_back(std::move(library));
  documentation().add(qualified_name, notes.doc);
}

OPSMITH_INLINE void function_registry::document(const char* text) {
  documentation().add(contents_->ns, text);
}

}  // namespace opsmith
#pragma GCC visibility pop
