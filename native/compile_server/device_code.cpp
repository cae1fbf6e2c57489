#include "device_code.h"

#include <utility>
#include <vector>

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>

#include "divide.h"

namespace opsmith::compile_server {
namespace {

/// opsmith::gpu::run_threads (include/opsmith/gpu/launch.h): calls a kernel for one thread after
/// the other.
constexpr const char* run_threads = "_ZN7opsmith3gpu11run_threads";

bool has_loop(const llvm::Function& function) {
  llvm::SmallVector<std::pair<const llvm::BasicBlock*, const llvm::BasicBlock*>> back_edges;
  llvm::FindFunctionBackedges(function, back_edges);
  return !back_edges.empty();
}

/// Functions that some others may call, by whatever way.
class reachable_functions {
 public:
  void add(const llvm::Constant* constant) {
    if (!known_.insert(constant).second) return;
    waiting_.push_back(constant);
    while (!waiting_.empty()) {
      const auto* next = waiting_.back();
      waiting_.pop_back();
      if (const auto* function = llvm::dyn_cast<llvm::Function>(next)) {
        for (const auto& instruction : llvm::instructions(*function))
          add_operands(instruction);
      } else {
        // A table of functions, or an address within one.
        add_operands(*next);
      }
    }
  }

  bool has(const llvm::Function& function) const { return known_.contains(&function); }

 private:
  void add_operands(const llvm::User& user) {
    for (const auto& operand : user.operands()) {
      const auto* constant = llvm::dyn_cast<llvm::Constant>(operand.get());
      if (constant != nullptr && known_.insert(constant).second) waiting_.push_back(constant);
    }
  }

  llvm::SmallPtrSet<const llvm::Constant*, 32> known_;
  std::vector<const llvm::Constant*> waiting_;
};

struct kernels_pass : llvm::PassInfoMixin<kernels_pass> {
  device_source& source;
  const names& shared;

  kernels_pass(device_source& device, const names& shared_names)
      : source(device), shared(shared_names) {}

  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    if (!source.is_device_code) return llvm::PreservedAnalyses::all();
    reachable_functions often;
    for (const auto& function : module) {
      if (function.isDeclaration()) continue;
      const auto name = function.getName();
      const bool is_kernel = name.starts_with(run_threads);
      if (is_kernel || (has_loop(function) && !is_host_code(function))) often.add(&function);
    }
    for (auto& function : module) {
      if (function.isDeclaration() || often.has(function)) continue;
      if (function.hasLinkOnceODRLinkage() && shared.host.count(function.getName().str()) != 0) {
        drop_body(function);
        continue;
      }
      if (function.hasFnAttribute(llvm::Attribute::AlwaysInline) || function.hasOptSize()) continue;
      function.addFnAttr(llvm::Attribute::OptimizeNone);
      function.addFnAttr(llvm::Attribute::NoInline);
    }
    if (!source.divided_as.empty()) {
      source.host_part = divide(
          module, [&](const llvm::Function& function) { return often.has(function); },
          source.divided_as, source.make_host_part);
    }
    return llvm::PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }

 private:
  bool is_host_code(const llvm::Function& function) const {
    const auto name = function.getName().str();
    return is_cold(name) || shared.host.count(name) != 0;
  }
};

}  // namespace

void optimize_kernels_alone(llvm::PassBuilder& builder, device_source& source,
                            const names& shared) {
  builder.registerPipelineStartEPCallback(
      [&](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
        passes.addPass(kernels_pass(source, shared));
        passes.addPass(llvm::GlobalDCEPass());
      });
}

}  // namespace opsmith::compile_server
