// Why libtorch's profiler (Kineto) sees nothing of a device.
#pragma once

#include <string>

namespace opsmith {

// What the process writes to stderr while this lives, which arrives nowhere else.
class HeldStderr {
 public:
  HeldStderr();
  ~HeldStderr();
  HeldStderr(const HeldStderr&) = delete;
  HeldStderr& operator=(const HeldStderr&) = delete;

  std::string text() const;

 private:
  int kept_;
  int file_;
};

// Why CUPTI, by which Kineto looks at NVIDIA's GPUs, gives nothing: it is not in this libtorch, or
// it does not start, by its own name for the error; `printed` is what Kineto said meanwhile. Never
// "". To be asked where a session has seen no event of the device.
std::string why_nothing_traced(const std::string& printed);

}  // namespace opsmith
