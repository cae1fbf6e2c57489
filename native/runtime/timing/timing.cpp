#include "runtime/timing/timing.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <c10/core/DeviceGuard.h>
#include <torch/csrc/jit/serialization/pickle.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "runtime/clock.h"
#include "runtime/failure.h"
#include "runtime/process/memory_limit.h"
#include "runtime/profile/device_tracing.h"
#include "runtime/registry.h"
#include "runtime/timing/counters.h"
#include "runtime/timing/frequency.h"
#include "runtime/timing/machine.h"
#include "runtime/timing/thread_count.h"
#include "runtime/values.h"

namespace opsmith {
namespace {

using c10::IValue;
using Stack = std::vector<IValue>;

constexpr double least_sample = 2e-4;  // seconds
// Reading the clock must be a smaller part of a sample.
constexpr double clock_share = 1e-3;
constexpr double warmup_least = 0.02, warmup_most = 1;  // seconds
// After others had the core the first 0.2 ms of calls took up to 12 % longer, and for 5 to 10 ms
// they were disturbed twice as much as later, as was measured here. The Timer of PyTorch makes
// calls for 3 to 5 ms before its first block.
constexpr double settling = 3e-3;  // seconds
// Two medians of a warm-up are the same within this.
constexpr double steady_within = 0.02;

struct Timing {
  std::unique_ptr<TimedCall> call;
  std::unique_ptr<DeviceClock> clock;  // nullptr on the CPU
  std::unique_ptr<RareMemoryLooks> rare_looks;
  int64_t threads = 1, calls_per_sample = 1;
  bool cold = false, fresh = true;
  size_t next_set = 0;
};

std::map<int64_t, Timing>& timings() {
  static std::map<int64_t, Timing> open;
  return open;
}

Timing& timing_of(int64_t handle) {
  const auto found = timings().find(handle);
  if (found == timings().end()) {
    throw Failure(ErrorCode::input_invalid,
                  "Timing " + std::to_string(handle) + " has ended, or was never started",
                  "Measure again.");
  }
  return found->second;
}

Timing& timing_on_device(int64_t handle) {
  auto& timing = timing_of(handle);
  if (!timing.clock) {
    throw Failure(
        ErrorCode::device_unavailable,
        timing.call->name() +
            " runs on the CPU: Opsmith can replay a call and list its kernels only on a GPU",
        "Set \"device\": \"cuda\" for the inputs, on a machine with a GPU.");
  }
  return timing;
}

template <typename Call>
double seconds_of(int64_t calls, const Call& call) {
  const auto start = Clock::now();
  for (int64_t i = 0; i < calls; ++i)
    call();
  return seconds_since(start);
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Of reading the clock twice, as a sample does.
double clock_cost() {
  static const double cost = [] {
    std::vector<double> costs;
    for (int i = 0; i < 200; ++i)
      costs.push_back(seconds_of(0, [] {}));
    return median(costs);
  }();
  return cost;
}

// As many calls as make reading the clock cheap.
template <typename Call>
int64_t calls_in_a_sample(const Call& call) {
  const double wanted = std::max(least_sample, clock_cost() / clock_share);
  int64_t calls = 1;
  bool confirmed = false;
  for (;;) {
    const double seconds = seconds_of(calls, call);
    if (seconds >= wanted) {
      // The first backward starts autograd: by itself it may take as long as many that follow.
      if (confirmed) return calls;
      confirmed = true;
      continue;
    }
    confirmed = false;
    // The first calls are slow ones: never too many more at once.
    const double growth = std::min(10.0, 1.2 * wanted / std::max(seconds, 1e-9));
    calls = std::max(calls + 1, static_cast<int64_t>(static_cast<double>(calls) * growth));
  }
}

// Seconds of one call, of each of `count` samples.
std::vector<double> take(Timing& timing, int64_t count) {
  const auto once = [&] { timing.call->once(); };
  const int64_t calls = timing.calls_per_sample;
  if (timing.clock && timing.cold) return timing.clock->cold(count, once);
  if (timing.clock) return timing.clock->warm(count, calls, once);
  std::vector<double> seconds;
  seconds.reserve(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    if (timing.cold) flush_caches();
    seconds.push_back(seconds_of(calls, once) / static_cast<double>(calls));
  }
  return seconds;
}

// Calls that are not counted, so that caches hold again what they need.
void settle(const Timing& timing) {
  const auto start = Clock::now();
  do {
    timing.call->once();
  } while (seconds_since(start) < settling);
}

// As many calls as make the distance of two events much longer than their resolution, which is half
// a microsecond on CUDA.
int64_t calls_between_events(Timing& timing) {
  constexpr double wanted = 1e-3;
  constexpr double most = 200;
  const auto once = [&] { timing.call->once(); };
  timing.clock->launch(once);
  const double seconds = std::max(median(timing.clock->cold(5, once)), 1e-9);
  const auto calls = static_cast<int64_t>(std::clamp(wanted / seconds, 1.0, most));
  return std::min(calls, timing.clock->most_calls());
}

// The state of the device while it makes more of the calls, which take it so many seconds each: at
// rest its clock is another, and nothing keeps that down. Calls that are launched no faster than
// they are made leave it with nothing to do: other work comes behind them.
DeviceState state_at_work(Timing& timing, double seconds) {
  constexpr double long_enough = 5e-3, longest = 0.2;
  auto& clock = *timing.clock;
  auto state = device_state(clock.device());
  if (!state.missing.empty()) return state;
  const auto most = static_cast<double>(clock.most_calls());
  const double wanted = std::clamp(long_enough / std::max(seconds, 1e-9), 1.0, std::max(most, 1.0));
  const c10::DeviceGuard current(clock.device());
  for (double behind = 4 * long_enough; behind <= longest; behind *= 2) {
    for (int64_t i = 0; i < static_cast<int64_t>(wanted); ++i)
      timing.call->once();
    clock.keep_busy(behind);
    state = device_state(clock.device());
    const bool was_at_work = clock.is_busy();
    clock.synchronize();
    if (was_at_work) break;
  }
  return state;
}

// What kept the clock down meanwhile, though it may not do so at the moment of a look.
void add_slowed(DeviceState& state, const std::map<std::string, int64_t>& before,
                const std::map<std::string, int64_t>& after) {
  for (const auto& [reason, nanoseconds] : after) {
    const auto known = before.find(reason);
    auto& names = state.slowed_by;
    if (known != before.end() && nanoseconds > known->second &&
        std::find(names.begin(), names.end(), reason) == names.end()) {
      names.push_back(reason);
    }
  }
}

// Calls until two medians of five samples in a row are the same.
void warm_up(Timing& timing, OpenedTiming& opened) {
  const bool cold = std::exchange(timing.cold, timing.clock && timing.cold);
  double before = 0;
  while (opened.warmup.seconds < warmup_most) {
    std::vector<double> samples;
    for (int i = 0; i < 5; ++i) {
      const auto start = Clock::now();
      samples.push_back(take(timing, 1).front());
      opened.warmup.seconds += seconds_since(start);
      opened.warmup.calls += timing.calls_per_sample;
      if (opened.warmup.seconds > warmup_most) break;
    }
    opened.seconds_per_call = median(samples);
    opened.warmup.steady = std::abs(opened.seconds_per_call - before) <= steady_within * before;
    if (opened.warmup.steady && opened.warmup.seconds > warmup_least) break;
    before = opened.seconds_per_call;
  }
  timing.cold = cold;
}

// Seconds of one call, by the median of some samples.
template <typename Call>
double quick_timing(const Call& call) {
  const int64_t calls = calls_in_a_sample(call);
  std::vector<double> samples;
  for (int i = 0; i < 25; ++i)
    samples.push_back(seconds_of(calls, call) / static_cast<double>(calls));
  return median(samples);
}

std::vector<Comparison> compare_all(const Stack& actual, const Stack& expected,
                                    const Tolerances& tolerances) {
  std::vector<Comparison> comparisons;
  if (actual.size() != expected.size()) {
    Comparison whole;
    whole.output = -1;
    whole.message = "the numbers of outputs differ: " + std::to_string(actual.size()) + " and " +
                    std::to_string(expected.size());
    return {whole};
  }
  for (size_t i = 0; i < actual.size(); ++i)
    comparisons.push_back(compare(static_cast<int64_t>(i), actual[i], expected[i], tolerances));
  return comparisons;
}

// What save_timing() wrote.
Stack read_results(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file && bytes.empty()) throw Failure(ErrorCode::io, "Could not read " + path);
  return torch::jit::pickle_load(bytes).toTuple()->elements().vec();
}

}  // namespace

OpenedTiming open_timing(const TimedCallRequest& request) {
  static int64_t last_handle = 0;
  Timing timing;
  timing.threads = request.threads;
  timing.cold = request.cold;
  timing.fresh = request.fresh;
  const ThreadCount threads(request.threads);
  timing.call = std::make_unique<TimedCall>(request);
  OpenedTiming opened;
  opened.op = timing.call->name();
  opened.bytes = timing.call->bytes();
  opened.flops = timing.call->flops();
  opened.gives_views = timing.call->gives_views();
  const auto device = timing.call->device();
  opened.device = device.str();
  if (!device.is_cpu())
    timing.clock = std::make_unique<DeviceClock>(device, device_facts(device).cache_bytes);
  opened.traps = find_traps(*timing.call, timing.clock.get());
  const Stage stage(ErrorCode::operator_check, "warm-up");
  if (timing.clock) {
    const auto calls = calls_between_events(timing);
    timing.calls_per_sample = timing.cold ? 1 : calls;
    opened.between_events = timing.clock->nothing();
  } else if (!timing.cold) {
    timing.calls_per_sample = calls_in_a_sample([&] { timing.call->once(); });
  }
  warm_up(timing, opened);
  opened.calls_per_sample = timing.calls_per_sample;
  // Between its samples, too: others are timed then.
  timing.rare_looks = std::make_unique<RareMemoryLooks>();
  opened.handle = ++last_handle;
  timings().emplace(opened.handle, std::move(timing));
  return opened;
}

TimingSamples sample_timing(const SampleRequest& request) {
  auto& timing = timing_of(request.handle);
  const Stage stage(ErrorCode::operator_check, "timing");
  const ThreadCount threads(timing.threads);
  TimingSamples samples;
  auto& call = *timing.call;
  // Fresh values for every few samples; the first call on them fetches them, and is not counted.
  call.use(timing.fresh ? timing.next_set++ : 0);
  call.once();
  HardwareCounters counters;
  std::map<std::string, int64_t> slowed_before;
  const auto frequency = effective_frequency();
  if (timing.clock) {
    const auto device = timing.clock->device();
    const double launch = timing.clock->launch([&] { call.once(); });
    samples.device = DeviceSamples{launch, device_state(device), {}, 0};
    slowed_before = slowed_so_far(device);
    timing.clock->take_behind();
  }
  if (!timing.cold && !timing.clock) settle(timing);
  const auto before = cpu_times();
  const auto start = Clock::now();
  counters.start();
  samples.seconds = take(timing, request.count);
  samples.wall = seconds_since(start);
  const auto counts = counters.read();
  const auto after = cpu_times();
  if (const auto now = effective_frequency(); frequency && now) {
    samples.frequencies = {*frequency, *now};
  }
  if (samples.device) {
    samples.device->behind = timing.clock->take_behind();
    const auto slowed = slowed_so_far(timing.clock->device());
    samples.device->after = state_at_work(timing, median(samples.seconds));
    add_slowed(samples.device->after, slowed_before, slowed);
  }
  samples.thread = after.thread - before.thread;
  samples.process = after.process - before.process;
  samples.machine = after.machine - before.machine;
  // Flushing would be counted too, and the work of other threads would not.
  if (counts && !timing.cold && !timing.clock && timing.threads == 1) {
    const auto calls = static_cast<double>(request.count * timing.calls_per_sample);
    samples.instructions = counts->instructions / calls;
    samples.cycles = counts->cycles / calls;
  }
  return samples;
}

TimingLayers timing_layers(const TimingHandle& request) {
  auto& timing = timing_of(request.handle);
  const auto& callable = timing.call->callable();
  if (callable.function != nullptr) {
    throw Failure(ErrorCode::input_invalid,
                  "Only the time of an operator can be split into dispatcher layers: " +
                      timing.call->name() + " is a function or an expression.");
  }
  const Stage stage(ErrorCode::operator_check, "timing the layers");
  const ThreadCount threads(timing.threads);
  const auto op = find_operator(callable.name);
  Stack stack;
  const auto& arguments = timing.call->arguments(0);
  const auto with = [&](const std::function<void(Stack&)>& call) {
    return quick_timing([&] {
      stack = arguments;
      call(stack);
      stack.clear();
    });
  };
  TimingLayers layers;
  layers.full = with([&](Stack& given) { op.callBoxed(given); });
  {
    const at::AutoDispatchBelowADInplaceOrView below;
    layers.below_autograd = with([&](Stack& given) { op.callBoxed(given); });
    if (op.hasKernelForDispatchKey(c10::DispatchKey::CPU)) {
      layers.kernel =
          with([&](Stack& given) { op.callBoxedForDispatchKey(c10::DispatchKey::CPU, given); });
    }
  }
  return layers;
}

ReplayedCall replay_timing(const SampleRequest& request) {
  auto& timing = timing_on_device(request.handle);
  const Stage stage(ErrorCode::operator_check, "replaying a CUDA graph");
  const ThreadCount threads(timing.threads);
  timing.call->use(0);
  return replay_call(*timing.call, *timing.clock, request.count, timing.calls_per_sample);
}

ProfiledCall profile_timing(const TimingFileRequest& request) {
  auto& timing = timing_on_device(request.handle);
  const Stage stage(ErrorCode::operator_check, "listing GPU kernels");
  const ThreadCount threads(timing.threads);
  timing.call->use(0);
  const auto printed = profile_call(*timing.call, *timing.clock, request.path);
  return {request.path, why_nothing_traced(printed)};
}

WrittenFile save_timing(const TimingFileRequest& request) {
  auto& timing = timing_of(request.handle);
  const ThreadCount threads(timing.threads);
  Stack values;
  for (const auto& value : timing.call->results(0))
    values.push_back(
        value.isTensor() && value.toTensor().defined() ? IValue(value.toTensor().detach()) : value);
  const auto bytes = torch::jit::pickle_save(c10::ivalue::Tuple::create(values));
  std::ofstream file(request.path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) throw Failure(ErrorCode::io, "Could not write " + request.path);
  return {request.path};
}

TimingComparison compare_timing(const CompareRequest& request) {
  auto& timing = timing_of(request.handle);
  Stack other;
  if (const auto* handle = std::get_if<int64_t>(&request.with)) {
    auto& open = timing_of(*handle);
    const ThreadCount threads(timing.threads);
    other = open.call->results(0);
  } else {
    other = read_results(std::get<std::string>(request.with));
  }
  const ThreadCount threads(timing.threads);
  return {compare_all(timing.call->results(0), other, request.tolerances)};
}

ClosedTimings close_timings(const TimingHandles& requested) {
  ClosedTimings answer;
  for (const auto handle : requested.handles)
    answer.closed += static_cast<int64_t>(timings().erase(handle));
  return answer;
}

void close_all_timings() {
  timings().clear();
}

}  // namespace opsmith
