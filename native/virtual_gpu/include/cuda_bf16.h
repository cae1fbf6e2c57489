// CUDA's __nv_bfloat16 and __nv_bfloat162.
#pragma once

#include <math.h>

#include "cuda_fp16.h"
#include "opsmith/gpu/short_float.h"
#include "vector_types.h"

namespace c10 {
struct BFloat16;
}

#define OPSMITH_TYPE __nv_bfloat16
#define OPSMITH_TYPE2 __nv_bfloat162
#define OPSMITH_RAW __nv_bfloat16_raw
#define OPSMITH_RAW2 __nv_bfloat162_raw
#define OPSMITH_FORMAT Bfloat16
#define OPSMITH_TORCH c10::BFloat16
// As libtorch's: comparisons of c10::BFloat16 would be ambiguous otherwise.
#define OPSMITH_TORCH_EXPLICIT explicit
#define OPSMITH_OTHER __half
#define OPSMITH_FROM(TYPE, SUFFIX) __##TYPE##2##bfloat16##SUFFIX
#define OPSMITH_TO(TYPE) __bfloat162##TYPE
#define OPSMITH_NAME(BEFORE, AFTER) BEFORE##bfloat16##AFTER
#define OPSMITH_SAME2 __bfloat162bfloat162
#ifdef __CUDA_NO_BFLOAT16_CONVERSIONS__
#define OPSMITH_CONVERSIONS 0
#else
#define OPSMITH_CONVERSIONS 1
#endif
#ifdef __CUDA_NO_BFLOAT16_OPERATORS__
#define OPSMITH_OPERATORS 0
#else
#define OPSMITH_OPERATORS 1
#endif
#ifdef __CUDA_NO_BFLOAT162_OPERATORS__
#define OPSMITH_OPERATORS2 0
#else
#define OPSMITH_OPERATORS2 1
#endif
#include "opsmith/gpu/short_float_type.h"

#ifndef CUDA_NO_BFLOAT16
using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;
#endif

#ifndef __CUDA_NO_HALF_CONVERSIONS__
inline __half::__half(__nv_bfloat16 value) : __half(opsmith::gpu::wide(value)) {}
#endif
#ifndef __CUDA_NO_BFLOAT16_CONVERSIONS__
inline __nv_bfloat16::__nv_bfloat16(__half value) : __nv_bfloat16(opsmith::gpu::wide(value)) {}
#endif

#define CUDART_INF_BF16 __ushort_as_bfloat16(0x7f80)
#define CUDART_NAN_BF16 __ushort_as_bfloat16(0x7fff)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16(0x0001)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16(0x7f7f)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16(0x8000)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16(0x0000)
#define CUDART_ONE_BF16 __ushort_as_bfloat16(0x3f80)
