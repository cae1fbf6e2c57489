#include "runtime/timing/device_facts.h"

#include <utility>

#include "runtime/timing/driver_library.h"

namespace opsmith {
namespace {

// The part of cuda.h that is used: CUresult, CUdevice and CUdevice_attribute are int there, and 0
// is CUDA_SUCCESS.
constexpr int multiprocessor_count = 16, l2_cache_size = 38;

struct Driver {
  DriverLibrary library{"libcuda.so.1"};
  int (*initialise)(unsigned) = library.find<int(unsigned)>("cuInit");
  int (*device)(int*, int) = library.find<int(int*, int)>("cuDeviceGet");
  int (*name)(char*, int, int) = library.find<int(char*, int, int)>("cuDeviceGetName");
  int (*attribute)(int*, int, int) = library.find<int(int*, int, int)>("cuDeviceGetAttribute");
  int (*bus_id)(char*, int, int) = library.find<int(char*, int, int)>("cuDeviceGetPCIBusId");
};

const Driver& driver() {
  static const Driver found;
  return found;
}

// "" and the driver's number of a device, else why there is none.
std::pair<std::string, int> driver_device(at::Device device) {
  const auto& cuda = driver();
  if (const auto missing = cuda.library.missing(); !missing.empty()) return {missing, 0};
  if (!cuda.initialise || !cuda.device || !cuda.name || !cuda.attribute || !cuda.bus_id) {
    return {"libcuda.so.1 lacks a function that every version has", 0};
  }
  int handle = 0;
  int error = cuda.initialise(0);
  if (error == 0) error = cuda.device(&handle, device.has_index() ? device.index() : 0);
  if (error != 0) return {"NVIDIA’s driver answers with error " + std::to_string(error), 0};
  return {"", handle};
}

// The part of nvml.h that is used: nvmlReturn_t and the enumerations are int there, 0 is
// NVML_SUCCESS, and a device is a pointer.
using NvmlDevice = struct nvmlDevice_st*;
constexpr int nvml_insufficient_size = 7;
constexpr int clock_sm = 1, clock_memory = 2, temperature_gpu = 0;

struct Nvml {
  DriverLibrary library{"libnvidia-ml.so.1"};
  int (*initialise)() = library.find<int()>("nvmlInit_v2");
  int (*device)(const char*, NvmlDevice*) =
      library.find<int(const char*, NvmlDevice*)>("nvmlDeviceGetHandleByPciBusId_v2");
  int (*clock)(NvmlDevice, int,
               unsigned*) = library.find<int(NvmlDevice, int, unsigned*)>("nvmlDeviceGetClockInfo");
  int (*temperature)(NvmlDevice, int, unsigned*) =
      library.find<int(NvmlDevice, int, unsigned*)>("nvmlDeviceGetTemperature");
  int (*power)(NvmlDevice,
               unsigned*) = library.find<int(NvmlDevice, unsigned*)>("nvmlDeviceGetPowerUsage");
  int (*reasons)(NvmlDevice, unsigned long long*) = clock_reasons();
  int (*processes)(NvmlDevice, unsigned*, void*) =
      library.find<int(NvmlDevice, unsigned*, void*)>("nvmlDeviceGetComputeRunningProcesses_v3");
  int started = initialise != nullptr ? initialise() : -1;

 private:
  // Renamed in driver 535.
  int (*clock_reasons() const)(NvmlDevice, unsigned long long*) {
    using Reasons = int(NvmlDevice, unsigned long long*);
    auto* now = library.find<Reasons>("nvmlDeviceGetCurrentClocksEventReasons");
    return now ? now : library.find<Reasons>("nvmlDeviceGetCurrentClocksThrottleReasons");
  }
};

const Nvml& nvml() {
  static const Nvml found;
  return found;
}

// nvmlClocksEventReasons: those that keep the clock below what it would be. An idle GPU, one whose
// clocks are set by hand and one that waits for others are left out.
std::vector<std::string> names_of(unsigned long long reasons) {
  static constexpr std::pair<unsigned long long, const char*> names[] = {{0x4, "power cap"},
                                                                         {0x8, "hardware slowdown"},
                                                                         {0x20, "heat (software)"},
                                                                         {0x40, "heat (hardware)"},
                                                                         {0x80, "power brake"}};
  std::vector<std::string> found;
  for (const auto& [bit, name] : names) {
    if ((reasons & bit) != 0) found.emplace_back(name);
  }
  return found;
}

// Absent where the function is, or does not answer for this device.
template <typename... Given>
std::optional<double> ask(int (*function)(NvmlDevice, Given..., unsigned*), NvmlDevice device,
                          double unit, Given... given) {
  unsigned value = 0;
  if (function == nullptr || function(device, given..., &value) != 0) return std::nullopt;
  return static_cast<double>(value) * unit;
}

const char* only_nvidia = "only NVIDIA’s GPUs are asked for it";

}  // namespace

DeviceFacts device_facts(at::Device device) {
  DeviceFacts facts;
  facts.device = device.str();
  facts.name = device.str();
  if (!device.is_cuda()) {
    facts.missing = only_nvidia;
    return facts;
  }
  const auto [missing, handle] = driver_device(device);
  facts.missing = missing;
  if (!missing.empty()) return facts;
  const auto& cuda = driver();
  char name[256] = "";
  if (cuda.name(name, sizeof name, handle) == 0) facts.name = name;
  int value = 0;
  if (cuda.attribute(&value, l2_cache_size, handle) == 0) facts.cache_bytes = value;
  if (cuda.attribute(&value, multiprocessor_count, handle) == 0) facts.multiprocessors = value;
  return facts;
}

DeviceState device_state(at::Device device) {
  DeviceState state;
  if (!device.is_cuda()) {
    state.missing = only_nvidia;
    return state;
  }
  const auto [missing, handle] = driver_device(device);
  state.missing = missing;
  if (!missing.empty()) return state;
  const auto& management = nvml();
  state.missing = management.library.missing();
  if (!state.missing.empty()) return state;
  // By its place on the bus: CUDA_VISIBLE_DEVICES numbers the others anew, NVML does not know it.
  char bus_id[64] = "";
  NvmlDevice nvml_device = nullptr;
  if (management.started != 0 || management.device == nullptr ||
      driver().bus_id(bus_id, sizeof bus_id, handle) != 0 ||
      management.device(bus_id, &nvml_device) != 0) {
    state.missing = "NVML (libnvidia-ml.so.1) does not know this GPU";
    return state;
  }
  constexpr double megahertz = 1e6;
  state.clock = ask<int>(management.clock, nvml_device, megahertz, clock_sm);
  state.memory_clock = ask<int>(management.clock, nvml_device, megahertz, clock_memory);
  state.temperature = ask<int>(management.temperature, nvml_device, 1, temperature_gpu);
  state.power = ask<>(management.power, nvml_device, 1e-3);
  if (unsigned long long reasons = 0;
      management.reasons != nullptr && management.reasons(nvml_device, &reasons) == 0) {
    state.slowed_by = names_of(reasons);
  }
  // Asked with no room for them, it says how many there are.
  if (unsigned count = 0; management.processes != nullptr) {
    const int answer = management.processes(nvml_device, &count, nullptr);
    if (answer == 0 || answer == nvml_insufficient_size) state.processes = count;
  }
  return state;
}

}  // namespace opsmith
