#include "runtime/timing/device_calls.h"

#include <ATen/Functions.h>
#include <c10/core/DeviceGuard.h>
#include <torch/csrc/autograd/profiler_kineto.h>
#if __has_include(<ATen/accelerator/Graph.h>)
#include <ATen/accelerator/Graph.h>
#define OPSMITH_HAS_GRAPHS
#endif

#include <algorithm>
#include <fstream>
#include <memory>

#include "runtime/dtypes.h"
#include "runtime/failure.h"
#include "runtime/timing/device_facts.h"

namespace opsmith {
namespace {

// A stream of its own is the current one, as long as this lives.
class OwnStream {
 public:
  explicit OwnStream(at::Device device)
      : guard_(device.type()),
        before_(guard_.exchangeStream(guard_.getStreamFromGlobalPool(device, false))) {}
  ~OwnStream() { guard_.exchangeStream(before_); }
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;

 private:
  c10::impl::VirtualGuardImpl guard_;
  c10::Stream before_;
};

#ifdef OPSMITH_HAS_GRAPHS
// "" when `graph` holds the call, else why not.
std::string capture(at::accelerator::Graph& graph, TimedCall& call) {
  // A call that cannot be captured is an answer: which, says what it throws.
  try {
    graph.capture_begin();
  } catch (...) {
    return describe_current_exception().message;
  }
  std::string missing;
  try {
    call.once();
  } catch (...) {
    missing = describe_current_exception().message;
  }
  try {
    graph.capture_end();
  } catch (...) {
    if (missing.empty()) missing = describe_current_exception().message;
  }
  return missing.substr(0, missing.find('\n'));
}
#endif

}  // namespace

ReplayedCall replay_call(TimedCall& call, DeviceClock& clock, int64_t count, int64_t calls) {
  ReplayedCall replayed;
#ifdef OPSMITH_HAS_GRAPHS
  const auto device = clock.device();
  if (!at::has_graph_impl(device.type())) {
    replayed.missing = "libtorch has no graphs for " + device.str();
    return replayed;
  }
  const c10::DeviceGuard current(device);
  clock.synchronize();
  // The default stream cannot be captured.
  const OwnStream stream(device);
  // Libraries make their handles and workspaces for this stream before the capture.
  for (int i = 0; i < 3; ++i)
    call.once();
  clock.synchronize();
  at::accelerator::Graph graph;
  replayed.missing = capture(graph, call);
  if (replayed.missing.empty())
    replayed.seconds = clock.warm(count, calls, [&] { graph.replay(); });
  clock.synchronize();
#else
  replayed.missing =
      "this libtorch has no ATen/accelerator/Graph.h: graphs are captured from 2.13 on";
#endif
  return replayed;
}

DeviceCeilings measure_device(at::Device device) {
  constexpr int runs = 7;
  // A product is large enough when it takes so many seconds.
  constexpr double long_enough = 4e-3;
  constexpr int64_t smallest = 256, largest = 16384;
  const auto facts = device_facts(device);
  DeviceClock clock(device, facts.cache_bytes);
  const auto best = [&](const DeviceClock::Call& work) {
    work();
    const auto seconds = clock.cold(runs, work);
    return *std::min_element(seconds.begin(), seconds.end());
  };
  DeviceCeilings ceilings;
  {
    const int64_t bytes = std::max<int64_t>(8 * facts.cache_bytes, int64_t{128} << 20);
    const auto from = at::ones({bytes / 4}, at::TensorOptions().dtype(at::kFloat).device(device));
    auto to = at::empty_like(from);
    ceilings.bytes_per_second = 2.0 * static_cast<double>(bytes) / best([&] { to.copy_(from); });
  }
  for (const auto dtype : {at::kDouble, at::kFloat, at::kHalf, at::kBFloat16}) {
    // What a device has no product for is no ceiling of it.
    try {
      const auto options = at::TensorOptions().dtype(dtype).device(device);
      double seconds = 0;
      for (int64_t size = smallest; size <= largest && seconds < long_enough; size *= 2) {
        const auto left = at::ones({size, size}, options), right = at::ones({size, size}, options);
        auto product = at::empty({size, size}, options);
        seconds = best([&] { at::mm_out(product, left, right); });
        const auto length = static_cast<double>(size);
        auto& flops = ceilings.flops[dtype_name(dtype)];
        flops = std::max(flops, 2 * length * length * length / seconds);
      }
    } catch (const c10::Error&) {
      continue;
    }
  }
  return ceilings;
}

void profile_call(TimedCall& call, const DeviceClock& clock, const std::string& path) {
  namespace profiler = torch::autograd::profiler;
  namespace impl = torch::profiler::impl;
  const c10::DeviceGuard current(clock.device());
  call.once();
  clock.synchronize();
  const impl::ProfilerConfig config(impl::ProfilerState::KINETO);
  std::set<impl::ActivityType> activities{impl::ActivityType::CPU};
  activities.insert(clock.device().is_privateuseone() ? impl::ActivityType::PrivateUse1
                                                      : impl::ActivityType::CUDA);
  profiler::prepareProfiler(config, activities);
  profiler::enableProfiler(config, activities);
  call.once();
  clock.synchronize();
  const auto result = profiler::disableProfiler();
  result->save(path);
  if (!std::ifstream(path).good()) throw Failure("io", "The profiler did not write " + path);
}

}  // namespace opsmith
