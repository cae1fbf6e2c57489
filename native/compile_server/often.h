#pragma once

// A hot build is for looking at results, and the plain build that follows is the one that is timed.
// So it optimises what runs often: loops, and kernels of the virtual GPU, with all that they call.
// Most of the rest of a source runs once for each call of an operator, and calls libtorch.

#include <sys/types.h>

#include <functional>
#include <string>

#include "shared_code.h"

namespace llvm {
class Module;
}

namespace opsmith::compile_server {

/// What is known of a source when the passes run.
struct source_code {
  /// It has kernels of the virtual GPU.
  bool is_device_code = false;
  /// Empty: one process makes all of its code. Otherwise two may (divide.h), and this is `unique`.
  std::string divided_as;
  /// Makes the object of what does not run often. Does not return.
  std::function<void(llvm::Module&)> make_rest;
  /// The same for a source of which nothing runs often: the whole object.
  std::function<void(llvm::Module&)> make_all;
  pid_t rest = 0;  ///< the process that runs `make_rest`
};

/// Optimises what runs often, and nothing else. What else is in the library of shared code is
/// called there.
void optimize_often(llvm::PassBuilder& builder, source_code& source, const names& shared);

}  // namespace opsmith::compile_server
