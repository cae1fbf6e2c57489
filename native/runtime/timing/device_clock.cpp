#include "runtime/timing/device_clock.h"

#include <ATen/Functions.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/Event.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "runtime/clock.h"
#include "runtime/timing/device_facts.h"

namespace opsmith {
namespace {

// What is overwritten is several times the cache, and where nobody says how large that is, as much
// as triton.testing.do_bench overwrites.
constexpr int64_t times_the_cache = 4;
constexpr int64_t unknown_cache = int64_t{64} << 20;
// The host never gets ahead by more seconds, nor by more times what it needs: a call that waits for
// the device keeps it as long as the device takes.
constexpr double most_ahead = 0.02, most_lead = 32;
// That warm() makes before those that it times.
constexpr int64_t uncounted = 2;
// The shortest and the longest time by which a call that does not wait is to get ahead in waits().
constexpr double least_wait = 2e-3;
// After a sample for which the host was ahead at once the lead becomes shorter by this factor: one
// interruption must not lengthen all that follow.
constexpr double less_lead = 0.9;
// Waiting for a device that has nothing left to do takes some microseconds.
constexpr double least_elsewhere = 1e-4;
// What one call leaves behind may be shorter: so many leave it, or as many as take so long. That is
// longer than a busy machine interrupts a thread, during which the device would finish unseen.
constexpr double calls_elsewhere = 256, seconds_elsewhere = 20e-3;
constexpr int tries = 5;

double middle_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

DeviceClock::DeviceClock(at::Device device, int64_t cache_bytes)
    : device_(device), guard_(device.type()) {
  if (!device_.has_index()) device_ = guard_.getDevice();
  const c10::DeviceGuard current(device_);
  const int64_t bytes = times_the_cache * (cache_bytes > 0 ? cache_bytes : unknown_cache);
  memory_ = at::empty({bytes}, at::TensorOptions().dtype(at::kByte).device(device_));
  measure_overwriting();
}

// A device at rest has a lower clock than one at work: it is measured again now and then.
void DeviceClock::measure_overwriting() {
  std::vector<double> seconds;
  for (int i = 0; i < tries; ++i)
    seconds.push_back(elapsed([&] { memory_.zero_(); }).seconds);
  overwriting_ = std::max(middle_of(seconds), 1e-6);
}

void DeviceClock::synchronize() const {
  guard_.synchronizeDevice(device_.index());
}

// Seconds on the device of what is enqueued meanwhile.
DeviceClock::Elapsed DeviceClock::elapsed(const Call& work) {
  const auto stream = guard_.getStream(device_);
  // With this flag, events have times: PYTORCH_DEFAULT asks for events without.
  c10::Event start(device_.type(), c10::EventFlag::BACKEND_DEFAULT);
  c10::Event end(device_.type(), c10::EventFlag::BACKEND_DEFAULT);
  start.record(stream);
  const auto before = Clock::now();
  work();
  const double host = seconds_since(before);
  end.record(stream);
  const bool ahead = !start.query(), ended = end.query();
  end.synchronize();
  return {start.elapsedTime(end) * 1e-3, ahead, host, ended};
}

// Seconds of `work`, enqueued while `lead` keeps the device busy for `lead_seconds`.
double DeviceClock::ahead_of(double host, double lead_seconds, const Call& lead, const Call& work) {
  bool is_first = true, was_full = false;
  lead_seconds = std::min(lead_seconds, most_ahead);
  for (;;) {
    lead();
    const auto made = elapsed(work);
    if (made.ahead || waits_) {
      if (is_first) lead_ = std::max(least_lead, less_lead * lead_);
      return made.seconds;
    }
    is_first = false;
    // A stream takes so many launches (1024 on CUDA): a host that waits for room in it is as far
    // ahead as it can be, and the device never has nothing to do. One that was interrupted looks
    // the same, but not twice.
    const bool is_full = !made.ended && made.host > host + lead_seconds / 2;
    if (is_full && was_full) return made.seconds;
    was_full = is_full;
    if (is_full) continue;
    if (lead_ >= most_lead || lead_seconds >= most_ahead) {
      ++behind_;
      return made.seconds;
    }
    lead_ *= 2;
    lead_seconds = std::min(2 * lead_seconds, most_ahead);
  }
}

int64_t DeviceClock::take_behind() {
  return std::exchange(behind_, 0);
}

double DeviceClock::nothing() {
  const c10::DeviceGuard current(device_);
  std::vector<double> seconds;
  for (int i = 0; i < 2 * tries + 1; ++i) {
    keep_busy(overwriting_);
    seconds.push_back(elapsed([] {}).seconds);
  }
  return middle_of(seconds);
}

void DeviceClock::keep_busy(double seconds) {
  const auto times = std::max<int64_t>(1, static_cast<int64_t>(std::ceil(seconds / overwriting_)));
  for (int64_t i = 0; i < times; ++i)
    memory_.zero_();
}

bool DeviceClock::is_busy() {
  c10::Event now(device_.type(), c10::EventFlag::BACKEND_DEFAULT);
  now.record(guard_.getStream(device_));
  return !now.query();
}

void DeviceClock::lead_by(double seconds) {
  // Lines that an operator has made persist would outlive the overwriting.
  reset_persisting_cache(device_);
  keep_busy(std::min(seconds, most_ahead));
}

std::vector<double> DeviceClock::cold(int64_t count, const Call& call) {
  const c10::DeviceGuard current(device_);
  std::vector<double> seconds;
  for (int64_t i = 0; i < count; ++i) {
    seconds.push_back(ahead_of(host_, lead_ * host_, [&] { lead_by(lead_ * host_); }, call));
  }
  return seconds;
}

std::vector<double> DeviceClock::warm(int64_t count, int64_t calls, const Call& call) {
  const c10::DeviceGuard current(device_);
  std::vector<double> seconds;
  for (int64_t i = 0; i < count; ++i) {
    const double host = host_ * static_cast<double>(calls);
    const double with_uncounted = host_ * static_cast<double>(calls + uncounted);
    const auto lead = [&] {
      lead_by(lead_ * with_uncounted);
      for (int64_t k = 0; k < uncounted; ++k)
        call();
    };
    const double all = ahead_of(host, lead_ * with_uncounted, lead, [&] {
      for (int64_t k = 0; k < calls; ++k)
        call();
    });
    seconds.push_back(all / static_cast<double>(calls));
  }
  return seconds;
}

std::vector<double> DeviceClock::replayed(int64_t count, int64_t calls, const Call& replay) {
  launch(replay);
  auto seconds = warm(count, 1, replay);
  for (auto& one : seconds)
    one /= static_cast<double>(calls);
  return seconds;
}

double DeviceClock::launch(const Call& call, int calls) {
  const c10::DeviceGuard current(device_);
  std::vector<double> seconds;
  for (int i = 0; i < calls; ++i) {
    synchronize();
    const auto start = Clock::now();
    call();
    seconds.push_back(seconds_since(start));
  }
  synchronize();
  host_ = middle_of(seconds);
  measure_overwriting();
  return host_;
}

int64_t DeviceClock::most_calls() const {
  const double enough = most_ahead / (lead_ * std::max(host_, 1e-9));
  return std::max<int64_t>(1, static_cast<int64_t>(std::min(enough, 1e9)) - uncounted);
}

bool DeviceClock::waits(const Call& call) {
  const c10::DeviceGuard current(device_);
  const double alone = launch(call);
  std::vector<double> seconds;
  const double lead = std::min(std::max(least_wait, 4 * alone), most_ahead);
  for (int i = 0; i < tries; ++i) {
    synchronize();
    lead_by(lead);
    const auto start = Clock::now();
    call();
    seconds.push_back(seconds_since(start));
  }
  synchronize();
  waits_ = middle_of(seconds) > alone + lead / 2;
  return waits_;
}

// Seconds of a wait for a device that has nothing to do. The least of several: an interruption
// lengthens one.
double DeviceClock::idle_wait() const {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < tries; ++i) {
    const auto start = Clock::now();
    synchronize();
    least = std::min(least, seconds_since(start));
  }
  return least;
}

bool DeviceClock::works_elsewhere(const Call& call) {
  const c10::DeviceGuard current(device_);
  synchronize();
  // The least of several: an interruption lengthens one, and too few calls would leave too little.
  double one = std::numeric_limits<double>::infinity();
  for (int i = 0; i < tries; ++i) {
    const auto start = Clock::now();
    call();
    synchronize();
    one = std::min(one, seconds_since(start));
  }
  const auto calls = static_cast<int64_t>(
      std::clamp(seconds_elsewhere / std::max(one, 1e-9), 1.0, calls_elsewhere));
  // Until most tries agree.
  int hits = 0, misses = 0;
  while (hits <= tries / 2 && misses <= tries / 2) {
    synchronize();
    elapsed([&] {
      for (int64_t k = 0; k < calls; ++k)
        call();
    });
    // The current stream has done its part.
    const auto begin = Clock::now();
    synchronize();
    const double busy = seconds_since(begin);
    const double idle = idle_wait();
    if (busy > least_elsewhere && busy > 10 * idle) {
      ++hits;
    } else {
      ++misses;
    }
  }
  return hits > tries / 2;
}

}  // namespace opsmith
