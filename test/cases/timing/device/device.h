// A device of its own for tests of timing on devices: its memory is the host's, a stream of it is a
// thread that does one job after the other, and an event is the time at which that thread came to
// it.
#pragma once

#include <c10/core/Stream.h>

#include <functional>

namespace test_device {

constexpr int streams = 4;  // 0 is the default one, 1 is given for a stream of one's own

/// Puts a job at the end of a stream; while the stream is captured, at the end of the graph.
void enqueue(c10::StreamId stream, std::function<void()> job);
c10::StreamId current_stream();
void wait_for(c10::StreamId stream);
void wait_for_all();

}  // namespace test_device
