#pragma once

// libtorch's own, which is generated when it is built, is missing from CPU builds.
#define C10_CUDA_BUILD_SHARED_LIBS
