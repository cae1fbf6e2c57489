// Operators whose timings lie, each in one way, beside honest ones.

#include <ATen/ATen.h>
#include <torch/library.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace {

/// Twice x.
at::Tensor honest(const at::Tensor& x) {
  return x * 2;
}

/// Twice x, computed once for an address: later calls look nothing up but the address.
at::Tensor cached(const at::Tensor& x) {
  static const void* last = nullptr;
  static at::Tensor result;
  if (last == x.data_ptr() && result.defined()) return result;
  last = x.data_ptr();
  result = x * 2;
  return result;
}

/// One thread that fills the newest output in, some time after it was returned.
class Worker {
 public:
  Worker() {
    std::thread([this] { work(); }).detach();
  }
  void give(at::Tensor x, at::Tensor output) {
    const std::lock_guard lock(mutex_);
    x_ = std::move(x);
    output_ = std::move(output);
    wake_.notify_one();
  }

 private:
  [[noreturn]] void work() {
    for (;;) {
      at::Tensor x, output;
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [this] { return output_.defined(); });
        x = std::move(x_);
        output = std::move(output_);
        output_ = at::Tensor();
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      output.copy_(x * 2);
    }
  }
  std::mutex mutex_;
  std::condition_variable wake_;
  at::Tensor x_, output_;
};

/// Twice x, some time after it has returned.
at::Tensor later(const at::Tensor& x) {
  static auto* worker = new Worker;
  auto output = at::zeros_like(x);
  worker->give(x.clone(), output);
  return output;
}

/// Twice x but for the last element.
at::Tensor wrong(const at::Tensor& x) {
  auto result = x * 2;
  result.view({-1})[-1] += 1;
  return result;
}

void spin() {
  for (volatile int i = 0; i < 1'000'000; i = i + 1) {
  }
}

/// Twice x, with a thread of its own that is as busy as the caller's.
at::Tensor helped(const at::Tensor& x) {
  std::thread helper(spin);
  spin();
  helper.join();
  return x * 2;
}

/// Where the elements of x lie.
at::Tensor address(const at::Tensor& x) {
  return at::scalar_tensor(static_cast<int64_t>(reinterpret_cast<intptr_t>(x.data_ptr())),
                           at::kLong);
}

/// Twice x, and writes to x, of which neither the schema nor autograd is told.
at::Tensor scribbles(const at::Tensor& x) {
  auto result = x * 2;
  *x.data_ptr<float>() += 1;
  return result;
}

at::Tensor crashes(const at::Tensor& x) {
  volatile float* nowhere = nullptr;
  *nowhere = 1;
  return x;
}

at::Tensor hangs(const at::Tensor& x) {
  // Without a rest it takes a core from what else is tested.
  for (volatile bool going = true; going;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return x;
}

}  // namespace

TORCH_LIBRARY(traps, m) {
  m.def("honest(Tensor x) -> Tensor", &honest);
  m.def("cached(Tensor x) -> Tensor", &cached);
  m.def("later(Tensor x) -> Tensor", &later);
  m.def("wrong(Tensor x) -> Tensor", &wrong);
  m.def("helped(Tensor x) -> Tensor", &helped);
  m.def("address(Tensor x) -> Tensor", &address);
  m.def("scribbles(Tensor x) -> Tensor", &scribbles);
  m.def("crashes(Tensor x) -> Tensor", &crashes);
  m.def("hangs(Tensor x) -> Tensor", &hangs);
}
