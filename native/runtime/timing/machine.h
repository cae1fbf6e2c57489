// The machine that timings are taken on: its caches, its clocks and what it can do at most.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace opsmith {

// contract/bench.ts's machineFacts.
struct MachineFacts {
  std::string processor;
  int64_t cores = 0;
  int64_t cache_bytes = 0;  // of the last level
  std::string governor;     // "" where the system does not say
  std::string counters_missing;
};
MachineFacts machine_facts();

// contract/bench.ts's machineCeilings. Of `threads` threads: a copy of far more bytes than the
// caches hold, and products of matrices; the best of several each.
struct MachineCeilings {
  int64_t threads = 1;
  double bytes_per_second = 0, float32_flops = 0, float64_flops = 0;
};
MachineCeilings measure_ceilings(int64_t threads);

// Seconds of CPU time so far: of this thread, of this process, of the whole machine (stolen time
// included; 0 where /proc/stat is missing).
struct CpuTimes {
  double thread = 0, process = 0, machine = 0;
};
CpuTimes cpu_times();

// Writes to twice the memory that the last level of cache holds.
void flush_caches();

// Instructions and cycles of this thread in user space (perf_event_open), while it lives.
class HardwareCounters {
 public:
  HardwareCounters();
  ~HardwareCounters();
  HardwareCounters(const HardwareCounters&) = delete;
  HardwareCounters& operator=(const HardwareCounters&) = delete;

  // "" when they count, else why they do not.
  const std::string& missing() const { return missing_; }
  struct Counts {
    double instructions = 0, cycles = 0;
  };
  // Since this was made.
  std::optional<Counts> read() const;

 private:
  int instructions_ = -1, cycles_ = -1;
  std::string missing_;
};

}  // namespace opsmith
