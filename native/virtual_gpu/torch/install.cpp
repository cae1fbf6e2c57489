#include "install.h"

#include <ATen/Context.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/impl/CUDAGuardImpl.h>
#include <dlfcn.h>

#include "allocators.h"
#include "hooks.h"
#include "operators.h"

namespace opsmith::gpu {
namespace {

bool is_loaded(const char* library) {
  void* handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
  if (handle != nullptr) dlclose(handle);
  return handle != nullptr;
}

/// Empty where it is done.
std::string install() {
  auto* hooks = at::CUDAHooksRegistry();
  if (is_loaded("libtorch_cuda.so") || hooks->Has("CUDAHooks") ||
      c10::impl::hasDeviceGuardImpl(c10::kCUDA))
    return "This libtorch is a CUDA build. The virtual GPU needs a CPU build.";

  hooks->Register("CUDAHooks", [](at::CUDAHooksArgs arguments) {
    return std::unique_ptr<at::CUDAHooksInterface>(new CUDAHooks(arguments));
  });
  if (!at::detail::getCUDAHooks().hasCUDA())
    return "Code asked libtorch for CUDA before Opsmith installed the virtual GPU, so libtorch "
           "does not see the virtual GPU.";

  c10::impl::registerDeviceGuard(c10::kCUDA, new c10::cuda::impl::CUDAGuardImpl());
  c10::SetAllocator(c10::kCUDA, &device_allocator());
  divert_cpu_allocator();
  register_operators();
  return "";
}

}  // namespace

bool install_virtual_device(std::string* reason) {
  static const std::string failure = install();
  if (reason != nullptr) *reason = failure;
  return failure.empty();
}

}  // namespace opsmith::gpu

const char* opsmith_install_virtual_device() {
  static std::string reason;
  opsmith::gpu::install_virtual_device(&reason);
  return reason.c_str();
}
