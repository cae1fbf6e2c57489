// What the names of a TorchScript program mean: torch, math and what was imported from them.
#pragma once

#include <torch/csrc/jit/frontend/resolver.h>

#include <memory>
#include <string>
#include <unordered_map>

namespace opsmith {

// From a name in the program to the path it stands for: "F" to "torch.nn.functional".
using ImportedNames = std::unordered_map<std::string, std::string>;

// Functions and classes of `known` (may be null) are known too; the resolver keeps it alive. So are
// the classes of `own`, the unit being compiled, which it does not keep alive.
torch::jit::ResolverPtr make_resolver(ImportedNames imported,
                                      std::shared_ptr<torch::jit::CompilationUnit> known,
                                      const std::shared_ptr<torch::jit::CompilationUnit>& own);

// How torch.jit.script names a class of a program: "__torch__.Counter".
c10::QualifiedName class_name(const std::string& name);

}  // namespace opsmith
