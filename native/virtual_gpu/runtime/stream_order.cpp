#include "stream_order.h"

#include <algorithm>

#include "streams.h"

namespace opsmith::gpu {

void StreamOrder::take(Clock& clock, const Clock& other) {
  if (clock.size() < other.size()) clock.resize(other.size());
  for (std::size_t index = 0; index < other.size(); ++index)
    clock[index] = std::max(clock[index], other[index]);
}

StreamOrder::Stream& StreamOrder::stream_of(cudaStream_t stream) {
  const std::uint64_t number = stream_number(stream);
  Stream& found = streams_[number];
  if (number != 0) found.is_blocking = (stream->flags & cudaStreamNonBlocking) == 0;
  return found;
}

std::uint32_t StreamOrder::begin(cudaStream_t stream, Site site) {
  const std::uint64_t number = stream_number(stream);
  Stream& own = stream_of(stream);
  take(own.clock, host_);
  if (number == 0) {
    // The default stream waits for all blocking ones, and they wait for it.
    for (const auto& [other, state] : streams_)
      if (other != 0 && state.is_blocking) take(own.clock, state.clock);
  } else if (own.is_blocking) {
    take(own.clock, streams_[0].clock);
  }
  newest_ = own.clock;
  if (own.clock.size() <= number) own.clock.resize(number + 1);
  own.clock[number] = ++own.operations;
  operations_.push_back({number, own.operations, site});
  return newest();
}

void StreamOrder::host_waits(std::uint32_t operation) {
  const StreamOperation& done = operations_[operation];
  take(host_, streams_[done.stream].clock);
}

void StreamOrder::host_waits_for_stream(cudaStream_t stream) {
  take(host_, stream_of(stream).clock);
}

void StreamOrder::host_waits_for_all() {
  for (const auto& [number, stream] : streams_)
    take(host_, stream.clock);
}

void StreamOrder::record(cudaEvent_t event, cudaStream_t stream) {
  Stream& own = stream_of(stream);
  Clock clock = own.clock;
  if (stream_number(stream) == 0)
    for (const auto& [other, state] : streams_)
      if (other != 0 && state.is_blocking) take(clock, state.clock);
  events_[event->number] = std::move(clock);
}

void StreamOrder::wait(cudaStream_t stream, cudaEvent_t event) {
  take(stream_of(stream).clock, events_[event->number]);
}

void StreamOrder::host_waits_for_event(cudaEvent_t event) {
  take(host_, events_[event->number]);
}

bool StreamOrder::is_before(std::uint32_t earlier, std::uint32_t later) const {
  const StreamOperation& first = operations_[earlier];
  const StreamOperation& second = operations_[later];
  if (first.stream == second.stream) return first.number <= second.number;
  return at(newest_, first.stream) >= first.number;
}

bool StreamOrder::host_knows(std::uint32_t operation) const {
  const StreamOperation& done = operations_[operation];
  return at(host_, done.stream) >= done.number;
}

}  // namespace opsmith::gpu
