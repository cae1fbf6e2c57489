#include "device.h"

#include <ATen/accelerator/Graph.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <ATen/native/CPUFallback.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/view_native.h>
#include <c10/core/Allocator.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <dlfcn.h>
#include <torch/library.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

#include "memory.h"

namespace test_device {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto type = c10::DeviceType::PrivateUse1;
const c10::Device device(type, 0);

class Worker {
 public:
  Worker() {
    std::thread([this] { work(); }).detach();
  }
  void give(std::function<void()> job) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return jobs_.size() < launch_queue; });
    jobs_.push_back(std::move(job));
    ++given_;
    changed_.notify_all();
  }
  bool is_busy() {
    const std::lock_guard lock(mutex_);
    return done_ < given_;
  }
  void wait() {
    std::unique_lock lock(mutex_);
    const auto all = given_;
    changed_.wait(lock, [&] { return done_ >= all; });
  }

 private:
  [[noreturn]] void work() {
    for (;;) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return !jobs_.empty(); });
      auto job = std::move(jobs_.front());
      jobs_.pop_front();
      changed_.notify_all();
      lock.unlock();
      job();
      job = nullptr;
      lock.lock();
      ++done_;
      changed_.notify_all();
    }
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
  uint64_t given_ = 0, done_ = 0;
};

Worker& worker(c10::StreamId stream) {
  // Its threads never end: it must outlive everything.
  static auto* workers = new Worker[streams];
  return workers[stream];
}

std::mutex fault_mutex;
std::string fault, next_fault;
int64_t launches_until_fault = 0;
const pid_t owner = getpid();

/// As CUDA's devices, it can be hidden from a process.
bool is_hidden() {
  static const bool hidden = [] {
    const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
    return visible != nullptr && *visible == '\0';
  }();
  static const char* gone = std::getenv("TEST_DEVICE_GONE");
  return hidden || (gone != nullptr && access(gone, F_OK) == 0);
}

using Jobs = std::vector<std::function<void()>>;
Jobs* capturing = nullptr;
c10::StreamId captured = 0;
thread_local c10::StreamId current = 0;

struct Moment {
  std::mutex mutex;
  std::condition_variable changed;
  bool reached = true;
  Clock::time_point at;
};
using Event = std::shared_ptr<Moment>;

void wait_for_moment(const Event& event) {
  std::unique_lock lock(event->mutex);
  event->changed.wait(lock, [&] { return event->reached; });
}

c10::Stream stream_of(c10::StreamId id) {
  return c10::Stream(c10::Stream::UNSAFE, device, id);
}

struct Guard final : c10::impl::DeviceGuardImplInterface {
  c10::DeviceType type() const override { return test_device::type; }
  c10::Device exchangeDevice(c10::Device) const override { return device; }
  c10::Device getDevice() const override { return device; }
  void setDevice(c10::Device) const override {}
  void uncheckedSetDevice(c10::Device) const noexcept override {}
  c10::DeviceIndex deviceCount() const noexcept override { return is_hidden() ? 0 : 1; }
  c10::Stream getStream(c10::Device) const override { return stream_of(current); }
  c10::Stream getDefaultStream(c10::Device) const override { return stream_of(0); }
  c10::Stream getStreamFromGlobalPool(c10::Device, bool) const override { return stream_of(1); }
  c10::Stream exchangeStream(c10::Stream stream) const override {
    return stream_of(std::exchange(current, stream.id()));
  }
  void record(void** event, const c10::Stream& stream, c10::DeviceIndex,
              c10::EventFlag) const override {
    check_device();
    if (*event == nullptr) *event = new Event(std::make_shared<Moment>());
    const auto moment = *static_cast<Event*>(*event);
    moment->reached = false;
    worker(stream.id()).give([moment] {
      const std::lock_guard lock(moment->mutex);
      moment->at = Clock::now();
      moment->reached = true;
      moment->changed.notify_all();
    });
  }
  void destroyEvent(void* event, c10::DeviceIndex) const noexcept override {
    delete static_cast<Event*>(event);
  }
  void block(void* event, const c10::Stream& stream) const override {
    const auto moment = *static_cast<Event*>(event);
    enqueue(stream.id(), [moment] { wait_for_moment(moment); });
  }
  void* getStreamNativeHandle(const c10::Stream stream) const override { return handle_of(stream.id()); }
  bool queryEvent(void* event) const override {
    const auto moment = *static_cast<Event*>(event);
    const std::lock_guard lock(moment->mutex);
    return moment->reached;
  }
  void synchronizeEvent(void* event) const override {
    wait_for_moment(*static_cast<Event*>(event));
    check_device();
  }
  bool queryStream(const c10::Stream&) const override { return false; }
  void synchronizeStream(const c10::Stream& stream) const override { wait_for(stream.id()); }
  void synchronizeDevice(c10::DeviceIndex) const override { wait_for_all(); }
  double elapsedTime(void* start, void* end, c10::DeviceIndex) const override {
    const auto from = (*static_cast<Event*>(start))->at, to = (*static_cast<Event*>(end))->at;
    constexpr double step = 0.5e-3;
    return std::round(std::chrono::duration<double, std::milli>(to - from).count() / step) * step;
  }
};
C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard);

