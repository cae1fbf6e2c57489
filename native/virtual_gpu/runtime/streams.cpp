#include "streams.h"

#include <memory>
#include <mutex>
#include <unordered_map>

#include "checks.h"
#include "cuda_runtime_api.h"
#include "errors.h"
#include "opsmith/gpu/device.h"

namespace opsmith::gpu {

namespace {

std::mutex guard;
std::unordered_map<cudaStream_t, std::unique_ptr<CUstream_st>> streams;
std::unordered_map<cudaEvent_t, std::unique_ptr<CUevent_st>> events;
std::uint64_t made = 0;

bool is_own(cudaStream_t stream) {
  return stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
}

CUevent_st* find_event(cudaEvent_t event) {
  const std::lock_guard lock(guard);
  const auto found = events.find(event);
  return found == events.end() ? nullptr : found->second.get();
}

}  // namespace

bool is_stream(cudaStream_t stream) {
  if (is_own(stream)) return true;
  const std::lock_guard lock(guard);
  return streams.contains(stream);
}

std::uint64_t stream_number(cudaStream_t stream) { return is_own(stream) ? 0 : stream->number; }

}  // namespace opsmith::gpu

using namespace opsmith::gpu;
using opsmith::gpu::checked::StreamEvent;

cudaError_t cudaStreamCreate(cudaStream_t* stream) { return cudaStreamCreateWithFlags(stream, 0); }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  if (stream == nullptr || flags > cudaStreamNonBlocking) return failed(cudaErrorInvalidValue);
  auto own = std::make_unique<CUstream_st>();
  own->flags = flags;
  own->priority = priority;
  own->device = current_device();
  const std::lock_guard lock(guard);
  own->number = ++made;
  *stream = own.get();
  streams.emplace(*stream, std::move(own));
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  const std::lock_guard lock(guard);
  return streams.erase(stream) == 1 ? cudaSuccess : failed(cudaErrorInvalidResourceHandle);
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream, Site) {
  if (!is_stream(stream)) return failed(cudaErrorInvalidResourceHandle);
  if (checking) checked::stream_event(StreamEvent::synchronize_stream, stream, nullptr);
  return sticky_error();
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  if (!is_stream(stream)) return failed(cudaErrorInvalidResourceHandle);
  if (checking) checked::stream_event(StreamEvent::synchronize_stream, stream, nullptr);
  return sticky_error();
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  if (!is_stream(stream) || find_event(event) == nullptr)
    return failed(cudaErrorInvalidResourceHandle);
  if (checking) checked::stream_event(StreamEvent::wait_for_event, stream, event);
  return cudaSuccess;
}
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  if (!is_stream(stream)) return failed(cudaErrorInvalidResourceHandle);
  *flags = stream_number(stream) == 0 ? 0 : stream->flags;
  return cudaSuccess;
}
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  if (!is_stream(stream)) return failed(cudaErrorInvalidResourceHandle);
  *priority = stream_number(stream) == 0 ? 0 : stream->priority;
  return cudaSuccess;
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback,
                                  void* user_data, unsigned) {
  if (!is_stream(stream)) return failed(cudaErrorInvalidResourceHandle);
  callback(stream, sticky_error(), user_data);
  return cudaSuccess;
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* user_data) {
  if (!is_stream(stream)) return failed(cudaErrorInvalidResourceHandle);
  function(user_data);
  return cudaSuccess;
}
cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void*, std::size_t, unsigned) {
  return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, 0); }
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  if (event == nullptr) return failed(cudaErrorInvalidValue);
  auto own = std::make_unique<CUevent_st>();
  own->flags = flags;
  const std::lock_guard lock(guard);
  own->number = ++made;
  *event = own.get();
  events.emplace(*event, std::move(own));
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  const std::lock_guard lock(guard);
  return events.erase(event) == 1 ? cudaSuccess : failed(cudaErrorInvalidResourceHandle);
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  CUevent_st* own = find_event(event);
  if (own == nullptr || !is_stream(stream)) return failed(cudaErrorInvalidResourceHandle);
  if (sticky_error() != cudaSuccess) return sticky_error();
  own->recorded = true;
  own->nanoseconds = global_nanoseconds();
  if (checking) checked::stream_event(StreamEvent::record_event, stream, event);
  return cudaSuccess;
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) {
  return cudaEventRecord(event, stream);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  if (find_event(event) == nullptr) return failed(cudaErrorInvalidResourceHandle);
  if (checking) checked::stream_event(StreamEvent::synchronize_event, nullptr, event);
  return sticky_error();
}
cudaError_t cudaEventQuery(cudaEvent_t event) { return cudaEventSynchronize(event); }
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  const CUevent_st* from = find_event(begin);
  const CUevent_st* to = find_event(end);
  if (from == nullptr || to == nullptr || !from->recorded || !to->recorded ||
      ((from->flags | to->flags) & cudaEventDisableTiming) != 0)
    return failed(cudaErrorInvalidResourceHandle);
  const auto nanoseconds =
      static_cast<std::int64_t>(to->nanoseconds) - static_cast<std::int64_t>(from->nanoseconds);
  *milliseconds = static_cast<float>(static_cast<double>(nanoseconds) / 1e6);
  return cudaSuccess;
}
