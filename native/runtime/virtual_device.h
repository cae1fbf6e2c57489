#pragma once

#include <string>

namespace opsmith {

/// Gives libtorch the virtual GPU as its device `cuda`. Before anything asks libtorch for CUDA,
/// makes a random number or runs a backward, which remember that there was none.
/// @param library absolute path of libopsmith_virtual_device.so, which stays loaded
/// @param kernel_variant "checked" or "counted": kernels were compiled for that, and report it
/// @throws Failure where it does not load, or libtorch has CUDA itself
void give_virtual_device(const std::string& library, const std::string& kernel_variant);

/// Whether kernels are checked or counted. What is known of them is of one host thread at a time.
bool observes_kernels();

/// Whether they are checked.
bool checks_kernels();

/// Whether checked kernels did something wrong since their report was kept last; on the thread that
/// launches them.
bool has_kernel_findings();

/// Whether the same call may give other results: a checked kernel left other values in memory when
/// its blocks and warps ran in another order. On the thread that launches kernels.
bool results_may_differ();

/// Calls that should give the same did not: checked kernels that depend on the order in which their
/// blocks and warps run are findings.
void results_differ();

/// Keeps what checked or counted kernels did since the last time; on the thread that launches them.
/// @returns the same as a line of JSON; "" where no kernel ran
std::string keep_kernel_report();

/// What was kept since the last question, a line of JSON for each time; "" where no kernel ran.
std::string take_kernel_reports();

/// Whether this process has it: then `cuda` is not a GPU.
bool has_virtual_device();

}  // namespace opsmith
