#pragma once

// libtorch's CUDA build generates this header; its CPU build has none.
#define C10_CUDA_BUILD_SHARED_LIBS
