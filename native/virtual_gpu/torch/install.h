#pragma once

#include <string>

namespace opsmith::gpu {

/// Gives a libtorch without CUDA its device `cuda`: the virtual GPU. Again is the same as once.
/// Call it before libtorch asks for CUDA or runs a backward, which remember that there was none.
/// @param reason why not, where it returns false: this libtorch has CUDA, or has already asked for
/// it
__attribute__((visibility("default"))) bool install_virtual_device(std::string* reason = nullptr);

}  // namespace opsmith::gpu

/// The same for who opens the library at run time.
/// @returns "" where it is installed, else the reason; stays as long as the library
extern "C" __attribute__((visibility("default"))) const char* opsmith_install_virtual_device();
