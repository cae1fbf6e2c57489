#pragma once

// A source for the virtual GPU is kernels and the host's code around them, which calls libtorch
// once for each operator. A hot build has no time to optimise that: it is for looking at results,
// and the plain build that follows is the one that is timed.

#include <sys/types.h>

#include <functional>
#include <string>

#include "shared_code.h"

namespace llvm {
class Module;
}

namespace opsmith::compile_server {

/// What is known of a source when the passes run.
struct device_source {
  /// Other sources are optimised as a whole.
  bool is_device_code = false;
  /// Empty: one process makes all of its code. Otherwise two may (divide.h), and this is `unique`.
  std::string divided_as;
  /// Makes the host part's object, in a process of its own, and does not return.
  std::function<void(llvm::Module&)> make_host_part;
  pid_t host_part = 0;  ///< that process, once it runs
};

/// Optimises kernels and loops, with all that they call, and nothing else. What else is in the
/// library of shared code is called there.
void optimize_kernels_alone(llvm::PassBuilder& builder, device_source& source, const names& shared);

}  // namespace opsmith::compile_server
