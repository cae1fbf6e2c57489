#pragma once

#include <ATen/core/Generator.h>
#include <ATen/cuda/CUDAGeneratorImpl.h>

namespace opsmith::gpu {

/// A generator for one call of a CPU kernel. Its numbers depend on the CUDA generator's seed and
/// offset alone, so setting that state repeats them; the offset moves on.
at::Generator cpu_generator_for(const at::Generator& generator);

}  // namespace opsmith::gpu
