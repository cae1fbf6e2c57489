#pragma once

// A source for the virtual GPU is kernels and the host's code around them, which calls libtorch
// once for each operator. A hot build has no time to optimise that: it is for looking at results,
// and the plain build that follows is the one that is timed.

namespace llvm {
class PassBuilder;
}

namespace opsmith::compile_server {

/// Optimises kernels and loops, with all that they call, and nothing else.
/// @param is_device_code asked when the passes run: other sources are optimised as a whole
void optimize_kernels_alone(llvm::PassBuilder& builder, const bool& is_device_code);

}  // namespace opsmith::compile_server
