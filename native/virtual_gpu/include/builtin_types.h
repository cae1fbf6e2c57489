// A part of CUDA's runtime header, which is one here.
#pragma once

#include "cuda_runtime.h"
