// TorchScript archives: what they hold, what they need, and how a function becomes one.
#pragma once

#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <vector>

#include "runtime/program/program.h"

namespace opsmith {

struct ArchiveEntry {
  std::string name;  // "forward", "layers.0.forward"
  std::string schema;
};

// contract/graph.ts's graphArchive, of kind torchscript.
struct GraphArchive {
  std::string path;
  std::vector<ArchiveEntry> entries;  // empty when something is missing: it cannot be loaded then
  std::vector<std::string> missing;   // "my_ops::warp_perspective", "torch.classes.running.Name"
};

// Reads the archive's code without running it. Throws Failure (io, input.invalid).
GraphArchive describe_archive(const std::string& path);

// On the CPU. Throws Failure (operator.unknown) that lists what is missing, io, input.invalid.
torch::jit::Module load_archive(const std::string& path);

// "layers.0" of `module`, itself for "". Throws Failure (operator.unknown).
torch::jit::Module find_submodule(const torch::jit::Module& module, const std::string& path);

// A module whose `forward` is the graph, as torch.jit.ScriptFunction.save makes one. The graph's
// functions and classes keep `program` alive only while it is in this process.
torch::jit::Module module_of_function(torch::jit::Graph& graph);

// A module whose `forward` is the trace of a method of `traced`, which it holds as "module".
torch::jit::Module module_of_trace(torch::jit::Graph& trace, const torch::jit::Module& traced);

// Writes by a rename; answers the size in bytes. Throws Failure (io).
int64_t save_archive(const torch::jit::Module& module, const std::string& path);

}  // namespace opsmith
