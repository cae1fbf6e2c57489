#include "runtime/timing/device_facts.h"

#include <unistd.h>

#include <algorithm>
#include <map>
#include <utility>

#include "runtime/library.h"
#include "runtime/process/process_tree.h"
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
  int (*reset_cache)() = library.find<int()>("cuCtxResetPersistingL2Cache");
};

const Driver& driver() {
  static const Driver found;
  return found;
}

// CUDA's number of a device; -1 of one that is not NVIDIA's. A backend of PyTorch's own kind
// (PrivateUse1) that works with one of NVIDIA's GPUs says by opsmith_cuda_device(index) which.
int cuda_number(at::Device device) {
  const int index = device.has_index() ? device.index() : 0;
  if (device.is_cuda()) return index;
  if (!device.is_privateuseone()) return -1;
  const auto number = reinterpret_cast<int (*)(int)>(library_symbol("opsmith_cuda_device"));
  return number == nullptr ? -1 : number(index);
}

// "" and the driver's number of a device, else why there is none.
std::pair<std::string, int> driver_device(at::Device device) {
  const auto& cuda = driver();
  if (const auto missing = cuda.library.missing(); !missing.empty()) return {missing, 0};
  if (!cuda.initialise || !cuda.device || !cuda.name || !cuda.attribute || !cuda.bus_id) {
    return {
        "libcuda.so.1 does not contain a function that every version contains: install the NVIDIA "
        "driver again",
        0};
  }
  int handle = 0;
  int error = cuda.initialise(0);
  if (error == 0) error = cuda.device(&handle, cuda_number(device));
  if (error != 0) return {"NVIDIA’s driver returns error " + std::to_string(error), 0};
  return {"", handle};
}

// The part of nvml.h that is used: nvmlReturn_t and the enumerations are int there, 0 is
// NVML_SUCCESS, and a device is a pointer.
using NvmlDevice = struct nvmlDevice_st*;
constexpr int nvml_insufficient_size = 7;
constexpr int clock_sm = 1, clock_memory = 2, temperature_gpu = 0;

// nvmlProcessInfo_t, nvmlFieldValue_t and nvmlViolationTime_t.
struct NvmlProcess {
  unsigned process;
  unsigned long long memory;
  unsigned gpu_instance, compute_instance;
};
struct NvmlField {
  unsigned field, scope;
  long long time, latency;
  int type, error;
  union {
    unsigned number;
    unsigned long long wide;
  } value;
};
struct NvmlViolation {
  unsigned long long time, slowed;  // ns
};
constexpr unsigned power_instant = 186;

