// NVIDIA's driver and NVML, opened at run time: the addon can be built and works without them.
#pragma once

#include <dlfcn.h>

#include <string>

namespace opsmith {

// A library that stays open once it is.
class DriverLibrary {
 public:
  explicit DriverLibrary(const char* name)
      : name_(name), handle_(dlopen(name, RTLD_NOW | RTLD_LOCAL)) {}

  std::string missing() const {
    return handle_ != nullptr ? ""
                              : std::string(name_) + " (NVIDIA’s driver) is not on this machine";
  }
  // nullptr if there is none: older and newer drivers have other names for some.
  template <typename Function>
  Function* find(const char* symbol) const {
    return handle_ == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(handle_, symbol));
  }

 private:
  const char* name_;
  void* handle_;
};

}  // namespace opsmith
