#include "runtime/profile/profile.h"

#if __has_include(<ActivityType.h>)
#include <ATen/Functions.h>
#include <ATen/record_function.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/profiler_kineto.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <set>

#include "runtime/arguments.h"
#include "runtime/callable.h"
#include "runtime/clock.h"
#include "runtime/devices.h"
#include "runtime/differentiable.h"
#include "runtime/profile/device_tracing.h"
#include "runtime/profile/read_events.h"
#include "runtime/timing/thread_count.h"
#include "runtime/values.h"
#endif

#include "runtime/failure.h"

namespace opsmith {

#if __has_include(<ActivityType.h>)
namespace {

namespace kineto = torch::autograd::profiler;
namespace impl = torch::profiler::impl;
using c10::IValue;
using Stack = std::vector<IValue>;

constexpr int64_t most_plain_runs = 50, least_plain_runs = 3;
constexpr double plain_seconds = 0.3;
// An odd number of runs has a median that is one of them.
constexpr size_t most_runs = 9;
constexpr double run_seconds = 1;
// ns. Beside longer runs it does not matter what a session's first events take.
constexpr int64_t warm_up_below = 20'000'000;
// Described; what has more is not run again to be timed.
constexpr size_t most_held_events = 100'000;

// The profiler, on while this lives; what an operator throws turns it off too.
class Session {
 public:
  // `device`: whose kernels are asked for; nullopt for none.
  Session(std::optional<at::Device> device, bool describes) {
    std::set<impl::ActivityType> activities{impl::ActivityType::CPU};
    if (device) {
      activities.insert(device->is_privateuseone() ? impl::ActivityType::PrivateUse1
                                                   : impl::ActivityType::CUDA);
    }
    impl::ProfilerConfig config(impl::ProfilerState::KINETO, /*report_input_shapes=*/describes,
                                /*profile_memory=*/true, /*with_stack=*/describes,
                                /*with_flops=*/false, /*with_modules=*/false);
    ask_for_more(config.experimental_config, device.has_value());
    prepare(config, activities, device.has_value());
    kineto::enableProfiler(config, activities);
  }
  ~Session() {
    if (is_on_) kineto::disableProfiler();
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  std::unique_ptr<kineto::ProfilerResult> end() {
    is_on_ = false;
    return kineto::disableProfiler();
  }
  // What Kineto had to say of its start.
  const std::string& printed() const { return printed_; }

 private:
  // The first time, libkineto complains on stderr, whatever its log level, that this is not the
  // thread that loaded it. It then leaves out to serve requests from other processes: nobody asks.
  // Why a device cannot be looked at is said there and nowhere else.
  void prepare(const impl::ProfilerConfig& config, const std::set<impl::ActivityType>& activities,
               bool with_device) {
    static bool is_first = true;
    std::optional<HeldStderr> held;
    if (is_first || with_device) held.emplace();
    is_first = false;
    kineto::prepareProfiler(config, activities);
    if (held) printed_ = held->text();
  }
  // What older versions of libtorch have no field for, they do not tell.
  template <class Config>
  static void ask_for_more(Config& config, bool with_device) {
    if constexpr (requires { config.capture_overload_names; }) config.capture_overload_names = true;
    if constexpr (requires { config.expose_kineto_event_metadata; }) {
      config.expose_kineto_event_metadata = with_device;
    }
  }
  bool is_on_ = true;
  std::string printed_;
};

Tensors tensors_in(const Stack& values) {
  Tensors tensors;
  for (const auto& value : flatten_deeply(values)) {
    if (value.isTensor() && value.toTensor().defined()) tensors.push_back(value.toTensor());
  }
  return tensors;
}

int64_t bytes_of(const Tensors& tensors, std::set<const void*>& seen) {
  int64_t bytes = 0;
  for (const auto& tensor : tensors) {
    if (!tensor.defined() || !tensor.has_storage()) continue;
    if (!seen.insert(tensor.storage().unsafeGetStorageImpl()).second) continue;
    bytes += static_cast<int64_t>(tensor.storage().nbytes());
  }
  return bytes;
}

// A call that can be made again and again, each time on tensors of its own.
class Call {
 public:
  explicit Call(const ProfileRequest& request)
      : backward_(request.backward), callable_(find_callable(request.op, request.program)) {
    const auto used = names_in(request.args);
    ProjectInputs project;
    for (const auto& spec : request.inputs) {
      project.names.push_back(spec.name);
      if (used.count(spec.name) != 0) project.tensors.emplace(spec.name, make_input(spec));
    }
    arguments_ = make_arguments(callable_.schema, request.args, &project);
    for (const auto& tensor : tensors_in(arguments_)) {
      if (!tensor.is_cpu() && !device_) device_ = tensor.device();
    }
  }

  const Callable& callable() const { return callable_; }
  // Of the arguments that are not on the CPU.
  std::optional<at::Device> device() const { return device_; }

  // What a run works on and what it leaves: kept until the profiler is off, so that what the
  // results hold counts as held.
  struct Run {
    Stack stack;
    Tensors arguments, results, gradients;
  };
  Run prepare() const {
    Run run;
    run.stack = clones_of(arguments_);
    run.arguments = tensors_in(run.stack);
    // Devices copy them by and by: that is no part of the run.
    wait_for_devices();
    return run;
  }
  void make(Run& run) const {
    make_forward(run);
    if (backward_) make_backward(run);
  }
  void make_forward(Run& run) const {
    {
      RECORD_USER_SCOPE("forward");
      callable_.call(run.stack);
      wait_for_devices();
    }
    run.results = tensors_in(run.stack);
  }

