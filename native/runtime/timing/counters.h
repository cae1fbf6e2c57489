// Instructions and cycles by perf_event_open.
#pragma once

#include <optional>
#include <string>

namespace opsmith {

// Of the thread that makes it, in user space; threads that it starts, libtorch's pool among them,
// are not counted.
class HardwareCounters {
 public:
  HardwareCounters();
  ~HardwareCounters();
  HardwareCounters(const HardwareCounters&) = delete;
  HardwareCounters& operator=(const HardwareCounters&) = delete;

  // "" when they count, else why they do not, as a part of a sentence.
  const std::string& missing() const { return missing_; }
  void start();
  struct Counts {
    double instructions = 0, cycles = 0;
  };
  // Since start(); scaled up if other programs used the processor's counters in the meantime.
  std::optional<Counts> read() const;

 private:
  int leader_ = -1, cycles_ = -1;
  std::string missing_;
};

}  // namespace opsmith
