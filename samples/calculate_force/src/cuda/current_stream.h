#pragma once

#include <c10/core/Device.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <c10/core/Stream.h>

struct CUstream_st;

/// Of libtorch's CUDA library, in its C interface that stays as it is. Weak: where libtorch is a
/// CPU build there is no such function, and this library loads all the same.
extern "C" __attribute__((weak)) int32_t aoti_torch_get_current_cuda_stream(int32_t device_index,
                                                                            void** ret_stream);

namespace calc_ops {

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
  TORCH_CHECK(found, "calculateForce: this libtorch has no CUDA streams. Use a CUDA build");
  return handle;
}

/// The stream that PyTorch works on now. By the device's own interface, which every libtorch has:
/// c10/cuda/CUDAStream.h would tie the library to builds with CUDA.
inline CUstream_st* current_stream(c10::Device device) {
  const c10::Stream stream = c10::impl::VirtualGuardImpl(device.type()).getStream(device);
  return static_cast<CUstream_st*>(native_handle(stream, 0));
}

}  // namespace calc_ops
