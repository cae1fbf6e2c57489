// The machine that timings are taken on: its caches, its clocks and its limits.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "runtime/timing/frequency.h"

namespace opsmith {

// contract/timing.ts's machineFacts.
struct MachineFacts {
  std::string processor;
  int64_t cores = 0;
  int64_t cache_bytes = 0;  // of the last level
  FrequencyFacts frequency;
  std::string counters_missing;
};
MachineFacts machine_facts();

// contract/timing.ts's machineCeilings. Of `threads` threads: a copy of far more bytes than the
// caches hold, and products of matrices; the best of several each.
struct MachineCeilings {
  int64_t threads = 1;
  double bytes_per_second = 0;
  std::map<std::string, double> flops;  // of a second, by dtype
  // Cores that others kept busy meanwhile, and how far the middle one of the copies lay above the
  // shortest, as a part of that: what tells whether the machine was at rest.
  double others_busy = 0, spread = 0;
};
struct CeilingsRequest {
  int64_t threads = 1;
};
MachineCeilings measure_ceilings(const CeilingsRequest& request);

// Seconds of CPU time so far: of this thread, of this process, of the whole machine (stolen time
// included; 0 where /proc/stat is missing).
struct CpuTimes {
  double thread = 0, process = 0, machine = 0;
};
CpuTimes cpu_times();

// Writes to twice the memory that the last level of cache holds.
void flush_caches();

}  // namespace opsmith
