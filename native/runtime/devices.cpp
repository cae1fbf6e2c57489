#include "runtime/devices.h"

#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <c10/core/Allocator.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <dlfcn.h>

#if __has_include(<c10/core/CachingDeviceAllocator.h>)
#include <c10/core/CachingDeviceAllocator.h>
#define OPSMITH_HAS_DEVICE_ALLOCATORS
#endif

#include <algorithm>

#include "runtime/failure.h"
#include "runtime/virtual_device.h"

namespace opsmith {
namespace {

using c10::DeviceType;

// The part of cuda.h that is used: CUresult and CUdevice are int there, and 0 is CUDA_SUCCESS. The
// driver is asked where this process has loaded it, and says so where nobody has begun with it.
std::vector<at::Device> cuda_devices_in_use() {
  std::vector<at::Device> devices;
  if (!c10::impl::hasDeviceGuardImpl(DeviceType::CUDA)) return devices;
  if (has_virtual_device()) {
    const auto count = c10::impl::getDeviceGuardImpl(DeviceType::CUDA)->deviceCount();
    for (c10::DeviceIndex index = 0; index < count; ++index)
      devices.emplace_back(DeviceType::CUDA, index);
    return devices;
  }
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (driver == nullptr) return devices;
  const auto count_of = reinterpret_cast<int (*)(int*)>(dlsym(driver, "cuDeviceGetCount"));
  const auto device_of = reinterpret_cast<int (*)(int*, int)>(dlsym(driver, "cuDeviceGet"));
  const auto state_of =
      reinterpret_cast<int (*)(int, unsigned*, int*)>(dlsym(driver, "cuDevicePrimaryCtxGetState"));
  int count = 0;
  if (count_of && device_of && state_of && count_of(&count) == 0) {
    for (int index = 0; index < count; ++index) {
      int device = 0, active = 0;
      unsigned flags = 0;
      if (device_of(&device, index) == 0 && state_of(device, &flags, &active) == 0 && active != 0)
        devices.emplace_back(DeviceType::CUDA, static_cast<c10::DeviceIndex>(index));
    }
  }
  dlclose(driver);
  return devices;
}

// Whether a backend has begun with a device. Its hooks may be there without this one.
bool has_context(c10::DeviceIndex index) {
  if (!at::isPrivateUse1HooksRegistered()) return true;
  try {
    return at::detail::getPrivateUse1Hooks().hasPrimaryContext(index);
  } catch (...) {
    return true;
  }
}

// A backend that does not say with which devices it has begun counts with all that it has.
std::vector<at::Device> own_devices_in_use() {
  std::vector<at::Device> devices;
  if (!c10::impl::hasDeviceGuardImpl(DeviceType::PrivateUse1)) return devices;
  const auto count = c10::impl::getDeviceGuardImpl(DeviceType::PrivateUse1)->deviceCount();
  for (c10::DeviceIndex index = 0; index < count; ++index) {
    if (has_context(index)) devices.emplace_back(DeviceType::PrivateUse1, index);
  }
  return devices;
}

void wait_for(at::Device device) {
  c10::impl::VirtualGuardImpl(device.type()).synchronizeDevice(device.index());
}

// "" where it can be waited for.
std::string fault_of(at::Device device) {
  // What the backend throws is the answer.
  try {
    wait_for(device);
    return "";
  } catch (...) {
    const auto message = describe_current_exception().message;
    return message.substr(0, message.find('\n'));
  }
}

#ifdef OPSMITH_HAS_DEVICE_ALLOCATORS
// nullptr where it does not count, or has not begun.
c10::DeviceAllocator* allocator_of(DeviceType type) {
  if (!c10::impl::hasDeviceGuardImpl(type)) return nullptr;
  // There is no other question than the one that throws where a backend has none.
  try {
    auto* allocator = dynamic_cast<c10::DeviceAllocator*>(c10::GetAllocator(type));
    return allocator != nullptr && allocator->initialized() ? allocator : nullptr;
  } catch (...) {
    return nullptr;
  }
}

std::unordered_map<at::Device, int64_t> allocations_of(const std::vector<at::Device>& devices) {
  std::unordered_map<at::Device, int64_t> counts;
  for (const auto device : devices) {
    auto* allocator = allocator_of(device.type());
    if (allocator != nullptr)
      counts[device] = allocator->getDeviceStats(device.index()).allocation[0].allocated;
  }
  return counts;
}

// getMemoryInfo() is newer than the rest; an allocator that has none of its own throws.
template <class Allocator>
std::optional<int64_t> free_bytes_of(Allocator& allocator, c10::DeviceIndex index) {
  if constexpr (requires { allocator.getMemoryInfo(index); }) {
    try {
      return static_cast<int64_t>(allocator.getMemoryInfo(index).first);
    } catch (...) {
      return std::nullopt;
    }
  }
  return std::nullopt;
}
#else
std::unordered_map<at::Device, int64_t> allocations_of(const std::vector<at::Device>& /*devices*/) {
  return {};
}
#endif

}  // namespace

int64_t visible_devices() {
  int64_t most = 0;
  for (int number = 0; number < c10::COMPILE_TIME_MAX_DEVICE_TYPES; ++number) {
    const auto type = static_cast<DeviceType>(number);
    const bool is_host =
        type == DeviceType::CPU || type == DeviceType::Meta || type == DeviceType::Lazy;
    if (is_host || !c10::impl::hasDeviceGuardImpl(type)) continue;
    most = std::max<int64_t>(most, c10::impl::getDeviceGuardImpl(type)->deviceCount());
  }
  return most;
}

std::vector<at::Device> devices_in_use() {
  auto devices = cuda_devices_in_use();
  for (const auto device : own_devices_in_use())
    devices.push_back(device);
  return devices;
}

void wait_for_devices() {
  for (const auto device : devices_in_use())
    wait_for(device);
}

std::optional<DeviceFault> device_fault() {
  for (const auto device : devices_in_use()) {
    const auto first = fault_of(device);
    if (!first.empty()) return DeviceFault{first, !fault_of(device).empty()};
  }
  return std::nullopt;
}

DeviceWatch::DeviceWatch() : in_use_(devices_in_use()) {
  allocations_ = allocations_of(in_use_);
}

std::optional<at::Device> DeviceWatch::used() const {
  const auto now = devices_in_use();
  for (const auto& [device, count] : allocations_of(now)) {
    const auto before = allocations_.find(device);
    if (count > (before == allocations_.end() ? 0 : before->second)) return device;
  }
  for (const auto device : now) {
    if (std::find(in_use_.begin(), in_use_.end(), device) == in_use_.end()) return device;
  }
  return std::nullopt;
}

#ifdef OPSMITH_HAS_DEVICE_ALLOCATORS
void release_cached_memory(at::Device device) {
  if (auto* allocator = allocator_of(device.type())) allocator->emptyCache();
}

std::optional<int64_t> free_bytes(at::Device device) {
  auto* allocator = allocator_of(device.type());
  return allocator == nullptr ? std::nullopt : free_bytes_of(*allocator, device.index());
}
#else
void release_cached_memory(at::Device /*device*/) {}

std::optional<int64_t> free_bytes(at::Device /*device*/) {
  return std::nullopt;
}
#endif

}  // namespace opsmith
