#pragma once

// Stands for libtorch's header, which asks for the driver's cuda.h and for device-side assertions.

#include <c10/cuda/CUDAMacros.h>
#include <c10/macros/Macros.h>
#include <c10/util/Exception.h>
#include <c10/util/irange.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace c10 {

class C10_CUDA_API CUDAError : public c10::Error {
  using Error::Error;
};

}  // namespace c10

namespace c10::cuda {

/// Throws "CUDA error: …" with what the virtual GPU knows about it, unless `error` is cudaSuccess.
C10_CUDA_API void check_result(cudaError_t error, const char* function, const char* file,
                               uint32_t line);

}  // namespace c10::cuda

#define C10_CUDA_CHECK(EXPR)                                       \
  do {                                                             \
    const cudaError_t error_of_call = EXPR;                        \
    if (C10_UNLIKELY(error_of_call != cudaSuccess))                \
      ::c10::cuda::check_result(error_of_call, __func__, __FILE__, \
                                static_cast<uint32_t>(__LINE__));  \
  } while (0)

#define C10_CUDA_CHECK_WARN(EXPR)                                      \
  do {                                                                 \
    const cudaError_t error_of_call = EXPR;                            \
    if (C10_UNLIKELY(error_of_call != cudaSuccess)) {                  \
      (void)cudaGetLastError();                                        \
      TORCH_WARN("CUDA warning: ", cudaGetErrorString(error_of_call)); \
    }                                                                  \
  } while (0)

#define C10_CUDA_ERROR_HANDLED(EXPR) EXPR

#define C10_CUDA_IGNORE_ERROR(EXPR)                      \
  do {                                                   \
    if ((EXPR) != cudaSuccess) (void)cudaGetLastError(); \
  } while (0)

#define C10_CUDA_CLEAR_ERROR() (void)cudaGetLastError()

#define C10_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_CHECK(cudaGetLastError())
