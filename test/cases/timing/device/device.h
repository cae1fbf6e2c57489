// A device of its own for tests: its memory is out of the host's reach (memory.h), a stream of it is a thread
// that does one job after the other, and an event is the time at which that thread came to it. Where CUDA is
// strict it is too: it is of no use in a copy of the process (fork), after a fault everything fails, a stream
// takes so many launches and no more, and times come in steps of half a microsecond. Of the environment:
//   TEST_DEVICE_GONE     a file; while it is there the device is not
//   TEST_DEVICE_IS_CUDA  set: it says that it is CUDA's device of its number, and NVML (of tests) can ask it whether it works
#pragma once

#include <c10/core/Stream.h>

#include <functional>
#include <string>

namespace test_device {

constexpr int streams = 4;  // 0 is the default one, 1 is given for a stream of one's own
constexpr size_t launch_queue = 1024;

/// Puts a job at the end of a stream; while the stream is captured, at the end of the graph.
void enqueue(c10::StreamId stream, std::function<void()> job);
c10::StreamId current_stream();
/// As CUDA has a cudaStream_t for each of libtorch's streams.
void* handle_of(c10::StreamId stream);
c10::StreamId stream_of_handle(const void* handle);
bool is_capturing();
bool is_busy();
void wait_for(c10::StreamId stream);
void wait_for_all();

/// From now on all that is asked of it fails with these words.
void break_device(const std::string& words);
/// The same after so many launches.
void break_device_after(int64_t launches, const std::string& words);
/// Throws when it is broken or gone, or this is a copy of the process that loaded it.
void check_device();

}  // namespace test_device
