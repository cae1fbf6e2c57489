// What CUDA's driver says of itself and of the GPUs that it has. The driver is opened at run time:
// this needs neither CUDA's headers nor libtorch, and opsmith_launcher prints it too (--gpus).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace opsmith {

struct DriverDevice {
  std::string name, architecture, pci;  // "90": compute capability 9.0
  uint64_t memory_bytes = 0;
  int64_t cache_bytes = 0, multiprocessors = 0;
  int64_t clock = 0, memory_clock = 0;  // Hz; the highest that it reaches
  int64_t bus_bits = 0;
};

struct DriverReport {
  std::string why;   // in a clause: why it cannot be used; "" where it can
  std::string code;  // what cuInit answers, by name; "" where it could not be asked
  int version = 0;   // 1000 * major + 10 * minor of the CUDA that it takes; 0 where it does not say
  std::vector<DriverDevice> devices;
};
DriverReport report_driver();

// A word and its values in a line each, tabs between them.
std::string text_of(const DriverReport& report);

}  // namespace opsmith
