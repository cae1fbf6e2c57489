#include <ATen/Context.h>
#include <ATen/Version.h>

#include "binding/calls.h"
#include "runtime/driver_report.h"

namespace opsmith {

// contract/gpu-check.ts's libtorchDevices.
struct LibtorchDevices {
  bool is_cuda_build = false;
  int64_t devices = 0;
  std::string config;
};

void fields(auto& visit, LibtorchDevices& answer) {
  visit("isCudaBuild", answer.is_cuda_build);
  visit("devices", answer.devices);
  visit("config", answer.config);
}

static LibtorchDevices libtorch_devices() {
  LibtorchDevices answer;
  answer.is_cuda_build = c10::impl::hasDeviceGuardImpl(at::kCUDA);
  answer.devices = at::globalContext().hasCUDA() ? at::detail::getCUDAHooks().deviceCount() : 0;
  answer.config = at::show_config();
  return answer;
}

static const Calls device_calls({{"device.libtorch", handle(libtorch_devices)}});

}  // namespace opsmith
