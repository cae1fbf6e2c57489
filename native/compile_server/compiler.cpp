#include "compiler.h"

#include <utility>

#include <clang/Basic/Diagnostic.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/Utils.h>

namespace opsmith::compile_server {

clang::CompilerInstance* new_compiler(const std::vector<const char*>& arguments) {
  clang::CreateInvocationOptions options;
  options.Diags = clang::CompilerInstance::createDiagnostics(new clang::DiagnosticOptions());
  auto invocation = clang::createInvocation(arguments, options);
  if (!invocation) return nullptr;
  auto* compiler = new clang::CompilerInstance;
  compiler->setInvocation(std::move(invocation));
  compiler->createDiagnostics();
  if (!compiler->hasDiagnostics()) return nullptr;
  compiler->createFileManager();
  compiler->getFrontendOpts().DisableFree = true;
  return compiler;
}

}  // namespace opsmith::compile_server
