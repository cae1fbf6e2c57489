#pragma once

#include <string>

namespace opsmith {

/// Gives libtorch the virtual GPU as its device `cuda`. Before anything asks libtorch for CUDA,
/// makes a random number or runs a backward, which remember that there was none.
/// @param library absolute path of libopsmith_virtual_device.so, which stays loaded
/// @throws Failure where it does not load, or libtorch has CUDA itself
void give_virtual_device(const std::string& library);

/// Whether this process has it: then `cuda` is not a GPU.
bool has_virtual_device();

}  // namespace opsmith
