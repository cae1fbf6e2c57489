#pragma once

#include <c10/core/Device.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <c10/core/Stream.h>
#include <c10/util/Exception.h>

struct CUstream_st;

/// Of libtorch's CUDA library. Weak: a CPU build has no such function, and the library loads all
/// the same.
extern "C" __attribute__((weak)) int32_t aoti_torch_get_current_cuda_stream(int32_t device_index,
                                                                            void** ret_stream);

namespace opsmith_gpu_check {

/// A stream knows its own handle from libtorch 2.10 on.
template <typename stream>
auto native_handle(const stream& current, int /*preferred*/) -> decltype(current.native_handle()) {
  return current.native_handle();
}

template <typename stream>
void* native_handle(const stream& current, long /*otherwise*/) {
  void* handle = nullptr;
  const bool found = aoti_torch_get_current_cuda_stream != nullptr &&
                     aoti_torch_get_current_cuda_stream(current.device_index(), &handle) == 0;
  TORCH_CHECK(found, "this libtorch has no CUDA streams");
  return handle;
}

/// The stream that libtorch works on now, without its headers for CUDA, which a CPU build lacks.
inline CUstream_st* current_stream(c10::Device device) {
  const c10::Stream stream = c10::impl::VirtualGuardImpl(device.type()).getStream(device);
  return static_cast<CUstream_st*>(native_handle(stream, 0));
}

}  // namespace opsmith_gpu_check
