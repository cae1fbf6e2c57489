#pragma once

#include <ATen/Parallel.h>

#include <cstdint>

namespace opsmith {

// How many threads libtorch may use, as long as this lives.
class ThreadCount {
 public:
  explicit ThreadCount(int64_t count) : before_(at::get_num_threads()) {
    at::set_num_threads(static_cast<int>(count));
  }
  ~ThreadCount() { at::set_num_threads(before_); }
  ThreadCount(const ThreadCount&) = delete;
  ThreadCount& operator=(const ThreadCount&) = delete;

 private:
  int before_;
};

}  // namespace opsmith
