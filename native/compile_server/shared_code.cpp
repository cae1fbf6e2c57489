#include "shared_code.h"

#include <algorithm>
#include <fstream>

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/GlobalDecl.h>
#include <clang/AST/Mangle.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Frontend/CompilerInstance.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>

namespace opsmith::compile_server {
namespace {

bool has(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

bool starts_with_any(const std::string& text, std::initializer_list<const char*> starts) {
  for (const char* start : starts) {
    if (text.rfind(start, 0) == 0) return true;
  }
  return false;
}

/// Opsmith's own code that carries a bound function's arguments and results. Its namespace is
/// hidden, as is all that a library keeps to itself; this part of it has no state.
bool carries_arguments(const std::string& mangled) {
  return starts_with_any(
      mangled, {"_ZN7opsmith12signature_of", "_ZZN7opsmith12signature_of", "_ZN7opsmith7carrier",
                "_ZN7opsmith14native_carrier", "_ZN7opsmith13tuple_carrier",
                "_ZN7opsmith14result_carrier", "_ZN7opsmith15results_carrier"});
}

/// The handles of tensors and numbers: small, and in every operator.
bool is_inlined(const std::string& mangled) {
  return starts_with_any(mangled, {"_ZN2at6TensorD", "_ZN2at10TensorBaseD", "_ZN3c106ScalarD",
                                   "_ZN3c1013intrusive_ptrINS_10TensorImpl"});
}

/// Of c10, what a loop over elements or shapes calls: too small for a call of a library.
constexpr std::initializer_list<const char*> names_in_loops = {
    "7complex",
    "8ArrayRef",
    "18HeaderOnlyArrayRef",
    "4Half",
    "8BFloat16",
    "13intrusive_ptrINS_10TensorImpl",
    "6detail34atomic_combined_refcount",
    "6detail26atomic_weakcount",
    "6detail12has_pyobject",
    "6detail34intrusive_target_default_null_type",
    "19UndefinedTensorImpl",
    "22asIntArrayRefUnchecked",
    "eqENS_18HeaderOnlyArrayRef",
    "10TensorImpl",
    "11SmallVector",
    "15SmallVectorImpl",
    "15SmallVectorBase",
    "23SmallVectorTemplateBase",
    "25SmallVectorTemplateCommon",
    "6Device",
    "6Scalar",
    "6detail8convert",
    "7convert",
    "15checked_convert",
    "9overflows",
    "10maybe_real",
    "10maybe_bool",
    "27static_cast_with_inter_type",
    "16less_than_lowest",
    "16greater_than_max",
    "11is_negative",
    "6irange",
    "13integer_range",
    "6detail16integer_iterator"};

/// The name of a function of c10 without its namespace; empty for another function.
std::string name_in_c10(const std::string& mangled) {
  // After the qualifiers of a member function, "K", "R" or "O".
  const auto name = mangled.find("3c10");
  if (name == std::string::npos || mangled.rfind("_ZN", 0) != 0 || name > 5) return "";
  return mangled.substr(name + 4);
}

bool is_in_loops(const std::string& mangled) {
  return starts_with_any(name_in_c10(mangled), names_in_loops);
}

/// Of these, what is arithmetic: a kernel may call it.
constexpr std::initializer_list<const char*> names_in_kernels = {
    "7complex",        "4Half",
    "8BFloat16",       "6detail8convert",
    "7convert",        "15checked_convert",
    "9overflows",      "10maybe_real",
    "10maybe_bool",    "27static_cast_with_inter_type",
    "11is_negative",   "16less_than_lowest",
    "6irange",         "16greater_than_max",
    "13integer_range", "6detail16integer_iterator"};

/// Of the standard library, what handles containers and the like: no kernel can use them.
constexpr std::initializer_list<const char*> containers = {
    "6vector",        "_Vector_base", "9allocator", "15__new_allocator", "_Bit_", "_Bvector",
    "__shared_count", "_Sp_",         "8function",  "basic_string",      "_Hash", "5mutex"};

/// Whether kernels never call a shared function.
bool is_host_only(const std::string& mangled) {
  const auto in_c10 = name_in_c10(mangled);
  if (!in_c10.empty()) return !starts_with_any(in_c10, names_in_kernels);
  if (starts_with_any(mangled, {"_ZN2at", "_ZNK2at", "_ZNR2at", "_ZNO2at"})) return true;
  return std::any_of(containers.begin(), containers.end(),
                     [&](const char* part) { return has(mangled, part); });
}

struct keep_pass : llvm::PassInfoMixin<keep_pass> {
  std::string file;

  explicit keep_pass(std::string names_file) : file(std::move(names_file)) {}

  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    std::ofstream out(file);
    for (auto& function : module) {
      const auto name = function.getName().str();
      if (function.isDeclaration() || !function.hasLinkOnceODRLinkage()) continue;
      if (carries_arguments(name)) function.setVisibility(llvm::GlobalValue::DefaultVisibility);
      // Nobody outside a library sees its hidden functions; torch::headeronly is such a namespace.
      if (!function.hasDefaultVisibility()) continue;
      // The instantiations that warm.h alone asks for.
      if (has(name, "opsmith4warm")) continue;
      function.setLinkage(llvm::GlobalValue::WeakODRLinkage);
      out << (is_inlined(name) ? "+" : is_cold(name) ? "" : "-") << name << '\n';
    }
    return llvm::PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }
};

struct drop_pass : llvm::PassInfoMixin<drop_pass> {
  const names& shared;

