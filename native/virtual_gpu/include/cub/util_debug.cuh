#pragma once
#include <cub/config.cuh>

#include <cstdio>
#include <cstdlib>

CUB_NAMESPACE_BEGIN

inline cudaError_t Debug(cudaError_t error, const char* file, int line) {
#ifdef CUB_STDERR
  if (error != cudaSuccess) {
    std::fprintf(stderr, "CUDA error %d [%s, %d]: %s\n", static_cast<int>(error), file, line,
                 cudaGetErrorString(error));
  }
#else
  static_cast<void>(file);
  static_cast<void>(line);
#endif
  return error;
}

CUB_NAMESPACE_END

#define CubDebug(e) CUB_NS_QUALIFIER::Debug((cudaError_t)(e), __FILE__, __LINE__)
#define CubDebugExit(e)                                                               \
  if (CUB_NS_QUALIFIER::Debug((cudaError_t)(e), __FILE__, __LINE__) != cudaSuccess) { \
    exit(1);                                                                          \
  }
