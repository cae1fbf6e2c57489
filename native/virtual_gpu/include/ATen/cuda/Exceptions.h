#pragma once

// Stands for libtorch's header, without the checks of cuBLAS, cuSPARSE, cuSOLVER and the driver's
// functions.

#include <ATen/Context.h>
#include <c10/cuda/CUDAException.h>
#include <c10/util/Exception.h>

#define AT_CUDA_CHECK(EXPR) C10_CUDA_CHECK(EXPR)
