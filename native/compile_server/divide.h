#pragma once

// Two processes make the code of a source, where there are two cores: one makes what runs often
// (often.h), such as kernels, and the other one makes the rest. The linker joins what they make to
// one object.

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace llvm {
class Function;
class Module;
}  // namespace llvm

namespace opsmith::compile_server {

/// Tells the functions of a module apart; such functions must call none that is not.
using is_often_run = std::function<bool(const llvm::Function&)>;

/// Divides a module between this process and a copy of it: what runs often stays here. Each
/// function and variable is then in one of both, and the other one declares it.
/// @param unique what internal functions and variables of both get after their names: another
///   source may have the same ones
/// @param make_rest called in the copy; must not return
/// @returns the copy's process; 0 where the module was not divided, and is as it was
pid_t divide(llvm::Module& module, const is_often_run& runs_often, const std::string& unique,
             const std::function<void(llvm::Module&)>& make_rest);

/// Where the objects of both parts go, before they are joined to `object`.
std::string often_object(const std::string& object);
std::string rest_object(const std::string& object);

/// Waits for the rest's object and joins both.
/// @param rest what divide() returned
/// @param linker its program and flags for a relocatable link
/// @returns the exit code of a compile. Where the copy was ended by a signal, or the link failed,
///   this process ends by a signal too: whoever asked takes that for a compiler that crashed.
int join_parts(pid_t rest, const std::vector<std::string>& linker, const std::string& object);

}  // namespace opsmith::compile_server
