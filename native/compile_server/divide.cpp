#include "divide.h"

#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

namespace opsmith::compile_server {
namespace {

using llvm::GlobalValue;

/// Which halves use a function or a variable.
struct users_of {
  bool kernels = false;
  bool host = false;  ///< initial values of variables are the host's, too
};

users_of find_users(const GlobalValue& value, const is_kernel_code& is_of_kernels) {
  users_of found;
  llvm::SmallPtrSet<const llvm::User*, 16> known;
  std::vector<const llvm::User*> waiting(value.user_begin(), value.user_end());
  while (!waiting.empty() && !(found.kernels && found.host)) {
    const auto* user = waiting.back();
    waiting.pop_back();
    if (!known.insert(user).second) continue;
    if (const auto* instruction = llvm::dyn_cast<llvm::Instruction>(user)) {
      (is_of_kernels(*instruction->getFunction()) ? found.kernels : found.host) = true;
    } else if (const auto* function = llvm::dyn_cast<llvm::Function>(user)) {
      // A personality, or data before the code.
      (is_of_kernels(*function) ? found.kernels : found.host) = true;
    } else if (llvm::isa<GlobalValue>(user)) {
      found.host = true;
    } else {
      waiting.insert(waiting.end(), user->user_begin(), user->user_end());
    }
  }
  return found;
}

/// Lets the other half find it.
void share(GlobalValue& value, const std::string& unique) {
  if (value.hasLocalLinkage()) {
    // As clang names what it shares between the parts of a link: demanglers know it.
    value.setName(value.getName() + ".llvm." + unique);
    value.setLinkage(GlobalValue::ExternalLinkage);
    value.setVisibility(GlobalValue::HiddenVisibility);
    value.setDSOLocal(true);
  } else if (value.hasLinkOnceODRLinkage()) {
    value.setLinkage(GlobalValue::WeakODRLinkage);
  } else if (value.hasLinkOnceAnyLinkage()) {
    value.setLinkage(GlobalValue::WeakAnyLinkage);
  }
}

/// Leaves a declaration of what the other half defines.
void declare(llvm::Function& function) {
  function.setComdat(nullptr);
  function.deleteBody();
}

void declare(llvm::GlobalVariable& variable) {
  variable.setComdat(nullptr);
  // Of a constant the value may be used.
  const bool is_known = variable.isConstant() && variable.hasDefinitiveInitializer();
  variable.setLinkage(is_known ? GlobalValue::AvailableExternallyLinkage
                               : GlobalValue::ExternalLinkage);
  if (!is_known) variable.setInitializer(nullptr);
}

/// A text, for example: nobody asks for its address, and each half may have its own.
bool may_be_twice(const llvm::GlobalVariable& variable) {
  return variable.hasPrivateLinkage() && variable.isConstant() && variable.hasGlobalUnnamedAddr() &&
         !variable.hasComdat();
}

/// Lists that the linker puts together, of what is called at the start or is kept.
bool is_list(const llvm::GlobalVariable& variable) {
  return variable.hasAppendingLinkage() || variable.getName().starts_with("llvm.");
}

bool can_be_divided(const llvm::Module& module) {
  if (!module.alias_empty() || !module.ifunc_empty() || !module.getModuleInlineAsm().empty()) {
    return false;
  }
  for (const auto& function : module) {
    // Its name would not be its own.
    if (function.hasLocalLinkage() && function.hasComdat()) return false;
    for (const auto& block : function) {
      if (block.hasAddressTaken()) return false;
    }
  }
  for (const auto& variable : module.globals()) {
    if (variable.hasLocalLinkage() && variable.hasComdat()) return false;
  }
  return true;
}

}  // namespace

std::string kernels_object(const std::string& object) {
  return object + ".kernels.o";
}

std::string host_object(const std::string& object) {
  return object + ".host.o";
}

pid_t divide(llvm::Module& module, const is_kernel_code& is_of_kernels, const std::string& unique,
             const std::function<void(llvm::Module&)>& make_host_part) {
  if (!can_be_divided(module)) return 0;
  std::vector<llvm::Function*> of_kernels;
  std::vector<llvm::Function*> of_host;
  for (auto& function : module) {
    if (function.isDeclaration() || function.hasAvailableExternallyLinkage()) continue;
    (is_of_kernels(function) ? of_kernels : of_host).push_back(&function);
  }
  if (of_kernels.empty() || of_host.empty()) return 0;
  std::vector<llvm::GlobalVariable*> variables;
  std::vector<llvm::GlobalVariable*> lists;
  std::vector<GlobalValue*> of_both;
  for (auto* function : of_kernels) {
    if (find_users(*function, is_of_kernels).host) of_both.push_back(function);
  }
  for (auto& variable : module.globals()) {
    if (is_list(variable)) {
      lists.push_back(&variable);
      continue;
    }
    if (variable.isDeclaration() || variable.hasAvailableExternallyLinkage()) continue;
    if (may_be_twice(variable)) continue;
    variables.push_back(&variable);
    if (find_users(variable, is_of_kernels).kernels) of_both.push_back(&variable);
  }

  const pid_t caller = getpid();
  const pid_t copy = fork();
  if (copy < 0) return 0;
  for (auto* value : of_both)
    share(*value, unique);
  if (copy == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != caller) _exit(1);
    for (auto* function : of_kernels)
      declare(*function);
    make_host_part(module);
    std::abort();
  }
  for (auto* list : lists)
    list->eraseFromParent();
  for (auto* function : of_host)
    declare(*function);
  for (auto* variable : variables)
    declare(*variable);
  return copy;
}

namespace {

/// As a compiler that crashes: whoever asked compiles in another way.
[[noreturn]] void crash() {
  signal(SIGKILL, SIG_DFL);
  kill(getpid(), SIGKILL);
  std::abort();
}

/// @returns the exit code
int wait_for(pid_t process) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) crash();
  }
  if (!WIFEXITED(status)) crash();
  return WEXITSTATUS(status);
}

}  // namespace

int join_parts(pid_t host, const std::vector<std::string>& linker, const std::string& object) {
  // What is wrong with the host part was said to the log of both.
  if (wait_for(host) != 0) return 1;
  std::vector<std::string> words = linker;
  words.insert(words.end(), {host_object(object), kernels_object(object), "-o", object});
  std::vector<char*> arguments;
  for (auto& word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t joining = -1;
  if (posix_spawn(&joining, arguments[0], nullptr, nullptr, arguments.data(), environ) != 0) {
    crash();
  }
  if (wait_for(joining) != 0) crash();
  return 0;
}

}  // namespace opsmith::compile_server
