// Streams and events. Work is done when its call returns; what is left is who waited for whom.
#pragma once

#include <cstdint>

#include "driver_types.h"

struct CUstream_st {
  std::uint64_t number = 0;
  unsigned flags = 0;
  int priority = 0;
  int device = 0;
};

struct CUevent_st {
  std::uint64_t number = 0;
  unsigned flags = 0;
  bool recorded = false;
  std::uint64_t nanoseconds = 0;  // when it was recorded
};

namespace opsmith::gpu {

int current_device();
/** True if kernels of `device` may access memory of `memory_of`. */
bool peers_can_access(int device, int memory_of);

/** True if the handle is of a stream that lives, or one of CUDA's own. */
bool is_stream(cudaStream_t stream);
/** 0 for the default stream. */
std::uint64_t stream_number(cudaStream_t stream);

}  // namespace opsmith::gpu
