#include "runtime/timing/device_calls.h"

#include <ATen/Functions.h>
#include <c10/core/DeviceGuard.h>
#include <torch/csrc/autograd/profiler_kineto.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <memory>
#include <unordered_map>
#include <utility>

#include "runtime/comparison.h"
#include "runtime/devices.h"
#include "runtime/dtypes.h"
#include "runtime/failure.h"
#include "runtime/profile/device_tracing.h"
#include "runtime/registry.h"
#include "runtime/timing/device_graph.h"

namespace opsmith {
namespace {

// A stream of its own is the current one, as long as this lives: the same one each time, since
// libraries keep their workspaces for every stream that they have seen.
class OwnStream {
 public:
  explicit OwnStream(at::Device device) : guard_(device.type()), before_(exchange(device)) {}
  ~OwnStream() { guard_.exchangeStream(before_); }
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;

 private:
  c10::Stream exchange(at::Device device) {
    static std::unordered_map<at::Device, c10::Stream> streams;
    auto known = streams.find(device);
    if (known == streams.end())
      known = streams.emplace(device, guard_.getStreamFromGlobalPool(device, false)).first;
    return guard_.exchangeStream(known->second);
  }

  c10::impl::VirtualGuardImpl guard_;
  c10::Stream before_;
};

// What the host has of the tensors among values, which are flat.
std::vector<c10::IValue> on_host(const std::vector<c10::IValue>& values) {
  std::vector<c10::IValue> copies;
  for (const auto& value : values) {
    const bool is_tensor = value.isTensor() && value.toTensor().defined();
    copies.push_back(is_tensor ? c10::IValue(value.toTensor().detach().cpu()) : value);
  }
  return copies;
}

// What libtorch and the driver say of a capture that fails, in words of what the operator does.
std::string capture_words(const std::string& message) {
  static constexpr std::pair<const char*, const char*> known[] = {
      {"hilox",
       "the call draws random numbers, and libtorch’s generator works only in CUDA graphs that "
       "libtorch makes, not in those that Opsmith makes"},
      {"captured event",
       "memory that the call uses on two streams (record_stream) was freed during the capture"},
      {"memory node",
       "the CUDA graph contains allocations of PyTorch’s allocator backend cudaMallocAsync, so it "
       "can be replayed only once: set PYTORCH_CUDA_ALLOC_CONF=backend:native"},
  };
  for (const auto& [part, words] : known) {
    if (message.find(part) != std::string::npos) return words;
  }
  return message.substr(0, message.find('\n'));
}

// By its tag; of a function of the program it is not known.
bool is_random(const TimedCall& call) {
  const auto& callable = call.callable();
  return callable.function == nullptr &&
         find_operator(callable.name).hasTag(at::Tag::nondeterministic_seeded);
}

// "" when `graph` holds so many calls, else why not; `results` are those of the last one.
std::string capture(DeviceGraph& graph, TimedCall& call, int64_t calls,
                    std::vector<c10::IValue>& results) {
  // A call that cannot be captured is an answer: which, says what it throws.
  try {
    graph.begin();
  } catch (...) {
    return capture_words(describe_current_exception().message);
  }
  std::string missing;
  try {
    for (int64_t i = 1; i < calls; ++i)
      call.once();
    results = call.results(0);
  } catch (...) {
    missing = describe_current_exception().message;
  }
  try {
    graph.end();
  } catch (...) {
    if (missing.empty()) missing = describe_current_exception().message;
  }
  return capture_words(missing);
}

// "" when a replay computes `results` anew, as `expected` (on the host) are; else what it does. A
// kernel on the default stream is launched while others are captured, and is no part of the graph.
std::string check_replay(DeviceGraph& graph, const TimedCall& call, const DeviceClock& clock,
                         const std::vector<c10::IValue>& results,
                         const std::vector<c10::IValue>& expected) {
  constexpr const char* incomplete =
      "the call starts work on another stream, and this work is not captured";
  if (graph.size() == 0) return incomplete;
  Tensors outputs;
  for (const auto& value : results) {
    if (value.isTensor() && value.toTensor().defined()) outputs.push_back(value.toTensor());
  }
  // Of what is written in place each call makes something else.
  for (const auto& output : outputs) {
    if (shares_memory(output, call.inputs(0))) return "";
  }
  const c10::InferenceMode without_autograd;
  for (const auto& output : outputs)
    output.detach().zero_();
  graph.replay();
  clock.synchronize();
  const auto given = on_host(results);
  for (size_t i = 0; i < given.size() && i < expected.size(); ++i) {
    const auto compared = compare(static_cast<int64_t>(i), given[i], expected[i], {});
    if (!compared.matches) return incomplete + (": in a replay, " + compared.message);
  }
  return "";
}

}  // namespace

ReplayedCall replay_call(TimedCall& call, DeviceClock& clock, int64_t count, int64_t calls) {
  ReplayedCall replayed;
  const auto device = clock.device();
  const auto [graph, missing] = make_graph(device);
  replayed.missing = missing;
  if (!graph) return replayed;
  const c10::DeviceGuard current(device);
  clock.synchronize();
  // The default stream cannot be captured.
  const OwnStream stream(device);
  // Libraries make their handles and workspaces for this stream before the capture, and libtorch's
  // allocator has room for it.
  for (int i = 0; i < 3; ++i)
    call.once();
  const auto expected = on_host(call.results(0));
  clock.synchronize();
  std::vector<c10::IValue> results;
  if (is_random(call)) {
    replayed.missing =
        "the call draws random numbers, so Opsmith cannot compare a replay with the call";
    return replayed;
  }
  replayed.missing = capture(*graph, call, calls, results);
  clock.synchronize();
  if (replayed.missing.empty())
    replayed.missing = check_replay(*graph, call, clock, results, expected);
  if (replayed.missing.empty())
    replayed.seconds = clock.replayed(count, calls, [&] { graph->replay(); });
  clock.synchronize();
  return replayed;
}

namespace {

// Its tensors and its clock's are gone when it returns.
DeviceCeilings measure_device_ceilings(at::Device device) {
  constexpr int runs = 7;
  // A product is large enough when it takes so many seconds.
  constexpr double long_enough = 4e-3;
  constexpr int64_t smallest = 256, largest = 16384;
  // Others work on the device too: op hosts of other builds, the user's programs.
  constexpr int64_t share_of_memory = 4;
  const auto facts = device_facts(device);
  DeviceClock clock(device, facts.cache_bytes);
  const auto room = free_bytes(device).value_or(std::numeric_limits<int64_t>::max());
  const auto best = [&](const DeviceClock::Call& work) {
    work();
    // By this the clock knows how far ahead the host must be.
    clock.launch(work, 3);
    const auto seconds = clock.cold(runs, work);
    return *std::min_element(seconds.begin(), seconds.end());
  };
  DeviceCeilings ceilings;
  {
    const int64_t wanted = std::max<int64_t>(8 * facts.cache_bytes, int64_t{128} << 20);
    // There are two of them, of whole pages.
    const int64_t bytes = std::min(wanted, room / share_of_memory / 2) & ~int64_t{0xfff};
    const auto from = at::ones({bytes / 4}, at::TensorOptions().dtype(at::kFloat).device(device));
    auto to = at::empty_like(from);
    ceilings.bytes_per_second = 2.0 * static_cast<double>(bytes) / best([&] { to.copy_(from); });
  }
  // Ones would switch few transistors, and the clock stay higher than with other numbers.
  for (const auto dtype : {at::kDouble, at::kFloat, at::kHalf, at::kBFloat16}) {
    // What a device has no product for is no ceiling of it.
    try {
      const auto options = at::TensorOptions().dtype(dtype).device(device);
      double seconds = 0;
      const auto fits = [&](int64_t size) {
        const auto element = static_cast<int64_t>(c10::elementSize(dtype));
        return 3 * size * size * element <= room / share_of_memory;
      };
      for (int64_t size = smallest; size <= largest && seconds < long_enough && fits(size);
           size *= 2) {
        const auto left = at::randn({size, size}, options),
                   right = at::randn({size, size}, options);
        auto product = at::empty({size, size}, options);
        seconds = best([&] { at::mm_out(product, left, right); });
        const auto length = static_cast<double>(size);
        auto& flops = ceilings.flops[dtype_name(dtype)];
        flops = std::max(flops, 2 * length * length * length / seconds);
        at::mm_out(product, left, right);
        ceilings.state = device_state(device);
      }
    } catch (const c10::Error&) {
      continue;
    }
  }
  clock.synchronize();
  return ceilings;
}

}  // namespace

DeviceCeilings measure_device(at::Device device) {
  const auto ceilings = measure_device_ceilings(device);
  release_cached_memory(device);
  return ceilings;
}

std::string profile_call(TimedCall& call, const DeviceClock& clock, const std::string& path) {
  namespace profiler = torch::autograd::profiler;
  namespace impl = torch::profiler::impl;
  const c10::DeviceGuard current(clock.device());
  call.once();
  clock.synchronize();
  const impl::ProfilerConfig config(impl::ProfilerState::KINETO);
  std::set<impl::ActivityType> activities{impl::ActivityType::CPU};
  activities.insert(clock.device().is_privateuseone() ? impl::ActivityType::PrivateUse1
                                                      : impl::ActivityType::CUDA);
  std::string printed;
  {
    const HeldStderr held;
    profiler::prepareProfiler(config, activities);
    printed = held.text();
  }
  profiler::enableProfiler(config, activities);
  call.once();
  clock.synchronize();
  const auto result = profiler::disableProfiler();
  result->save(path);
  if (!std::ifstream(path).good())
    throw Failure(ErrorCode::io, "The profiler did not write " + path);
  return printed;
}

}  // namespace opsmith
