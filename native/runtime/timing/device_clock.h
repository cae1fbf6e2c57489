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
  // triton.testing.do_bench). A sample without enough lead is taken again, with more; see
  // take_behind().
  std::vector<double> cold(int64_t count, const Call& call);
  // The same with the cache warm: seconds of one of `calls` calls between two events. Two calls
  // that are not counted come before them.
  std::vector<double> warm(int64_t count, int64_t calls, const Call& call);
  // The same of a graph that holds `calls` calls.
  std::vector<double> replayed(int64_t count, int64_t calls, const Call& replay);
  // How many of the samples since the last time include a part of a launch: the host did not get
  // ahead of the device with any lead.
  int64_t take_behind();
  // Seconds between two events with nothing between them: a part of every cold sample.
  double nothing();
  // Gives the device work for so many seconds.
  void keep_busy(double seconds);
  // Whether work is left on the current stream.
  bool is_busy();
  // Seconds that one call needs on the host while the device is idle: the median of some calls.
  double launch(const Call& call, int calls = 11);
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
  struct Elapsed {
    double seconds;
    bool ahead;   // all was enqueued before the device began it
    double host;  // seconds that enqueuing took
    bool ended;   // the device had done all of it by then
  };
  Elapsed elapsed(const Call& work);
  // `host`: the seconds that enqueuing `work` takes while the device is idle.
  double ahead_of(double host, double lead_seconds, const Call& lead, const Call& work);
  void lead_by(double seconds);
  void measure_overwriting();
  double idle_wait() const;  // seconds

  static constexpr double least_lead = 2;

  at::Device device_;
  c10::impl::VirtualGuardImpl guard_;
  at::Tensor memory_;
  double overwriting_ = 0;    // seconds on the device
  double host_ = 0;           // seconds of launching one call
  double lead_ = least_lead;  // the host gets ahead by so many times what it needs
  int64_t behind_ = 0;        // samples
  bool waits_ = false;        // calls wait for the device: the host cannot get ahead
};

}  // namespace opsmith
