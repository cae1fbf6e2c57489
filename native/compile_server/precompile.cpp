#include "precompile.h"

#include <memory>
#include <utility>

#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Frontend/MultiplexConsumer.h>

#include "compiler.h"

namespace opsmith::compile_server {
namespace {

class mark_consumer : public clang::ASTConsumer {
 public:
  mark_consumer(clang::CompilerInstance& compiler, const names& shared)
      : compiler_(compiler), shared_(shared) {}

  void HandleTranslationUnit(clang::ASTContext&) override {
    mark_shared_functions(compiler_, shared_, [] { return false; });
  }

 private:
  clang::CompilerInstance& compiler_;
  const names& shared_;
};

class precompile_action : public clang::GeneratePCHAction {
 public:
  explicit precompile_action(const names& shared) : shared_(shared) {}

 protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef file) override {
    auto writer = GeneratePCHAction::CreateASTConsumer(compiler, file);
    if (!writer) return nullptr;
    // The one after the other: what is written is marked.
    std::vector<std::unique_ptr<clang::ASTConsumer>> both;
    both.push_back(std::make_unique<mark_consumer>(compiler, shared_));
    both.push_back(std::move(writer));
    return std::make_unique<clang::MultiplexConsumer>(std::move(both));
  }

 private:
  const names& shared_;
};

}  // namespace

int precompile(const std::vector<const char*>& arguments, const names& shared,
               const std::string& file) {
  auto* compiler = new_compiler(arguments);
  if (compiler == nullptr) return 2;
  auto& frontend = compiler->getFrontendOpts();
  frontend.OutputFile = file;
  frontend.ProgramAction = clang::frontend::GeneratePCH;
  precompile_action action(shared);
  return compiler->ExecuteAction(action) ? 0 : 1;
}

}  // namespace opsmith::compile_server
