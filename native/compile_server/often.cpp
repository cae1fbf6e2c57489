#include "often.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>

#include "divide.h"

namespace opsmith::compile_server {
namespace {

/// In a smaller rest, another process costs more than it saves. Instructions of LLVM.
constexpr std::size_t least_divided = 3000;

/// opsmith::gpu::run_threads (native/virtual_gpu/include/opsmith/gpu/launch.h): calls a kernel for
/// one thread after the other.
constexpr const char* run_threads = "_ZN7opsmith3gpu11run_threads";

/// In the mangled names of the instances of at::parallel_for, and of the lambdas in them.
constexpr const char* parallel_for = "N2at12parallel_forI";

/// Whether a function makes or ends one object.
bool is_structor(const llvm::Function* function) {
  if (function == nullptr) return false;
  const auto name = function->getName();
  return name.ends_with("C1Ev") || name.ends_with("C2Ev") || name.ends_with("D1Ev") ||
         name.ends_with("D2Ev");
}

/// The loop that clang makes for an array of a source, such as the tensors of `return {x, y}`: it
/// makes or ends one object after the other.
bool is_of_array(const llvm::BasicBlock& block) {
  return std::all_of(block.begin(), block.end(), [](const llvm::Instruction& instruction) {
    if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
      return is_structor(call->getCalledFunction());
    }
    return !instruction.mayReadOrWriteMemory();
  });
}

bool has_loop(const llvm::Function& function) {
  llvm::SmallVector<std::pair<const llvm::BasicBlock*, const llvm::BasicBlock*>> back_edges;
  llvm::FindFunctionBackedges(function, back_edges);
  return std::any_of(back_edges.begin(), back_edges.end(), [](const auto& edge) {
    return edge.first != edge.second || !is_of_array(*edge.first);
  });
}

/// How often instances of at::parallel_for, and the lambdas in them, call a function.
std::size_t calls_in_parallel_for(const llvm::Function& function) {
  return static_cast<std::size_t>(
      std::count_if(function.user_begin(), function.user_end(), [&](const llvm::User* user) {
        const auto* call = llvm::dyn_cast<llvm::CallBase>(user);
        return call != nullptr && call->getCalledOperand() == &function &&
               call->getFunction()->getName().contains(parallel_for);
      }));
}

bool calls_itself(const llvm::Function& function) {
  return std::any_of(function.user_begin(), function.user_end(), [&](const llvm::User* user) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(user);
    return call != nullptr && call->getFunction() == &function;
  });
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

struct often_pass : llvm::PassInfoMixin<often_pass> {
  source_code& source;
  const names& shared;

  often_pass(source_code& code, const names& shared_names) : source(code), shared(shared_names) {}

  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses) {
    reachable_functions often;
    bool has_any = false;
    for (const auto& function : module) {
      if (function.isDeclaration() || !runs_often(function)) continue;
      often.add(&function);
      has_any = true;
    }
    for (auto& function : module) {
      if (function.isDeclaration()) continue;
      if (often.has(function)) {
        // at::parallel_for calls it in two places, for one thread and for many: inlined, the whole
        // kernel would be compiled twice.
        if (calls_in_parallel_for(function) > 1 &&
            !function.hasFnAttribute(llvm::Attribute::AlwaysInline)) {
          function.addFnAttr(llvm::Attribute::NoInline);
        }
        continue;
      }
      if (function.hasLinkOnceODRLinkage() && shared.seldom.count(function.getName().str()) != 0) {
        drop_body(function);
        continue;
      }
      if (function.hasFnAttribute(llvm::Attribute::AlwaysInline) || function.hasOptSize()) continue;
      function.addFnAttr(llvm::Attribute::OptimizeNone);
      function.addFnAttr(llvm::Attribute::NoInline);
    }
    // What only dropped functions called.
    llvm::GlobalDCEPass().run(module, analyses);
    if (!has_any) source.make_all(module);
    std::size_t rest = 0;
    for (const auto& function : module) {
      if (!often.has(function)) rest += function.getInstructionCount();
    }
    if (!source.divided_as.empty() && rest >= least_divided) {
      source.rest = divide(
          module, [&](const llvm::Function& function) { return often.has(function); },
          source.divided_as, source.make_rest);
    }
    return llvm::PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }

 private:
  bool runs_often(const llvm::Function& function) const {
    const auto name = function.getName().str();
    if (source.is_device_code && name.rfind(run_threads, 0) == 0) return true;
    if (is_of_libtorch(name) || shared.cold.count(name) != 0 || shared.seldom.count(name) != 0) {
      return false;
    }
    // An algorithm that calls a lambda of the source is a loop of the source.
    const bool has_lambda = name.find("EUl") != std::string::npos;
    if (is_of_standard_library(name) && is_cold(name) && !has_lambda) return false;
    return has_loop(function) || calls_itself(function);
  }
};

}  // namespace

void optimize_often(llvm::PassBuilder& builder, source_code& source, const names& shared) {
  builder.registerPipelineStartEPCallback(
      [&](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
        passes.addPass(often_pass(source, shared));
      });
}

}  // namespace opsmith::compile_server
