// What the names of a TorchScript program mean: torch, math and what was imported from them.
#pragma once

#include <torch/csrc/jit/frontend/resolver.h>

#include <memory>
#include <string>
#include <unordered_map>

namespace opsmith {

// From a name in the program to the path it stands for: "F" to "torch.nn.functional".
using ImportedNames = std::unordered_map<std::string, std::string>;

// Functions of `unit` (may be null) are known too; the resolver keeps it alive.
torch::jit::ResolverPtr make_resolver(ImportedNames imported,
                                      std::shared_ptr<torch::jit::CompilationUnit> unit);

}  // namespace opsmith
