#pragma once

// Stands for libtorch's header, which operators include for at::cuda::philox::unpack. There is no
// graph capture.

#include <ATen/cuda/CUDAGeneratorImpl.h>
#include <c10/cuda/CUDAGuard.h>
#include <ATen/cuda/PhiloxUtils.cuh>

#include <string>

namespace at::cuda {

inline void assertNotCapturing(const std::string&) {}

}  // namespace at::cuda
