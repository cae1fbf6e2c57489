#include "divide.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

namespace opsmith::compile_server {
namespace {

using llvm::GlobalValue;

/// Which parts use a function or a variable.
struct users_of {
  bool often = false;
  bool rest = false;
};

users_of find_users(const GlobalValue& value, const is_often_run& runs_often) {
  users_of found;
  llvm::SmallPtrSet<const llvm::User*, 16> known;
  std::vector<const llvm::User*> waiting(value.user_begin(), value.user_end());
  while (!waiting.empty() && !(found.often && found.rest)) {
    const auto* user = waiting.back();
    waiting.pop_back();
    if (!known.insert(user).second) continue;
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(user);
    if (instruction != nullptr && instruction->getFunction()->hasAvailableExternallyLinkage()) {
      // Either part may inline it.
      found = {true, true};
    } else if (instruction != nullptr) {
      (runs_often(*instruction->getFunction()) ? found.often : found.rest) = true;
    } else if (const auto* function = llvm::dyn_cast<llvm::Function>(user)) {
      // A personality, or data before the code.
      (runs_often(*function) ? found.often : found.rest) = true;
    } else {
      // The initial value of a variable is in the rest. Where the variable is a constant, whoever
      // uses it may use its value.
      if (llvm::isa<GlobalValue>(user)) found.rest = true;
      waiting.insert(waiting.end(), user->user_begin(), user->user_end());
    }
  }
  return found;
}

/// Lets the other part find it.
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

/// Leaves a declaration of what the other part defines.
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

/// A text, for example: nobody asks for its address, and each part may have its own.
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

std::string often_object(const std::string& object) {
  return object + ".often.o";
}

std::string rest_object(const std::string& object) {
  return object + ".rest.o";
}

pid_t divide(llvm::Module& module, const is_often_run& runs_often, const std::string& unique,
             const std::function<void(llvm::Module&)>& make_rest) {
  if (!can_be_divided(module)) return 0;
  std::vector<llvm::Function*> of_often;
  std::vector<llvm::Function*> of_rest;
  for (auto& function : module) {
    if (function.isDeclaration() || function.hasAvailableExternallyLinkage()) continue;
    (runs_often(function) ? of_often : of_rest).push_back(&function);
  }
  if (of_often.empty() || of_rest.empty()) return 0;
  std::vector<llvm::GlobalVariable*> variables;
  std::vector<llvm::GlobalVariable*> lists;
  std::vector<GlobalValue*> of_both;
  for (auto* function : of_often) {
    if (find_users(*function, runs_often).rest) of_both.push_back(function);
  }
  for (auto& variable : module.globals()) {
    if (is_list(variable)) {
      lists.push_back(&variable);
      continue;
    }
    if (variable.isDeclaration() || variable.hasAvailableExternallyLinkage()) continue;
    if (may_be_twice(variable)) continue;
    variables.push_back(&variable);
    if (find_users(variable, runs_often).often) of_both.push_back(&variable);
  }

  const pid_t caller = getpid();
  const pid_t copy = fork();
  if (copy < 0) return 0;
  for (auto* value : of_both)
    share(*value, unique);
  if (copy == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != caller) _exit(1);
    for (auto* function : of_often)
      declare(*function);
    make_rest(module);
    std::abort();
  }
  for (auto* list : lists)
    list->eraseFromParent();
  for (auto* function : of_rest)
    declare(*function);
  for (auto* variable : variables)
    declare(*variable);
  return copy;
}

namespace {

/// As a compiler that crashes: whoever asked compiles in another way.
[[noreturn]] void crash() {
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

int join_parts(pid_t rest, const std::vector<std::string>& linker, const std::string& object) {
  // The errors that it found are in the log.
  if (wait_for(rest) != 0) return 1;
  std::vector<std::string> words = linker;
  words.insert(words.end(), {rest_object(object), often_object(object), "-o", object});
  std::vector<char*> arguments;
  for (auto& word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  // The server's allocator has settings that a short program is slower with.
  unsetenv("GLIBC_TUNABLES");
  const pid_t joining = vfork();
  if (joining == 0) {
    // It ends with this process, which a stop ends.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  if (joining < 0 || wait_for(joining) != 0) crash();
  return 0;
}

}  // namespace opsmith::compile_server
