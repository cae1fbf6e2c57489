// Two threads, two mutexes, taken in opposite order.

#include <ATen/core/Tensor.h>
#include <torch/library.h>

#include <chrono>
#include <mutex>
#include <thread>

namespace {

void take_both(std::mutex& first, std::mutex& second) {
  std::lock_guard<std::mutex> hold_first(first);
  // Long enough for the other thread to take its own first one.
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  std::lock_guard<std::mutex> hold_second(second);
}

at::Tensor run(const at::Tensor& x) {
  std::mutex a;
  std::mutex b;
  std::thread other([&] { take_both(b, a); });
  take_both(a, b);
  other.join();
  return x;
}

TORCH_LIBRARY(deadlock, m) {
  m.def("run(Tensor x) -> Tensor", &run);
}

}  // namespace
