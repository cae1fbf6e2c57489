#include "hooks.h"

#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>

#include "allocators.h"
#include "device_memory.h"
#include "generator.h"

namespace opsmith::gpu {

bool CUDAHooks::hasPrimaryContext(at::DeviceIndex device) const {
  return c10::cuda::hasPrimaryContext(device);
}

at::DeviceIndex CUDAHooks::deviceCount() const {
  return c10::cuda::device_count();
}
at::DeviceIndex CUDAHooks::getCurrentDevice() const {
  return c10::cuda::current_device();
}
void CUDAHooks::setCurrentDevice(at::DeviceIndex device) const {
  c10::cuda::set_device(device);
}

at::DeviceIndex CUDAHooks::exchangeDevice(at::DeviceIndex device) const {
  return c10::cuda::ExchangeDevice(device);
}

at::DeviceIndex CUDAHooks::maybeExchangeDevice(at::DeviceIndex device) const {
  return c10::cuda::MaybeExchangeDevice(device);
}

void CUDAHooks::deviceSynchronize(at::DeviceIndex device) const {
  const c10::cuda::CUDAGuard guard(device);
  c10::cuda::device_synchronize();
}

const at::Generator& CUDAHooks::getDefaultGenerator(at::DeviceIndex device) const {
  return at::cuda::detail::getDefaultCUDAGenerator(device);
}

at::Generator CUDAHooks::getNewGenerator(at::DeviceIndex device) const {
  return at::cuda::detail::createCUDAGenerator(device);
}

at::Device CUDAHooks::getDeviceFromPtr(void* data) const {
  const int device = device_of(data);
  TORCH_CHECK(device >= 0,
              "The specified pointer resides on host memory and is not registered with any CUDA "
              "device.");
  return {at::DeviceType::CUDA, static_cast<at::DeviceIndex>(device)};
}

bool CUDAHooks::isPinnedPtr(const void* data) const {
  return is_pinned(data);
}
at::Allocator* CUDAHooks::getPinnedMemoryAllocator() const {
  return &pinned_allocator();
}
at::Allocator* CUDAHooks::getCUDADeviceAllocator() const {
  return &device_allocator();
}

}  // namespace opsmith::gpu
