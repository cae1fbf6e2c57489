// The mathematics of CUDA C++ that the C library does not have, at global scope as nvcc has it.
#pragma once

// The wrappers of libstdc++ put the overloads of std::abs, std::pow, … at global scope too.
#include <math.h>
#include <stdlib.h>

#include "opsmith/gpu/integer_intrinsics.h"
#include "opsmith/gpu/macros.h"
#include "opsmith/gpu/math_functions.h"
#include "opsmith/gpu/rounding.h"
#include "opsmith/gpu/simd_intrinsics.h"