  explicit drop_pass(const names& shared_names) : shared(shared_names) {}

  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    for (auto& function : module) {
      const auto name = function.getName().str();
      const bool inlined = shared.inlined.count(name) != 0;
      if (!inlined && shared.cold.count(name) == 0) continue;
      if (!function.isDeclaration()) {
        if (!function.hasLinkOnceODRLinkage()) continue;
        if (!inlined) {
          drop_body(function);
          continue;
        }
        function.setComdat(nullptr);
        function.setLinkage(llvm::GlobalValue::AvailableExternallyLinkage);
      }
      function.setVisibility(llvm::GlobalValue::DefaultVisibility);
      function.setDSOLocal(false);
    }
    return llvm::PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }
};

/// Goes through every function, instantiations included.
class marker : public clang::RecursiveASTVisitor<marker> {
 public:
  marker(clang::ASTContext& context, const names& shared, const std::function<bool()>& stop)
      : context_(context), shared_(shared), stop_(stop), mangler_(context.createMangleContext()) {}

  bool shouldVisitTemplateInstantiations() const { return true; }
  bool shouldVisitImplicitCode() const { return true; }
  /// Bodies hold local classes and lambdas at most: the pass sees to those.
  bool TraverseStmt(clang::Stmt*) { return true; }

  bool VisitDecl(clang::Decl*) {
    visited_ += 1;
    return visited_ % 64 != 0 || !stop_();
  }

  bool VisitFunctionDecl(clang::FunctionDecl* function) {
    if (!function->isThisDeclarationADefinition() && !function->isDefined()) return true;
    if (function->isTemplated() || !function->isInlined() || function->isConsteval()) return true;
    if (function->hasAttr<clang::AlwaysInlineAttr>() || function->hasAttr<clang::GNUInlineAttr>()) {
      return true;
    }
    if (function->getFormalLinkage() != clang::Linkage::External || !all_shared(function)) {
      return true;
    }
    // gnu_inline says that another unit has the definition; noinline, that this one needs none.
    for (auto* redeclaration : function->redecls()) {
      redeclaration->addAttr(clang::GNUInlineAttr::CreateImplicit(context_));
      redeclaration->addAttr(clang::NoInlineAttr::CreateImplicit(context_));
    }
    return true;
  }

 private:
  bool is_shared(clang::GlobalDecl declaration) {
    std::string name;
    llvm::raw_string_ostream out(name);
    mangler_->mangleName(declaration, out);
    return shared_.cold.count(name) != 0;
  }

