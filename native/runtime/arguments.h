// From literals to the boxed arguments of a schema.
#pragma once

#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>

#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/literal.h"

namespace opsmith {

using NamedTensors = std::unordered_map<std::string, at::Tensor>;

struct ProjectInputs {
  NamedTensors tensors;            // those that were created
  std::vector<std::string> names;  // all inputs, in the project's order, for messages
};

// The strings among literals, also those in lists: they may name inputs.
std::set<std::string> names_in(const std::vector<Literal>& literals);

// Whether a schema says that an argument, or an element of a list, is written: Tensor(a!),
// Tensor(a!)[]. `null` for an argument without an alias.
bool is_written(const c10::AliasInfo* alias);

// One value an argument, in the schema's order; keyword-only arguments follow the others. A string
// that names one of `inputs` (null: there are none, and tensors are literals) stands for that
// tensor, unless the schema takes a string there. A string is also a device, a dtype ("float32"), a
// layout ("strided") or a memory format
// ("channels_last") where the schema asks for one. What is left out gets its default.
// Throws Failure (input.invalid) that names the argument, its type and what was given.
std::vector<c10::IValue> make_arguments(const c10::FunctionSchema& schema,
                                        const std::vector<Literal>& literals,
                                        const ProjectInputs* inputs);

}  // namespace opsmith
