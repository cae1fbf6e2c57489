// CUDA's __half and __half2.
#pragma once

#include <math.h>

#include "opsmith/gpu/short_float.h"
#include "vector_types.h"

struct __nv_bfloat16;

namespace c10 {
struct Half;
}

#define OPSMITH_TYPE __half
#define OPSMITH_TYPE2 __half2
#define OPSMITH_RAW __half_raw
#define OPSMITH_RAW2 __half2_raw
#define OPSMITH_FORMAT Binary16
#define OPSMITH_TORCH c10::Half
#define OPSMITH_TORCH_EXPLICIT
#define OPSMITH_OTHER __nv_bfloat16
#define OPSMITH_FROM(TYPE, SUFFIX) __##TYPE##2##half##SUFFIX
#define OPSMITH_TO(TYPE) __half2##TYPE
#define OPSMITH_NAME(BEFORE, AFTER) BEFORE##half##AFTER
#define OPSMITH_SAME2 __half2half2
#ifdef __CUDA_NO_HALF_CONVERSIONS__
#define OPSMITH_CONVERSIONS 0
#else
#define OPSMITH_CONVERSIONS 1
#endif
#ifdef __CUDA_NO_HALF_OPERATORS__
#define OPSMITH_OPERATORS 0
#else
#define OPSMITH_OPERATORS 1
#endif
#ifdef __CUDA_NO_HALF2_OPERATORS__
#define OPSMITH_OPERATORS2 0
#else
#define OPSMITH_OPERATORS2 1
#endif
#include "opsmith/gpu/short_float_type.h"

#ifndef CUDA_NO_HALF
using half = __half;
using half2 = __half2;
using nv_half = __half;
using nv_half2 = __half2;
#endif
using __nv_half = __half;
using __nv_half2 = __half2;
using __nv_half_raw = __half_raw;
using __nv_half2_raw = __half2_raw;

#define CUDART_INF_FP16 __ushort_as_half(0x7c00)
#define CUDART_NAN_FP16 __ushort_as_half(0x7fff)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half(0x0001)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half(0x7bff)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half(0x8000)
#define CUDART_ZERO_FP16 __ushort_as_half(0x0000)
#define CUDART_ONE_FP16 __ushort_as_half(0x3c00)
