// The device that the virtual GPU claims to be: what its limits follow from.
#pragma once

#include <cstddef>

namespace opsmith::gpu::model {

// Compute capability 8.0 (CUDA C++ Programming Guide, table of technical specifications).
constexpr int major = 8;
constexpr int minor = 0;
constexpr unsigned threads_per_block = 1024;
constexpr unsigned block_dim_z = 64;
constexpr unsigned grid_dim_x = 2147483647;
constexpr unsigned grid_dim_yz = 65535;
constexpr std::size_t shared_per_block = 48 * 1024;
constexpr std::size_t shared_per_block_opt_in = 163 * 1024;
constexpr std::size_t shared_per_multiprocessor = 164 * 1024;
constexpr std::size_t shared_reserved_per_block = 1024;
/** Shared memory is handed out in multiples of this. */
constexpr std::size_t shared_granularity = 128;
constexpr int threads_per_multiprocessor = 2048;
constexpr int blocks_per_multiprocessor = 32;
/** Few, so that cooperative launches of "as many blocks as fit" stay affordable. */
constexpr int multiprocessors = 8;

}  // namespace opsmith::gpu::model
