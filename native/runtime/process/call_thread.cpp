#include "runtime/process/call_thread.h"

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

#include "runtime/clock.h"
#include "runtime/process/crash_report.h"

namespace opsmith {
namespace {

struct Call {
  std::string phase;
  std::function<void()> work;
  std::function<void()> done;
};

struct Queue {
  std::mutex mutex;
  std::condition_variable arrived;
  std::deque<Call> calls;
  // Nanoseconds on the steady clock; 0 when no call runs.
  std::atomic<int64_t> started{0};
};

// Leaked: the thread outlives static destruction.
Queue& queue() {
  static Queue* instance = new Queue();
  return *instance;
}

int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch())
      .count();
}

void* serve_calls(void*) {
  pthread_setname_np(pthread_self(), "opsmith-call");
  adopt_call_thread();
  auto& calls = queue();
  for (;;) {
    Call call;
    {
      std::unique_lock lock(calls.mutex);
      calls.arrived.wait(lock, [&] { return !calls.calls.empty(); });
      call = std::move(calls.calls.front());
      calls.calls.pop_front();
    }
    calls.started = now_ns();
    {
      const RunningCall running(call.phase);
      call.work();
    }
    calls.started = 0;
    call.done();
  }
  return nullptr;
}

// Wide, so that a function with a large frame cannot step over it.
constexpr size_t guard_bytes = 256u << 10;

}  // namespace

void start_call_thread() {
  static const bool started = [] {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, call_stack_bytes);
    pthread_attr_setguardsize(&attributes, guard_bytes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_t thread;
    const int error = pthread_create(&thread, &attributes, serve_calls, nullptr);
    pthread_attr_destroy(&attributes);
    if (error != 0) {
      throw std::runtime_error(
          std::string("Opsmith could not start the thread that calls operators: ") +
          std::strerror(error) + ". Close other programs, or raise the limit of `ulimit -u`.");
    }
    return true;
  }();
  (void)started;
}

void submit_call(std::string phase, std::function<void()> work, std::function<void()> done) {
  auto& calls = queue();
  {
    std::lock_guard lock(calls.mutex);
    calls.calls.push_back({std::move(phase), std::move(work), std::move(done)});
  }
  calls.arrived.notify_one();
}

double busy_seconds() {
  const int64_t started = queue().started;
  return started == 0 ? 0.0 : static_cast<double>(now_ns() - started) * 1e-9;
}

}  // namespace opsmith
