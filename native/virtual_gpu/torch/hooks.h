#pragma once

#include <ATen/detail/CUDAHooksInterface.h>

namespace opsmith::gpu {

// libtorch looks for a class of this name.
class CUDAHooks final : public at::CUDAHooksInterface {
 public:
  explicit CUDAHooks(at::CUDAHooksArgs) {}

  void init() const override {}
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return deviceCount() > 0; }
  bool hasCUDA() const override { return deviceCount() > 0; }
  bool hasCUDART() const override { return true; }
  bool hasPrimaryContext(at::DeviceIndex device) const override;

  at::DeviceIndex deviceCount() const override;
  int getNumGPUs() const override { return deviceCount(); }
  at::DeviceIndex current_device() const override { return getCurrentDevice(); }
  at::DeviceIndex getCurrentDevice() const override;
  void setCurrentDevice(at::DeviceIndex device) const override;
  at::DeviceIndex exchangeDevice(at::DeviceIndex device) const override;
  at::DeviceIndex maybeExchangeDevice(at::DeviceIndex device) const override;
  void deviceSynchronize(at::DeviceIndex device) const override;

  const at::Generator& getDefaultGenerator(at::DeviceIndex device) const override;
  at::Generator getNewGenerator(at::DeviceIndex device) const override;

  at::Device getDeviceFromPtr(void* data) const override;
  bool isPinnedPtr(const void* data) const override;
  at::Allocator* getPinnedMemoryAllocator() const override;
  at::Allocator* getCUDADeviceAllocator() const override;

  std::string showConfig() const override { return "  - Opsmith's virtual GPU\n"; }
};

}  // namespace opsmith::gpu
