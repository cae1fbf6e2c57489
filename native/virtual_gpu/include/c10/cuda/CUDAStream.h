#pragma once

// Stands for libtorch's header: a c10::Stream with its cudaStream_t, without graph capture.

#include <c10/core/DeviceGuard.h>
#include <c10/core/Stream.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/util/Exception.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <functional>
#include <ostream>
#include <tuple>

namespace c10::cuda {

constexpr int max_compile_time_stream_priorities = 4;

class C10_CUDA_API CUDAStream {
 public:
  enum Unchecked { UNCHECKED };

  explicit CUDAStream(Stream stream) : stream_(stream) {
    TORCH_CHECK(stream.device_type() == DeviceType::CUDA, "Expected a CUDA stream, but got ",
                stream);
  }
  explicit CUDAStream(Unchecked, Stream stream) : stream_(stream) {}

  bool operator==(const CUDAStream& other) const noexcept { return stream_ == other.stream_; }
  bool operator!=(const CUDAStream& other) const noexcept { return stream_ != other.stream_; }

  operator cudaStream_t() const { return stream(); }
  operator Stream() const { return stream_; }
  cudaStream_t stream() const;
  Stream unwrap() const { return stream_; }

  DeviceType device_type() const { return DeviceType::CUDA; }
  DeviceIndex device_index() const { return stream_.device_index(); }
  Device device() const { return Device(DeviceType::CUDA, device_index()); }
  StreamId id() const { return stream_.id(); }

  bool query() const;
  void synchronize() const;
  int priority() const;
  /// The virtual GPU has no graph capture.
  bool is_capturing() const { return false; }

  StreamData3 pack3() const { return stream_.pack3(); }
  static CUDAStream unpack3(StreamId id, DeviceIndex device_index, DeviceType device_type) {
    return CUDAStream(Stream::unpack3(id, device_index, device_type));
  }
  static std::tuple<int, int> priority_range();

 private:
  Stream stream_;
};

C10_CUDA_API CUDAStream getStreamFromPool(bool isHighPriority = false, DeviceIndex device = -1);
C10_CUDA_API CUDAStream getStreamFromPool(int priority, DeviceIndex device = -1);
C10_CUDA_API CUDAStream getStreamFromExternal(cudaStream_t stream, DeviceIndex device);
C10_CUDA_API CUDAStream getDefaultCUDAStream(DeviceIndex device = -1);
C10_CUDA_API CUDAStream getCurrentCUDAStream(DeviceIndex device = -1);
C10_CUDA_API void setCurrentCUDAStream(CUDAStream stream);
C10_CUDA_API std::ostream& operator<<(std::ostream& out, const CUDAStream& stream);

}  // namespace c10::cuda

template <>
struct std::hash<c10::cuda::CUDAStream> {
  size_t operator()(c10::cuda::CUDAStream stream) const noexcept {
    return std::hash<c10::Stream>{}(stream.unwrap());
  }
};
