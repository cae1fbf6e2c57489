#pragma once

#include <cuda_runtime.h>

#include <cstddef>

/// Device memory of the virtual GPU's runtime, as libtorch's virtual CUDA device needs it.
namespace opsmith::gpu {

/// Null if memory runs out.
void* allocate_for_torch(size_t bytes, int device);
void release_from_torch(void* data);

/// The device whose memory holds this address; -1 for memory of the host.
int device_of(const void* address);

/// An error of a kernel or of a call that nobody has asked for.
bool has_error();

/// Others than the program look at its errors now: those that it ignored are findings.
void report_ignored_errors();

/// The program's accesses to device memory are checked.
bool has_checks();

/// A kernel of libtorch's own wrote these bytes in the stream's order; no instrumented kernel saw
/// it.
void mark_written(void* address, size_t bytes, cudaStream_t stream);

}  // namespace opsmith::gpu
