#pragma once

#include <string>

namespace opsmith {

/// Gives libtorch the virtual GPU as its device `cuda`. Before anything asks libtorch for CUDA,
/// makes a random number or runs a backward, which remember that there was none.
/// @param library absolute path of libopsmith_virtual_device.so, which stays loaded
/// @param kernel_variant "checked" or "counted": kernels were compiled for that, and report it
/// @throws Failure where it does not load, or libtorch has CUDA itself
void give_virtual_device(const std::string& library, const std::string& kernel_variant);

/// Keeps what checked or counted kernels did since the last time; on the thread that launches them.
void keep_kernel_report();

/// What was kept since the last question, a line of JSON for each time; "" where no kernel ran.
std::string take_kernel_reports();

/// Whether this process has it: then `cuda` is not a GPU.
bool has_virtual_device();

}  // namespace opsmith