struct Graph final : at::GraphImplInterface {
  explicit Graph(const at::GraphImplArgs&) {}
  void capture_begin(at::MempoolId_t, at::GraphCaptureMode) override {
    TORCH_CHECK(current != 0, "the default stream cannot be captured");
    jobs->clear();
    capturing = jobs.get();
    captured = current;
  }
  void capture_end() override { capturing = nullptr; }
  void instantiate() override {}
  void replay() override {
    worker(current).give([jobs = jobs] {
      for (const auto& job : *jobs)
        job();
    });
  }
  void reset() override { jobs->clear(); }
  at::MempoolId_t pool() const override { return {0, 0}; }
  void enable_debug_mode() override {}
  void debug_dump(const std::string&) override {}
  std::shared_ptr<Jobs> jobs = std::make_shared<Jobs>();
};

at::Tensor empty(c10::IntArrayRef size, std::optional<at::ScalarType> dtype,
                 std::optional<at::Layout>, std::optional<at::Device>, std::optional<bool>,
                 std::optional<at::MemoryFormat> format) {
  const auto strides = at::empty(size, at::TensorOptions().device(at::kMeta).memory_format(format));
  const auto meta = c10::scalarTypeToTypeMeta(dtype.value_or(at::kFloat));
  const auto bytes = static_cast<size_t>(strides.numel()) * meta.itemsize();
  auto tensor = at::detail::make_tensor<c10::TensorImpl>(
      c10::Storage(c10::Storage::use_byte_size_t(), bytes, device_memory()->allocate(bytes),
                   device_memory()),
      c10::DispatchKeySet(c10::DispatchKey::PrivateUse1), meta);
  tensor.unsafeGetTensorImpl()->set_sizes_and_strides(size, strides.strides());
  return tensor;
}

at::Tensor empty_strided(c10::IntArrayRef size, c10::IntArrayRef stride,
                         std::optional<at::ScalarType> dtype, std::optional<at::Layout> layout,
                         std::optional<at::Device> where, std::optional<bool> pinned) {
  auto tensor = empty(size, dtype, layout, where, pinned, std::nullopt);
  tensor.unsafeGetTensorImpl()->set_sizes_and_strides(size, stride);
  return tensor;
}

/// The same memory, as a tensor of the CPU.
at::Tensor on_host(const at::Tensor& tensor) {
  if (tensor.is_cpu()) return tensor;
  const auto same = at::from_blob(seen_by_device(tensor.data_ptr()), tensor.sizes(), tensor.strides(),
                                  tensor.options().device(at::kCPU));
  same._set_neg(tensor.is_neg());
  same._set_conj(tensor.is_conj());
  return same;
}

at::Tensor copy_from(const at::Tensor& from, const at::Tensor& to, bool) {
  wait_for_all();
  on_host(to).copy_(on_host(from));
  return to;
}

at::Tensor copy_from_and_resize(const at::Tensor& from, const at::Tensor& to) {
  if (to.sizes() != from.sizes()) {
    const auto fresh = empty(from.sizes(), to.scalar_type(), {}, {}, {}, {});
    to.unsafeGetTensorImpl()->set_storage_keep_dtype(fresh.storage());
    to.unsafeGetTensorImpl()->set_sizes_contiguous(from.sizes());
  }
  return copy_from(from, to, false);
}

/// What timing overwrites to empty a cache is large, and never read: this device has no cache, and
/// only takes its time for it.
constexpr size_t large = size_t{32} << 20;
constexpr auto time_for_large = std::chrono::microseconds(200);

at::Tensor& zero(at::Tensor& tensor) {
  enqueue(current, [tensor] {
    if (tensor.nbytes() < large) std::memset(seen_by_device(tensor.data_ptr()), 0, tensor.nbytes());
    // Asleep: timing does it all the time, and other tests want the processor.
    std::this_thread::sleep_for(time_for_large);
  });
  return tensor;
}

