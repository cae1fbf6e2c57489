// What clangd reads before a CUDA source, in clang's CUDA mode (-x cuda --cuda-host-only): nobody
// has rewritten the source for it. All functions that follow are for host and device, those of the
// C++ library and of libtorch too, except where a word of CUDA's says other.
#pragma once

#include "opsmith/gpu/macros.h"

// libtorch's headers are read as they are compiled here: as the host's.
#undef __CUDACC__
#undef __CUDA__

// clang declares operator new, and its headers for CUDA use malloc, as the host's. std::exception
// is overridden by what follows.
#pragma clang force_cuda_host_device begin
#if __has_include(<bits/exception.h>)
#include <bits/exception.h>
#endif
#pragma clang force_cuda_host_device end
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <new>
#pragma clang force_cuda_host_device begin

#include "cuda_runtime.h"

// What clang calls for a launch.
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared_bytes = 0,
                                     cudaStream_t stream = nullptr);
