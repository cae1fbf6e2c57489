// The dispatcher's operators, as plain data.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include <optional>
#include <string>
#include <vector>

namespace opsmith {

// contract/operators.ts, field by field.
struct ArgumentDetail {
  std::string name;
  std::string type;
  std::optional<std::string> default_value;
  bool kwarg_only = false;
  std::optional<std::string> alias;
};

struct RegisteredKernel {
  std::string dispatch_key;
  std::string file;  // as the registration macro recorded it; "" when it recorded none
  int64_t line = 0;
};

struct OperatorSummary {
  std::string name;
  std::string overload;
  std::string schema;
};

struct OperatorDetail {
  OperatorSummary summary;
  std::vector<ArgumentDetail> arguments;
  std::vector<ArgumentDetail> returns;
  std::string doc;
  std::vector<RegisteredKernel> kernels;
};

struct ClassMethod {
  std::string name;
  std::string schema;
};

struct ClassDetail {
  std::string name;  // "namespace.Name"
  std::vector<ClassMethod> methods;
};

// Every operator that has a schema, by name and overload.
std::vector<OperatorSummary> list_operators();

// Throws Failure (operator.unknown).
OperatorDetail describe_operator(const std::string& name, const std::string& overload);
OperatorDetail describe_operator(const c10::OperatorHandle& op);

// `ns::name` or `ns::name.overload`. Without an overload: the default one, else the only one there
// is. Throws Failure (operator.unknown) with the overloads or with names that are near.
c10::OperatorHandle find_operator(const std::string& op);

// "Tensor", "int[2]", "float?", as the schema writes it, without the alias.
std::string argument_type(const c10::Argument& argument);

// `name` as it is asked for among `names`: those that differ by few letters, nearest first, at most
// five.
std::vector<std::string> near_names(const std::string& name, const std::vector<std::string>& names);

// How many methods of custom classes have been registered so far; they are never removed.
size_t class_method_count();
// The classes to which methods after the first `since` belong.
std::vector<ClassDetail> classes_since(size_t since);

}  // namespace opsmith
