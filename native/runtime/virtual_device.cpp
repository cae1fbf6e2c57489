#include "runtime/virtual_device.h"

#include <dlfcn.h>

#include "runtime/failure.h"

namespace opsmith {
namespace {

bool is_given = false;

}  // namespace

void give_virtual_device(const std::string& library) {
  // Operators are linked with it by name: its symbols are for all.
  void* opened = dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (opened == nullptr) throw Failure(ErrorCode::request_invalid, dlerror());
  const auto install =
      reinterpret_cast<const char* (*)()>(dlsym(opened, "opsmith_install_virtual_device"));
  if (install == nullptr) throw Failure(ErrorCode::request_invalid, dlerror());
  const std::string reason = install();
  if (!reason.empty()) throw Failure(ErrorCode::request_invalid, reason);
  is_given = true;
}

bool has_virtual_device() {
  return is_given;
}

}  // namespace opsmith
