// Which work comes before which: streams, events and the host, as vector clocks (Fidge 1988,
// Mattern 1989). Each operation of a stream has a number; a clock says how far each stream is known
// to be.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "driver_types.h"
#include "opsmith/gpu/device.h"

namespace opsmith::gpu {

using Clock = std::vector<std::uint64_t>;  // by stream number

/** An operation of a stream: a launch, a copy, a fill. */
struct StreamOperation {
  std::uint64_t stream = 0;
  std::uint64_t number = 0;  // within its stream, from 1
  Site site;
};

class StreamOrder {
 public:
  /** Begins an operation, and gives its index. */
  std::uint32_t begin(cudaStream_t stream, Site site);
  /** The host waits until the operation is done: a copy that is not asynchronous. */
  void host_waits(std::uint32_t operation);
  void host_waits_for_stream(cudaStream_t stream);
  void host_waits_for_all();
  void record(cudaEvent_t event, cudaStream_t stream);
  void wait(cudaStream_t stream, cudaEvent_t event);
  void host_waits_for_event(cudaEvent_t event);

  /** True if `earlier` is done when `later` begins. Only the newest operation may be `later`. */
  bool is_before(std::uint32_t earlier, std::uint32_t later) const;
  /** True if the host knows that the operation is done. */
  bool host_knows(std::uint32_t operation) const;
  const StreamOperation& operation(std::uint32_t index) const { return operations_[index]; }
  std::uint32_t newest() const { return static_cast<std::uint32_t>(operations_.size()) - 1; }

 private:
  struct Stream {
    Clock clock;
    bool is_blocking = true;
    std::uint64_t operations = 0;
  };

  Stream& stream_of(cudaStream_t stream);
  static void take(Clock& clock, const Clock& other);
  static std::uint64_t at(const Clock& clock, std::uint64_t stream) {
    return stream < clock.size() ? clock[stream] : 0;
  }

  std::vector<StreamOperation> operations_{StreamOperation{}};
  std::unordered_map<std::uint64_t, Stream> streams_;
  std::unordered_map<std::uint64_t, Clock> events_;
  Clock host_;
  Clock newest_;  // what the newest operation waited for
};

}  // namespace opsmith::gpu
