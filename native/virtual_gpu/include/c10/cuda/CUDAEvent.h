#pragma once

// Stands for libtorch's header: an event that is made when it is first recorded, without sharing
// between processes.

#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/util/Exception.h>

#include <optional>
#include <utility>

namespace c10::cuda {

struct CUDAEvent {
  CUDAEvent() noexcept = default;
  explicit CUDAEvent(unsigned int flags) noexcept : flags_(flags) {}
  CUDAEvent(const CUDAEvent&) = delete;
  CUDAEvent& operator=(const CUDAEvent&) = delete;
  CUDAEvent(CUDAEvent&& other) noexcept { swap(other); }
  CUDAEvent& operator=(CUDAEvent&& other) noexcept {
    swap(other);
    return *this;
  }
  ~CUDAEvent() {
    if (event_ != nullptr) C10_CUDA_CHECK_WARN(cudaEventDestroy(event_));
  }

  operator cudaEvent_t() const { return event_; }
  cudaEvent_t event() const { return event_; }
  bool isCreated() const { return event_ != nullptr; }
  DeviceIndex device_index() const { return device_; }
  std::optional<Device> device() const {
    if (event_ == nullptr) return std::nullopt;
    return Device(DeviceType::CUDA, device_);
  }

  bool query() const {
    if (event_ == nullptr) return true;
    const cudaError_t result = cudaEventQuery(event_);
    if (result != cudaErrorNotReady) {
      C10_CUDA_CHECK(result);
      return true;
    }
    (void)cudaGetLastError();
    return false;
  }

  void record() { record(getCurrentCUDAStream()); }
  void recordOnce(const CUDAStream& stream) {
    if (!recorded_) record(stream);
  }
  void record(const CUDAStream& stream) {
    if (event_ == nullptr) {
      const CUDAGuard guard(stream.device_index());
      C10_CUDA_CHECK(cudaEventCreateWithFlags(&event_, flags_));
      device_ = stream.device_index();
    }
    TORCH_CHECK(device_ == stream.device_index(), "Event device ", device_,
                " does not match recording stream's device ", stream.device_index(), ".");
    const CUDAGuard guard(device_);
    C10_CUDA_CHECK(cudaEventRecord(event_, stream));
    recorded_ = true;
  }

  void block(const CUDAStream& stream) {
    if (event_ == nullptr) return;
    const CUDAGuard guard(stream.device_index());
    C10_CUDA_CHECK(cudaStreamWaitEvent(stream, event_, 0));
  }

  void synchronize() const {
    if (event_ != nullptr) C10_CUDA_CHECK(cudaEventSynchronize(event_));
  }

  float elapsed_time(const CUDAEvent& end) const {
    TORCH_CHECK_VALUE(
        (flags_ & cudaEventDisableTiming) == 0 && (end.flags_ & cudaEventDisableTiming) == 0,
        "Both events must be created with argument 'enable_timing=True'.");
    TORCH_CHECK_VALUE(recorded_ && end.recorded_,
                      "Both events must be recorded before calculating elapsed time.");
    float milliseconds = 0;
    C10_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, event_, end.event_));
    return milliseconds;
  }

 private:
  void swap(CUDAEvent& other) noexcept {
    std::swap(flags_, other.flags_);
    std::swap(device_, other.device_);
    std::swap(event_, other.event_);
    std::swap(recorded_, other.recorded_);
  }

  unsigned int flags_ = cudaEventDisableTiming;
  DeviceIndex device_ = -1;
  cudaEvent_t event_ = nullptr;
  bool recorded_ = false;
};

}  // namespace c10::cuda
