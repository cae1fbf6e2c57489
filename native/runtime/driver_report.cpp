#include "runtime/driver_report.h"

#include <unistd.h>

#include <cstdlib>
#include <sstream>

#include "runtime/timing/driver_library.h"

namespace opsmith {
namespace {

// Numbers of CUdevice_attribute and CUresult, from cuda.h.
constexpr int clock_rate = 13, multiprocessor_count = 16, memory_clock_rate = 36, bus_width = 37,
              l2_cache_size = 38, capability_major = 75, capability_minor = 76;
constexpr int no_device = 100, not_permitted = 800;

struct Driver {
  DriverLibrary library{"libcuda.so.1"};
  int (*initialise)(unsigned) = library.find<int(unsigned)>("cuInit");
  int (*version)(int*) = library.find<int(int*)>("cuDriverGetVersion");
  int (*error_name)(int, const char**) = library.find<int(int, const char**)>("cuGetErrorName");
  int (*error_text)(int, const char**) = library.find<int(int, const char**)>("cuGetErrorString");
  int (*count)(int*) = library.find<int(int*)>("cuDeviceGetCount");
  int (*device)(int*, int) = library.find<int(int*, int)>("cuDeviceGet");
  int (*name)(char*, int, int) = library.find<int(char*, int, int)>("cuDeviceGetName");
  int (*attribute)(int*, int, int) = library.find<int(int*, int, int)>("cuDeviceGetAttribute");
  int (*memory)(size_t*, int) = library.find<int(size_t*, int)>("cuDeviceTotalMem_v2");
  int (*bus_id)(char*, int, int) = library.find<int(char*, int, int)>("cuDeviceGetPCIBusId");

  bool is_whole() const {
    return initialise && version && error_name && error_text && count && device && name &&
           attribute && memory && bus_id;
  }
};

std::string asked(int (*question)(int, const char**), int error) {
  const char* text = nullptr;
  return question(error, &text) == 0 && text != nullptr ? text : "";
}

// What hides a GPU that is there, as far as that can be seen from here.
std::string cause_text(int error) {
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (error == no_device && visible != nullptr) {
    const std::string value = visible;
    return value.empty() ? "; CUDA_VISIBLE_DEVICES is empty, which hides every GPU"
                         : "; CUDA_VISIBLE_DEVICES=" + value + " may hide the GPU";
  }
  for (const char* file : {"/dev/nvidiactl", "/dev/nvidia0", "/dev/nvidia-uvm"}) {
    if (access(file, F_OK) == 0 && access(file, R_OK | W_OK) != 0)
      return std::string("; this user has no permission to open ") + file;
  }
  if (error == no_device || error == not_permitted) {
    if (access("/proc/driver/nvidia/version", F_OK) == 0 && access("/dev/nvidiactl", F_OK) != 0)
      return "; the Linux kernel has NVIDIA’s module, but this container has no /dev/nvidiactl";
  }
  return "";
}

DriverDevice describe_device(const Driver& cuda, int handle) {
  const auto attribute = [&](int which) {
    int value = 0;
    return cuda.attribute(&value, which, handle) == 0 ? int64_t{value} : int64_t{0};
  };
  DriverDevice found;
  char name[256] = {};
  if (cuda.name(name, sizeof(name) - 1, handle) == 0) found.name = name;
  char pci[32] = {};
  if (cuda.bus_id(pci, sizeof(pci) - 1, handle) == 0) found.pci = pci;
  size_t bytes = 0;
  if (cuda.memory(&bytes, handle) == 0) found.memory_bytes = bytes;
  found.architecture =
      std::to_string(attribute(capability_major)) + std::to_string(attribute(capability_minor));
  found.cache_bytes = attribute(l2_cache_size);
  found.multiprocessors = attribute(multiprocessor_count);
  found.clock = attribute(clock_rate) * 1000;
  found.memory_clock = attribute(memory_clock_rate) * 1000;
  found.bus_bits = attribute(bus_width);
  return found;
}

}  // namespace

DriverReport report_driver() {
  static const Driver cuda;
  DriverReport report;
  report.why = cuda.library.missing();
  if (!report.why.empty()) return report;
  if (!cuda.is_whole()) {
    report.why =
        "libcuda.so.1 does not contain a function that every NVIDIA driver contains: install the "
        "driver again";
    return report;
  }
  cuda.version(&report.version);
  const int error = cuda.initialise(0);
  report.code = asked(cuda.error_name, error);
  if (report.code.empty()) report.code = "error " + std::to_string(error);
  if (error != 0) {
    const auto text = asked(cuda.error_text, error);
    report.why = "NVIDIA’s driver returns " + report.code +
                 (text.empty() ? "" : " (" + text + ")") + cause_text(error);
    return report;
  }
  int count = 0;
  cuda.count(&count);
  for (int index = 0; index < count; ++index) {
    int handle = 0;
    if (cuda.device(&handle, index) == 0) report.devices.push_back(describe_device(cuda, handle));
  }
  if (report.devices.empty())
    report.why = "NVIDIA’s driver finds no device" + cause_text(no_device);
  return report;
}

std::string text_of(const DriverReport& report) {
  std::ostringstream text;
  text << "why\t" << report.why << "\ncode\t" << report.code << "\nversion\t" << report.version
       << "\n";
  for (const auto& one : report.devices) {
    text << "device\t" << one.name << "\t" << one.architecture << "\t" << one.memory_bytes << "\t"
         << one.cache_bytes << "\t" << one.multiprocessors << "\t" << one.clock << "\t"
         << one.memory_clock << "\t" << one.bus_bits << "\t" << one.pci << "\n";
  }
  return text.str();
}

}  // namespace opsmith
