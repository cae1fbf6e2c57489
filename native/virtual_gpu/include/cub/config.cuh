// CUB of the virtual GPU: https://nvidia.github.io/cccl/cub/
// Block and warp collectives use their TempStorage and barriers as CUB does, so that checks see the
// accesses. Device-wide algorithms are host loops.
#pragma once
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <opsmith/gpu/device.h>
#include <opsmith/gpu/lanes.h>

#define CUB_VERSION 200700
#define CUB_MAJOR_VERSION (CUB_VERSION / 100000)
#define CUB_MINOR_VERSION (CUB_VERSION / 100 % 1000)
#define CUB_SUBMINOR_VERSION (CUB_VERSION % 100)

#ifndef CUB_NS_PREFIX
#define CUB_NS_PREFIX
#endif
#ifndef CUB_NS_POSTFIX
#define CUB_NS_POSTFIX
#endif
#ifdef CUB_WRAPPED_NAMESPACE
#define CUB_NAMESPACE_BEGIN         \
  CUB_NS_PREFIX                     \
  namespace CUB_WRAPPED_NAMESPACE { \
  namespace cub {
#define CUB_NAMESPACE_END \
  }                       \
  }                       \
  CUB_NS_POSTFIX
#define CUB_NS_QUALIFIER ::CUB_WRAPPED_NAMESPACE::cub
#else
#define CUB_NAMESPACE_BEGIN CUB_NS_PREFIX namespace cub {
#define CUB_NAMESPACE_END \
  }                       \
  CUB_NS_POSTFIX
#ifndef CUB_NS_QUALIFIER
#define CUB_NS_QUALIFIER ::cub
#endif
#endif

#define CUB_RUNTIME_FUNCTION
#define CUB_PTX_WARP_THREADS 32
#define CUB_PTX_LOG_WARP_THREADS 5
#define CUB_WARP_THREADS(ARCH) 32
#define CUB_LOG_WARP_THREADS(ARCH) 5
#define CUB_IS_DEVICE_CODE 0