 private:
  void make_backward(Run& run) const {
    Tensors wanted;
    for (const auto& tensor : run.arguments) {
      if (tensor.requires_grad() && tensor.is_leaf()) wanted.push_back(tensor);
    }
    const auto roots = differentiable_outputs(run.results);
    if (wanted.empty()) {
      throw Failure(ErrorCode::derivative_missing, callable_.name + ": no argument requires grad",
                    "To profile backward, set \"requires_grad\" on a floating-point input.");
    }
    if (roots.empty()) {
      throw Failure(ErrorCode::derivative_missing, callable_.name + ": no output requires grad",
                    "To profile backward, give the operator a derivative: register an Autograd "
                    "kernel.");
    }
    RECORD_USER_SCOPE("backward");
    Tensors ones;
    for (const auto& root : roots)
      ones.push_back(at::ones_like(root.detach()));
    run.gradients = torch::autograd::grad(roots, wanted, ones, std::nullopt,
                                          /*create_graph=*/false, /*allow_unused=*/true);
    wait_for_devices();
  }

  bool backward_;
  Callable callable_;
  Stack arguments_;
  std::optional<at::Device> device_;
};

// The median of runs without the profiler, once they are warm: the slower half is left to the
// warm-up.
void run_plainly(const Call& call, ProfileTrace& trace) {
  std::vector<int64_t> times;
  const auto start = Clock::now();
  while (times.size() < least_plain_runs ||
         (times.size() < most_plain_runs && seconds_since(start) < plain_seconds)) {
    auto run = call.prepare();
    const auto begin = Clock::now();
    call.make(run);
    times.push_back(
        std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count());
    if (times.size() == 1) {
      std::set<const void*> seen;
      trace.input_bytes = bytes_of(run.arguments, seen);
      trace.result_bytes = bytes_of(run.results, seen);
      trace.result_bytes += bytes_of(run.gradients, seen);
    }
    if (seconds_since(start) > 10 * plain_seconds) break;
  }
  trace.plain_runs = static_cast<int64_t>(times.size());
  std::vector<int64_t> warm(times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2),
                            times.end());
  const auto middle = warm.begin() + static_cast<std::ptrdiff_t>((warm.size() - 1) / 2);
  std::nth_element(warm.begin(), middle, warm.end());
  trace.plain_ns = *middle;
}

// The first events of a session make room for those that follow, which takes the time of dozens of
// operators. Before a run that is described no backward: see described_run.cpp on nodes.
void warm_up(const Call& call, bool describes) {
  auto run = call.prepare();
  if (describes) {
    call.make_forward(run);
  } else {
    call.make(run);
  }
}

// The position of the median; of an even number the lower one.
int64_t median_of(const std::vector<int64_t>& times) {
  std::vector<size_t> order(times.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return times[a] < times[b]; });
  return static_cast<int64_t>(order[(order.size() - 1) / 2]);
}

// "" where kernels were seen, or none were asked for.
std::string device_missing(const ProfileTrace& trace, const std::string& printed) {
  const auto& kinds = trace.events.kind;
  const bool is_seen =
      std::count(kinds.begin(), kinds.end(), static_cast<int64_t>(ProfileKind::Device)) > 0;
  return trace.has_device && !is_seen ? why_nothing_traced(printed) : "";
}

}  // namespace

ProfileTrace run_profile(const ProfileRequest& request) {
  const Stage stage(ErrorCode::operator_unknown);
  const Call call(request);
  ProfileTrace trace;
  trace.op = call.callable().name;
  trace.threads = request.threads;
  trace.has_device = call.device().has_value();
  const ThreadCount threads(request.threads);
  const Stage running(ErrorCode::operator_check);
  run_plainly(call, trace);

  std::string printed;
  const auto profiled = [&](bool describes) {
    auto run = call.prepare();
    Session session(call.device(), describes);
    printed += session.printed();
    if (trace.plain_ns < warm_up_below) warm_up(call, describes);
    call.make(run);
    return session.end();
  };
  const auto* program = call.callable().program.get();
  const auto described = profiled(/*describes=*/true);
  std::vector<std::unique_ptr<kineto::ProfilerResult>> results;
  size_t held = described->events().size();
  const auto start = Clock::now();
  while (held < most_held_events && results.size() < most_runs &&
         (results.empty() || seconds_since(start) < run_seconds)) {
    results.push_back(profiled(/*describes=*/false));
    held += results.back()->events().size();
    trace.run_ns.push_back(run_duration(results.back()->event_tree()));
  }
  const Stage reading(ErrorCode::operator_check, "reading the profile");
  if (!results.empty()) {
    trace.chosen = median_of(trace.run_ns);
    auto timed = trace;
    DescribedRun description(described->event_tree());
    const auto& chosen = *results[static_cast<size_t>(trace.chosen)];
    if (read_events(chosen.event_tree(), description, program, timed)) {
      timed.device_missing = device_missing(timed, printed);
      return timed;
    }
  }
  // It is too long to be run again, or does something else each time.
  trace.run_ns = {run_duration(described->event_tree())};
  trace.chosen = 0;
  DescribedRun description(described->event_tree());
  read_events(described->event_tree(), description, program, trace);
  trace.device_missing = device_missing(trace, printed);
  return trace;
}

#else

ProfileTrace run_profile(const ProfileRequest& /*request*/) {
  throw Failure(ErrorCode::toolchain_missing,
                "This libtorch was built without Kineto, the profiler of libtorch",
                "In the settings, choose a libtorch with Kineto, such as that of a PyTorch wheel.");
}

#endif

}  // namespace opsmith
