#pragma once

// Most of what a small operator costs the optimiser is not its own: registering a function, or an
// autograd::Function, pulls hundreds of inline functions of libtorch through it in every build.
// They are compiled once into a library (libopsmith_shared_code.so), and where they are called is
// all that a hot build emits of them. What a kernel's inner loop may call stays inline; of handles
// of tensors, which every operator has, no copy is emitted besides.

#include <functional>
#include <string>
#include <unordered_set>

namespace llvm {
class Function;
class PassBuilder;
}  // namespace llvm
namespace clang {
class CompilerInstance;
class Sema;
}  // namespace clang

namespace opsmith::compile_server {

/// Mangled names of the functions that the library of shared code defines.
struct names {
  /// Called there.
  std::unordered_set<std::string> cold;
  /// Inlined as ever; called there where they are not.
  std::unordered_set<std::string> inlined;
  /// Called there by code that runs seldom (often.h); compiled as ever otherwise.
  std::unordered_set<std::string> seldom;
};

/// Reads a file of names, a line each. A + marks those that are inlined, a - those of `seldom`.
/// Empty where there is no file.
names read_names(const std::string& file);

/// The names for a server of device code. No code is generated of functions of `seldom` that
/// kernels never call.
names of_device_code(names shared);

/// Those that a compiler without this server's passes finds in the library: a declaration that is
/// hidden, as all of Opsmith's own are, must be defined where it is called.
names without_hidden(names shared);

/// Whether a function is of torch:: or c10::, by its own mangled name.
bool is_of_libtorch(const std::string& mangled);

bool is_of_standard_library(const std::string& mangled);

/// Whether a function runs too seldom for its inlining to matter, by its mangled name.
bool is_cold(const std::string& mangled);

/// Makes of this module the library of shared code: every function in it that can be shared is
/// emitted, whether called or not, and its name written to `file`.
void keep_shared_functions(llvm::PassBuilder& builder, const std::string& file);

/// Leaves the shared functions out of this module: their callers find them in the library.
void drop_shared_functions(llvm::PassBuilder& builder, const names& shared);

/// Leaves the body of a function out of its module: callers find it in the library of shared code.
void drop_body(llvm::Function& function);

/// Marks the shared functions that are known to the compiler already, so that no code is generated
/// of them at all; drop_shared_functions sees to those that templates of the user's source ask for
/// later, and to all that are not marked yet. On the way, every declaration of a precompiled header
/// is read.
/// @param stop asked between declarations; true ends it
void mark_shared_functions(clang::CompilerInstance& compiler, const names& shared,
                           const std::function<bool()>& stop);

}  // namespace opsmith::compile_server