struct Nvml {
  DriverLibrary library{"libnvidia-ml.so.1"};
  int (*initialise)() = library.find<int()>("nvmlInit_v2");
  int (*device)(const char*, NvmlDevice*) =
      library.find<int(const char*, NvmlDevice*)>("nvmlDeviceGetHandleByPciBusId_v2");
  int (*clock)(NvmlDevice, int,
               unsigned*) = library.find<int(NvmlDevice, int, unsigned*)>("nvmlDeviceGetClockInfo");
  const char* (*error_text)(int) = library.find<const char*(int)>("nvmlErrorString");
  int (*temperature)(NvmlDevice, int, unsigned*) =
      library.find<int(NvmlDevice, int, unsigned*)>("nvmlDeviceGetTemperature");
  int (*power)(NvmlDevice,
               unsigned*) = library.find<int(NvmlDevice, unsigned*)>("nvmlDeviceGetPowerUsage");
  int (*fields)(NvmlDevice, int, NvmlField*) =
      library.find<int(NvmlDevice, int, NvmlField*)>("nvmlDeviceGetFieldValues");
  int (*reasons)(NvmlDevice, unsigned long long*) = clock_reasons();
  int (*violation)(NvmlDevice, int, NvmlViolation*) =
      library.find<int(NvmlDevice, int, NvmlViolation*)>("nvmlDeviceGetViolationStatus");
  int (*parts)(NvmlDevice, unsigned*, unsigned*) =
      library.find<int(NvmlDevice, unsigned*, unsigned*)>("nvmlDeviceGetMigMode");
  int (*processes)(NvmlDevice, unsigned*, NvmlProcess*) =
      library.find<int(NvmlDevice, unsigned*, NvmlProcess*)>(
          "nvmlDeviceGetComputeRunningProcesses_v3");
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
template <typename Function, typename... Given>
std::optional<double> ask(Function* function, NvmlDevice device, double unit, Given... given) {
  unsigned value = 0;
  if (function == nullptr || function(device, given..., &value) != 0) return std::nullopt;
  return static_cast<double>(value) * unit;
}

// Why no question is answered of a device that was there: it has left the bus, or must be reset. ""
// where it answers, or does not know its clock.
std::string why_lost(NvmlDevice device) {
  constexpr int not_supported = 3;
  unsigned value = 0;
  const auto& management = nvml();
  const int error = management.clock == nullptr ? 0 : management.clock(device, clock_sm, &value);
  if (error == 0 || error == not_supported) return "";
  const char* text = management.error_text == nullptr ? nullptr : management.error_text(error);
  return std::string("NVML reports: ") +
         (text == nullptr ? "error " + std::to_string(error) : std::string(text));
}

// The mean of a second on newer GPUs, of which a sample is a small part; this moment's where the
// driver has that.
std::optional<double> power_of(NvmlDevice device) {
  constexpr int unsigned_int = 1;
  constexpr double milliwatt = 1e-3;
  NvmlField field{};
  field.field = power_instant;
  if (nvml().fields != nullptr && nvml().fields(device, 1, &field) == 0 && field.error == 0 &&
      field.type == unsigned_int) {
    return field.value.number * milliwatt;
  }
  return ask(nvml().power, device, milliwatt);
}

// The GPU's list without this process and the other op hosts of its parent, which keep a context
// and wait. On a part of a GPU (MIG) the list holds the processes of all parts; where this process
// is not in it, it is of others than those that are meant: a container's numbers are not the
// machine's, and MPS counts as one.
std::optional<int64_t> other_processes_on(NvmlDevice device) {
  unsigned is_parted = 0, will_be = 0;
  const auto& management = nvml();
  if (management.parts != nullptr && management.parts(device, &is_parted, &will_be) == 0 &&
      is_parted != 0) {
    return std::nullopt;
  }
  if (management.processes == nullptr) return std::nullopt;
  unsigned count = 0;
  const int answer = management.processes(device, &count, nullptr);
  if (answer != 0 && answer != nvml_insufficient_size) return std::nullopt;
  std::vector<NvmlProcess> found(count + 16);
  count = static_cast<unsigned>(found.size());
  if (management.processes(device, &count, found.data()) != 0) return std::nullopt;
  found.resize(std::min<size_t>(count, found.size()));
  const auto own = static_cast<unsigned>(getpid());
  const bool has_own =
      std::any_of(found.begin(), found.end(), [&](const auto& one) { return one.process == own; });
  if (!has_own) return std::nullopt;
  return std::count_if(found.begin(), found.end(), [&](const auto& one) {
    return one.process != own && parent_of(static_cast<pid_t>(one.process)) != getppid();
  });
}

// NVML's of a device, looked up once, or why there is none. By its place on the bus:
// CUDA_VISIBLE_DEVICES numbers the others anew, NVML does not know it.
std::pair<std::string, NvmlDevice> nvml_device(at::Device device) {
  static std::map<int, NvmlDevice> known;
  const auto found = known.find(cuda_number(device));
  if (found != known.end()) return {"", found->second};
  const auto [missing, handle] = driver_device(device);
  if (!missing.empty()) return {missing, nullptr};
  const auto& management = nvml();
  if (const auto absent = management.library.missing(); !absent.empty()) return {absent, nullptr};
  char bus_id[64] = "";
  NvmlDevice own = nullptr;
  if (management.started != 0 || management.device == nullptr ||
      driver().bus_id(bus_id, sizeof bus_id, handle) != 0 || management.device(bus_id, &own) != 0) {
    return {"NVML (libnvidia-ml.so.1) does not know this GPU", nullptr};
  }
  known.emplace(cuda_number(device), own);
  return {"", own};
}

const char* only_nvidia = "Opsmith can query only NVIDIA’s GPUs";

}  // namespace

DeviceFacts device_facts(at::Device device) {
  DeviceFacts facts;
  facts.device = device.str();
  facts.name = device.str();
  if (cuda_number(device) < 0) {
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
  if (cuda_number(device) < 0) {
    state.missing = only_nvidia;
    return state;
  }
  const auto [missing, own] = nvml_device(device);
  state.missing = missing;
  if (!missing.empty()) return state;
  const auto& management = nvml();
  // What changes as soon as the device has nothing to do comes first: an answer takes NVML up to
  // some milliseconds.
  constexpr double megahertz = 1e6;
  state.clock = ask(management.clock, own, megahertz, clock_sm);
  if (!state.clock) state.missing = why_lost(own);
  if (!state.missing.empty()) return state;
  if (unsigned long long reasons = 0;
      management.reasons != nullptr && management.reasons(own, &reasons) == 0) {
    state.slowed_by = names_of(reasons);
  }
  state.power = power_of(own);
  state.memory_clock = ask(management.clock, own, megahertz, clock_memory);
  state.temperature = ask(management.temperature, own, 1, temperature_gpu);
  state.other_processes = other_processes_on(own);
  return state;
}

std::map<std::string, int64_t> slowed_so_far(at::Device device) {
  static constexpr std::pair<int, const char*> policies[] = {{0, "power cap"}, {1, "heat"}};
  std::map<std::string, int64_t> slowed;
  if (cuda_number(device) < 0) return slowed;
  const auto [missing, own] = nvml_device(device);
  if (!missing.empty() || nvml().violation == nullptr) return slowed;
  for (const auto& [policy, name] : policies) {
    NvmlViolation counted{};
    if (nvml().violation(own, policy, &counted) == 0)
      slowed[name] = static_cast<int64_t>(counted.slowed);
  }
  return slowed;
}

void reset_persisting_cache(at::Device device) {
  if (cuda_number(device) < 0 || driver().reset_cache == nullptr) return;
  driver().reset_cache();
}

}  // namespace opsmith
