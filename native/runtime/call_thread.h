// The one thread that libtorch and user code run on. The JavaScript thread stays free to answer
// pings.
#pragma once

#include <functional>
#include <string>

namespace opsmith {

// Starts the thread; calling it again does nothing. It is never joined: user code may never return.
void start_call_thread();

// Queues `work`, which must not throw. `phase` is what the crash report says while it runs:
// "call my_op::f", "load libmy_op.so".
void submit_call(std::string phase, std::function<void()> work);

// Seconds that the running call has taken; 0 when none runs.
double busy_seconds();

}  // namespace opsmith