  /// Constructors and destructors are several functions each, and any of them may be called.
  bool all_shared(clang::FunctionDecl* function) {
    if (auto* constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(function)) {
      return is_shared({constructor, clang::Ctor_Complete}) &&
             is_shared({constructor, clang::Ctor_Base});
    }
    if (auto* destructor = llvm::dyn_cast<clang::CXXDestructorDecl>(function)) {
      return is_shared({destructor, clang::Dtor_Complete}) &&
             is_shared({destructor, clang::Dtor_Base}) &&
             (!destructor->isVirtual() || is_shared({destructor, clang::Dtor_Deleting}));
    }
    return mangler_->shouldMangleDeclName(function) && is_shared(clang::GlobalDecl(function));
  }

  clang::ASTContext& context_;
  const names& shared_;
  const std::function<bool()>& stop_;
  std::unique_ptr<clang::MangleContext> mangler_;
  std::size_t visited_ = 0;
};

}  // namespace

names read_names(const std::string& file) {
  names result;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (line.rfind('+', 0) == 0) {
      result.inlined.insert(line.substr(1));
    } else if (line.rfind('-', 0) == 0) {
      result.seldom.insert(line.substr(1));
    } else {
      result.cold.insert(line);
    }
  }
  return result;
}

names of_device_code(names shared) {
  for (const auto& name : shared.seldom) {
    if (is_host_only(name)) shared.cold.insert(name);
  }
  return shared;
}

names without_hidden(names shared) {
  for (auto* set : {&shared.cold, &shared.inlined}) {
    for (auto name = set->begin(); name != set->end();)
      name = carries_arguments(*name) ? set->erase(name) : std::next(name);
  }
  return shared;
}

bool is_of_libtorch(const std::string& mangled) {
  return starts_with_any(
      mangled, {"_ZN5torch", "_ZNK5torch", "_ZNO5torch", "_ZNR5torch", "_ZN3c10", "_ZNK3c10",
                "_ZNR3c10", "_ZNKR3c10", "_ZNO3c10", "_ZN3ska", "_ZNK3ska"});
}

bool is_of_standard_library(const std::string& mangled) {
  return starts_with_any(mangled,
                         {"_ZNSt", "_ZNKSt", "_ZSt", "_ZN9__gnu_cxx", "_ZNK9__gnu_cxx", "_ZNSs"});
}

bool is_cold(const std::string& mangled) {
  if (has(mangled, "opsmith4warm")) return false;
  // x + y of tensors and numbers allocates: the call is nothing next to it.
  if (carries_arguments(mangled) ||
      starts_with_any(mangled, {"_ZN2atplE", "_ZN2atmiE", "_ZN2atmlE", "_ZN2atdvE", "_ZN2atngE"})) {
    return true;
  }
  // What a loop over elements or over tensors calls: tensors and their handles, shapes, numbers,
  // threads.
  if (starts_with_any(mangled, {"_ZN2at", "_ZNK2at", "_ZNR2at", "_ZNO2at"}) || is_in_loops(mangled))
    return false;
  if (is_of_libtorch(mangled)) return true;
  // Containers and strings of such: of plain numbers they may well be in a loop.
  if (!is_of_standard_library(mangled) && !has(mangled, "N3c10") && !has(mangled, "N5torch"))
    return false;
  return has(mangled, "N3c10") || has(mangled, "N5torch") || has(mangled, "N2at") ||
         has(mangled, "basic_string") || has(mangled, "N3ska");
}

void keep_shared_functions(llvm::PassBuilder& builder, const std::string& file) {
  builder.registerPipelineStartEPCallback(
      [file](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
        passes.addPass(keep_pass(file));
      });
}

void drop_body(llvm::Function& function) {
  function.setComdat(nullptr);
  function.deleteBody();
  function.setVisibility(llvm::GlobalValue::DefaultVisibility);
  function.setDSOLocal(false);
}

void drop_shared_functions(llvm::PassBuilder& builder, const names& shared) {
  builder.registerPipelineStartEPCallback(
      [&shared](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
        passes.addPass(drop_pass(shared));
        // What only they called need not be optimised either.
        passes.addPass(llvm::GlobalDCEPass());
      });
}

void mark_shared_functions(clang::CompilerInstance& compiler, const names& shared,
                           const std::function<bool()>& stop) {
  auto& context = compiler.getASTContext();
  marker(context, shared, stop).TraverseDecl(context.getTranslationUnitDecl());
}

}  // namespace opsmith::compile_server
