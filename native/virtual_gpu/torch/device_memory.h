#pragma once

#include <cstddef>

/// Device memory of the virtual GPU, as libtorch's virtual CUDA device asks for it. The virtual
/// GPU's runtime implements these functions on its arena; standalone/runtime.cpp does where there
/// is no runtime.
#pragma GCC visibility push(default)
namespace opsmith::gpu {

/// Memory of a device, aligned to 512 bytes as cudaMalloc aligns it. Null where memory runs out.
void* allocate(size_t bytes, int device);

/// Frees what `allocate` returned. Kernels that were launched earlier may still use the block:
/// whoever runs kernels later than their launch must wait for them here.
void release(void* data);

/// The device whose block holds this address; -1 for memory of the host.
int device_of(const void* address);

/// A kernel of libtorch's own wrote these bytes, which no instrumented kernel saw.
void mark_written(const void* address, size_t bytes);

}  // namespace opsmith::gpu
#pragma GCC visibility pop
