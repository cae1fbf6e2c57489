// Where a node comes from: its place in a source, the functions and modules around it, and whether
// it calls something that is not libtorch's own.
#pragma once

#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <vector>

namespace opsmith {

// Modules or inlined functions, outermost first: ["encoder", "layers.0"]; empty at the top.
std::vector<std::string> scope_of(const torch::jit::Node& node);

// An operator outside libtorch's namespaces, or a torch::class_ that is not one of libtorch's.
bool is_custom(const torch::jit::Node& node);

// Whether `name`, "my_ops" of my_ops::f, is one of libtorch's own namespaces.
bool is_builtin_namespace(const std::string& name);

}  // namespace opsmith
