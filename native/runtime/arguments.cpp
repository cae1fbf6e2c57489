#include "runtime/arguments.h"

#include <ATen/core/jit_type.h>
#include <c10/core/Layout.h>
#include <c10/core/MemoryFormat.h>

#include <cmath>
#include <cstdio>

#include "runtime/dtypes.h"
#include "runtime/failure.h"
#include "runtime/inputs.h"
#include "runtime/registry.h"

namespace opsmith {
namespace {

using c10::IValue;
using c10::TypeKind;
using c10::TypePtr;

struct Scope {
  const ProjectInputs* inputs;  // may be null
  const c10::Argument& argument;
};

void append_quoted(const Literal& literal, std::string& text) {
  constexpr size_t enough = 60;
  if (text.size() > enough) return;
  if (std::holds_alternative<std::monostate>(literal.value)) {
    text += "null";
  } else if (const auto* flag = std::get_if<bool>(&literal.value)) {
    text += *flag ? "true" : "false";
  } else if (const auto* integer = std::get_if<int64_t>(&literal.value)) {
    text += std::to_string(*integer);
  } else if (const auto* number = std::get_if<double>(&literal.value)) {
    char digits[32];
    snprintf(digits, sizeof(digits), "%.12g", *number);
    text += digits;
  } else if (const auto* string = std::get_if<std::string>(&literal.value)) {
    text += '"' + string->substr(0, enough) + '"';
  } else if (const auto* list = std::get_if<Literal::List>(&literal.value)) {
    text += '[';
    for (size_t i = 0; i < list->size() && text.size() <= enough; ++i) {
      if (i) text += ", ";
      append_quoted((*list)[i], text);
    }
    text += text.size() > enough ? " …]" : "]";
  } else {
    text += "a tensor";
  }
}

[[noreturn]] void mismatch(const Scope& scope, const Literal& given) {
  std::string message =
      "argument " + scope.argument.name() + ": " + argument_type(scope.argument) + " expected, ";
  const bool wants_input =
      scope.inputs != nullptr && argument_type(scope.argument).find("Tensor") != std::string::npos;
  if (wants_input && std::holds_alternative<std::string>(given.value)) {
    std::string names;
    for (const auto& name : scope.inputs->names)
      names += (names.empty() ? "" : ", ") + name;
    message += quote(given) + " is not an input of the project; the inputs are: " +
               (names.empty() ? "none" : names);
  } else {
    message += quote(given) + " given";
  }
  throw Failure(ErrorCode::input_invalid, message);
}

bool as_integer(const Literal& literal, int64_t* integer) {
  if (const auto* exact = std::get_if<int64_t>(&literal.value)) {
    *integer = *exact;
    return true;
  }
  const auto* number = std::get_if<double>(&literal.value);
  if (number == nullptr || *number != std::trunc(*number) || std::abs(*number) >= 9.2e18) {
    return false;
  }
  *integer = static_cast<int64_t>(*number);
  return true;
}

bool as_real(const Literal& literal, double* real) {
  if (const auto* number = std::get_if<double>(&literal.value)) {
    *real = *number;
  } else if (const auto* integer = std::get_if<int64_t>(&literal.value)) {
    *real = static_cast<double>(*integer);
  } else {
    // JSON cannot write these as numbers.
    const auto* text = std::get_if<std::string>(&literal.value);
    if (text == nullptr) return false;
    if (*text != "nan" && *text != "inf" && *text != "-inf") return false;
    *real = *text == "nan" ? NAN : *text == "inf" ? INFINITY : -INFINITY;
  }
  return true;
}

// dtype, layout and memory format are ints to the dispatcher.
bool as_enumeration(TypeKind kind, const std::string& text, int64_t* value) {
  if (kind == TypeKind::ScalarTypeType) {
    const auto type = dtype_from_name(text);
    if (type) *value = static_cast<int64_t>(*type);
    return type.has_value();
  }
  const std::string bare = text.rfind("torch.", 0) == 0 ? text.substr(6) : text;
  const auto pick = [&](std::initializer_list<std::pair<const char*, int64_t>> names) {
    for (const auto& [name, number] : names) {
      if (bare == name) {
        *value = number;
        return true;
      }
    }
    return false;
  };
  if (kind == TypeKind::LayoutType) {
    return pick({{"strided", static_cast<int64_t>(c10::Layout::Strided)},
                 {"sparse_coo", static_cast<int64_t>(c10::Layout::Sparse)},
                 {"sparse_csr", static_cast<int64_t>(c10::Layout::SparseCsr)}});
  }
  return pick({{"contiguous_format", static_cast<int64_t>(c10::MemoryFormat::Contiguous)},
               {"preserve_format", static_cast<int64_t>(c10::MemoryFormat::Preserve)},
               {"channels_last", static_cast<int64_t>(c10::MemoryFormat::ChannelsLast)},
               {"channels_last_3d", static_cast<int64_t>(c10::MemoryFormat::ChannelsLast3d)}});
}

IValue convert(const Scope& scope, const TypePtr& type, const Literal& literal, bool repeat);

IValue convert_list(const Scope& scope, const TypePtr& element, const Literal& literal,
                    bool repeat) {
  c10::impl::GenericList values(element->kind() == TypeKind::SymIntType ? c10::IntType::get()
                                                                        : element);
  if (const auto* list = std::get_if<Literal::List>(&literal.value)) {
    values.reserve(list->size());
    for (const auto& item : *list)
      values.push_back(convert(scope, element, item, false));
  } else if (repeat && scope.argument.N()) {
    // `int[2] stride`: one number stands for both, as in Python.
    const auto value = convert(scope, element, literal, false);
    for (int32_t i = 0; i < *scope.argument.N(); ++i)
      values.push_back(value);
  } else {
    mismatch(scope, literal);
  }
  return values;
}

// For `Any` and for numbers: what the literal itself says it is.
IValue convert_untyped(const Scope& scope, const Literal& literal) {
  int64_t integer = 0;
  double real = 0;
  if (const auto* flag = std::get_if<bool>(&literal.value)) return *flag;
  if (as_integer(literal, &integer)) return integer;
  if (as_real(literal, &real)) return real;
  if (const auto* text = std::get_if<std::string>(&literal.value)) return *text;
  if (std::holds_alternative<std::monostate>(literal.value)) return {};
  mismatch(scope, literal);
}

IValue convert(const Scope& scope, const TypePtr& type, const Literal& literal, bool repeat) {
  if (const auto* tensor = std::get_if<at::Tensor>(&literal.value)) {
    const auto kind = type->kind() == TypeKind::OptionalType
                          ? type->expectRef<c10::OptionalType>().getElementType()->kind()
                          : type->kind();
    if (kind == TypeKind::TensorType || kind == TypeKind::AnyType) return *tensor;
    mismatch(scope, literal);
  }
  const auto* text = std::get_if<std::string>(&literal.value);
  const auto kind = type->kind();
  // Where the schema takes a string, a tensor could never stand: the string is meant.
  if (text != nullptr && scope.inputs != nullptr && kind != TypeKind::OptionalType &&
      kind != TypeKind::ListType && kind != TypeKind::StringType) {
    const auto input = scope.inputs->tensors.find(*text);
    if (input != scope.inputs->tensors.end()) {
      if (kind == TypeKind::TensorType || kind == TypeKind::AnyType) return input->second;
      throw Failure(ErrorCode::input_invalid, "argument " + scope.argument.name() + ": " +
                                                  argument_type(scope.argument) +
                                                  " expected, but " + *text + " is a tensor");
    }
  }
  int64_t integer = 0;
  double real = 0;
  switch (kind) {
    case TypeKind::OptionalType: {
      if (std::holds_alternative<std::monostate>(literal.value)) return {};
      return convert(scope, type->expectRef<c10::OptionalType>().getElementType(), literal, repeat);
    }
    case TypeKind::ListType:
      return convert_list(scope, type->expectRef<c10::ListType>().getElementType(), literal,
                          repeat);
    case TypeKind::IntType:
    case TypeKind::SymIntType:
      if (as_integer(literal, &integer)) return integer;
      break;
    case TypeKind::ScalarTypeType:
    case TypeKind::LayoutType:
    case TypeKind::MemoryFormatType:
      if (text != nullptr && as_enumeration(kind, *text, &integer)) return integer;
      if (as_integer(literal, &integer)) return integer;
      break;
    case TypeKind::FloatType:
    case TypeKind::SymFloatType:
      if (as_real(literal, &real)) return real;
      break;
    case TypeKind::ComplexType:
      if (as_real(literal, &real)) return c10::complex<double>(real, 0.0);
      break;
    case TypeKind::BoolType:
    case TypeKind::SymBoolType:
      if (const auto* flag = std::get_if<bool>(&literal.value)) return *flag;
      break;
    case TypeKind::NumberType:
      if (std::holds_alternative<bool>(literal.value) || as_integer(literal, &integer) ||
          as_real(literal, &real)) {
        return convert_untyped(scope, literal);
      }
      break;
    case TypeKind::StringType:
      if (text != nullptr) return *text;
      break;
    case TypeKind::DeviceObjType:
      if (text != nullptr) return parse_device(*text);
      break;
    case TypeKind::NoneType:
      if (std::holds_alternative<std::monostate>(literal.value)) return {};
      break;
    case TypeKind::AnyType:
      return convert_untyped(scope, literal);
    case TypeKind::ClassType:
      throw Failure(
          ErrorCode::input_invalid,
          "argument " + scope.argument.name() + ": a " + argument_type(scope.argument) +
              " can only be created in a TorchScript program",
          "In the project's program, write a function that creates the object, and call this "
          "function.");
    default:
      break;
  }
  mismatch(scope, literal);
}

}  // namespace

std::string quote(const Literal& literal) {
  std::string text;
  append_quoted(literal, text);
  return text;
}

bool is_written(const c10::AliasInfo* alias) {
  if (alias == nullptr) return false;
  if (alias->isWrite()) return true;
  for (const auto& element : alias->containedTypes()) {
    if (is_written(&element)) return true;
  }
  return false;
}

std::set<std::string> names_in(const std::vector<Literal>& literals) {
  std::set<std::string> names;
  for (const auto& literal : literals) {
    if (const auto* text = std::get_if<std::string>(&literal.value)) names.insert(*text);
    if (const auto* list = std::get_if<Literal::List>(&literal.value)) names.merge(names_in(*list));
  }
  return names;
}

std::vector<IValue> make_arguments(const c10::FunctionSchema& schema,
                                   const std::vector<Literal>& literals,
                                   const ProjectInputs* inputs) {
  const auto& arguments = schema.arguments();
  if (literals.size() > arguments.size()) {
    throw Failure(ErrorCode::input_invalid,
                  schema.name() + " takes " + std::to_string(arguments.size()) +
                      " argument(s), but " + std::to_string(literals.size()) + " were given");
  }
  std::vector<IValue> values;
  values.reserve(arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    const auto& argument = arguments[i];
    if (i < literals.size()) {
      const Stage stage(ErrorCode::input_invalid, "argument " + argument.name());
      const Scope scope{inputs, argument};
      values.push_back(convert(scope, argument.real_type(), literals[i], true));
    } else if (argument.default_value()) {
      values.push_back(*argument.default_value());
    } else {
      throw Failure(ErrorCode::input_invalid,
                    "argument " + argument.name() + ": " + argument_type(argument) +
                        " expected, but only " + std::to_string(literals.size()) +
                        " argument(s) were given, and " + argument.name() + " has no default");
    }
  }
  return values;
}

}  // namespace opsmith
