// Timing of calls on an asynchronous device, with events on the current stream. It uses libtorch's
// generic interface, so any backend with streams and events works.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <functional>
#include <vector>

namespace opsmith {

class DeviceClock {
 public:
  using Call = std::function<void()>;

  // `cache_bytes`: size of the device's last-level cache; 0 if unknown. Throws what the backend
  // throws if it has no events with times.
  DeviceClock(at::Device device, int64_t cache_bytes);

  // Seconds of each of `count` calls on the device, between an event right before it and one right
  // after. The cache is overwritten before each call. This also gives the host a lead: it enqueues
  // the call before the device starts it, so the time does not include the launch (as in
  // triton.testing.do_bench). A sample without enough lead is taken again, with more.
  std::vector<double> cold(int64_t count, const Call& call);
  // The same with the cache warm: seconds of one of `calls` calls between two events. Two calls
  // that are not counted come before them.
  std::vector<double> warm(int64_t count, int64_t calls, const Call& call);
  // The same of a graph that holds `calls` calls.
  std::vector<double> replayed(int64_t count, int64_t calls, const Call& replay);
  // Seconds that one call needs on the host while the device is idle: the median of some calls.
  double launch(const Call& call);
  // How many calls the host can enqueue while the device is busy with earlier work. With more
  // calls, the time of warm() would include launches. At least 1; after launch().
  int64_t most_calls() const;
  // Whether a call returns only when the device has done what was enqueued before it.
  bool waits(const Call& call);
  // Whether the device still works on another stream when the current stream is done.
  bool works_elsewhere(const Call& call);

  void synchronize() const;  // every stream of the device
  at::Device device() const { return device_; }

 private:
  void keep_busy(double seconds);
  struct Elapsed {
    double seconds;
    bool ahead;  // all was enqueued before the device began it
  };
  Elapsed elapsed(const Call& work);
  double ahead_of(const Call& lead, const Call& work);
  void measure_overwriting();
  double idle_wait() const;  // seconds

  at::Device device_;
  c10::impl::VirtualGuardImpl guard_;
  at::Tensor memory_;
  double overwriting_ = 0;  // seconds on the device
  double host_ = 0;         // seconds of launching one call
  double lead_ = 2;         // the host gets ahead by so many times what it needs
  bool waits_ = false;      // calls wait for the device: the host cannot get ahead
};

}  // namespace opsmith