void on_cpu(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  TORCH_CHECK(capturing == nullptr, "this cannot be captured: the CPU does it");
  wait_for_all();
  at::native::cpu_fallback(op, stack);
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, m) {
  m.fallback(torch::CppFunction::makeFromBoxedFunction<&on_cpu>());
}
TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("empty.memory_format", &empty);
  m.impl("empty_strided", &empty_strided);
  m.impl("as_strided", &at::native::as_strided_tensorimpl);
  m.impl("view", &at::native::view);
  m.impl("_copy_from", &copy_from);
  m.impl("_copy_from_and_resize", &copy_from_and_resize);
  m.impl("zero_", &zero);
}

// A copy sees to these itself: without them, copying would ask for a copy first.
TORCH_LIBRARY_IMPL(aten, Negative, m) {
  m.impl("_copy_from", torch::CppFunction::makeFallthrough());
}
TORCH_LIBRARY_IMPL(aten, Conjugate, m) {
  m.impl("_copy_from", torch::CppFunction::makeFallthrough());
}

struct Hooks final : at::PrivateUse1HooksInterface {
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return !is_hidden(); }
  bool hasPrimaryContext(c10::DeviceIndex) const override { return !is_hidden(); }
};
const bool hooked = [] {
  at::RegisterPrivateUse1HooksInterface(new Hooks());
  return true;
}();

// libtorch keeps pointers to what is registered here, and threads run in it: it must stay loaded.
const bool stays = [] {
  Dl_info here{};
  dladdr(reinterpret_cast<void*>(&wait_for_all), &here);
  return dlopen(here.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE) != nullptr;
}();
// Before its graphs are looked for by that name.
const bool named = [] {
  c10::register_privateuse1_backend("testdevice");
  return true;
}();
using at::GraphImplRegistry;
using at::RegistererGraphImplRegistry;
REGISTER_GRAPH_IMPL(TESTDEVICE, Graph);

}  // namespace

void enqueue(c10::StreamId stream, std::function<void()> job) {
  check_device();
  {
    const std::lock_guard lock(fault_mutex);
    if (launches_until_fault > 0 && --launches_until_fault == 0) fault = next_fault;
  }
  // As on a GPU, what goes to another stream is done, and is no part of the graph.
  if (capturing != nullptr && stream == captured)
    capturing->push_back(std::move(job));
  else
    worker(stream).give(std::move(job));
}

c10::StreamId current_stream() {
  return current;
}

void* handle_of(c10::StreamId stream) {
  return reinterpret_cast<void*>(static_cast<intptr_t>(stream) + 1);
}

c10::StreamId stream_of_handle(const void* handle) {
  return static_cast<c10::StreamId>(reinterpret_cast<intptr_t>(handle)) - 1;
}

bool is_capturing() {
  return capturing != nullptr;
}

bool is_busy() {
  for (int stream = 0; stream < streams; ++stream) {
    if (worker(stream).is_busy()) return true;
  }
  return false;
}

void wait_for(c10::StreamId stream) {
  check_device();
  worker(stream).wait();
  check_device();
}

void wait_for_all() {
  for (int stream = 0; stream < streams; ++stream)
    wait_for(stream);
}

void break_device(const std::string& words) {
  const std::lock_guard lock(fault_mutex);
  if (fault.empty()) fault = words;
}

void break_device_after(int64_t launches, const std::string& words) {
  const std::lock_guard lock(fault_mutex);
  next_fault = words;
  launches_until_fault = launches;
}

void check_device() {
  TORCH_CHECK(getpid() == owner, "CUDA error: initialization error (the test device in a copy of its process)");
  TORCH_CHECK(!is_hidden(), "CUDA error: no CUDA-capable device is detected (the test device is hidden)");
  const std::lock_guard lock(fault_mutex);
  TORCH_CHECK(fault.empty(), fault);
}

}  // namespace test_device

extern "C" __attribute__((visibility("default"))) int opsmith_cuda_device(int index) {
  if (std::getenv("TEST_DEVICE_IS_CUDA") == nullptr) return -1;
  // test/cases/stand-ins/nvml.c, whose device has a low clock at rest.
  using Answer = int (*)();
  if (void* management = dlopen("libnvidia-ml.so.1", RTLD_NOW)) {
    auto* is_busy = static_cast<Answer*>(dlsym(management, "stand_in_is_busy"));
    if (is_busy != nullptr) *is_busy = [] { return test_device::is_busy() ? 1 : 0; };
  }
  return index;
}
