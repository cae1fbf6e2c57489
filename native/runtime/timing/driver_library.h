// NVIDIA's driver and NVML, opened at run time: the addon can be built and works without them.
#pragma once

#include <dlfcn.h>

#include <string>

namespace opsmith {

// A library that stays open once it is.
class DriverLibrary {
 public:
  explicit DriverLibrary(const char* name)
      : name_(name), handle_(dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
    // The next failure of the loader replaces it.
    const char* error = handle_ == nullptr ? dlerror() : nullptr;
    if (error != nullptr) error_ = error;
  }

  // "" when it is open. One that is there and does not load says why: it lacks a library, or is of
  // another architecture.
  std::string missing() const {
    if (handle_ != nullptr) return "";
    const bool is_absent =
        error_.find("No such file") != std::string::npos && error_.find(name_) == 0;
    return is_absent ? std::string(name_) + " (NVIDIA’s driver) is not on this machine"
                     : std::string(name_) + " (NVIDIA’s driver) does not load: " + error_;
  }
  // nullptr if there is none: older and newer drivers have other names for some.
  template <typename Function>
  Function* find(const char* symbol) const {
    return handle_ == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(handle_, symbol));
  }

 private:
  const char* name_;
  void* handle_;
  std::string error_;  // of the loader
};

}  // namespace opsmith
