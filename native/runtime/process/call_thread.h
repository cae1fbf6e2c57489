// The one thread that libtorch and user code run on. The JavaScript thread stays free to answer
// pings.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace opsmith {

// Deep TorchScript and autograd graphs recurse; Node's own threads are given less than this.
inline constexpr size_t call_stack_bytes = 16u << 20;

// Starts the thread; calling it again does nothing. It is never joined: user code may never return.
void start_call_thread();

// Queues `work`. `done` is called after it, when the thread is idle again, so that no call runs
// when the end is reported. Neither may throw. `phase` is what the crash report says while `work`
// runs: "call my_op::f", "load libmy_op.so".
void submit_call(std::string phase, std::function<void()> work, std::function<void()> done);

// Seconds that the running call has taken; 0 when none runs.
double busy_seconds();

}  // namespace opsmith
