#include "runtime/profile/device_tracing.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace opsmith {
namespace {

// The part of cupti.h that is used: CUptiResult and the kinds are int there, and 0 is
// CUPTI_SUCCESS.
constexpr int concurrent_kernel = 10;

// Kineto's, which this process has loaded with libtorch; null else.
void* loaded_cupti() {
  for (const char* name :
       {"libcupti.so.14", "libcupti.so.13", "libcupti.so.12", "libcupti.so.11.8", "libcupti.so"}) {
    if (void* library = dlopen(name, RTLD_NOW | RTLD_NOLOAD)) return library;
  }
  return nullptr;
}

// "CUPTI_ERROR_NOT_INITIALIZED" of a start that fails; "" where it succeeds.
std::string failed_start(void* cupti) {
  const auto enable = reinterpret_cast<int (*)(int)>(dlsym(cupti, "cuptiActivityEnable"));
  const auto disable = reinterpret_cast<int (*)(int)>(dlsym(cupti, "cuptiActivityDisable"));
  const auto name_of =
      reinterpret_cast<int (*)(int, const char**)>(dlsym(cupti, "cuptiGetResultString"));
  if (enable == nullptr || disable == nullptr || name_of == nullptr) return "";
  const int error = enable(concurrent_kernel);
  if (error == 0) {
    disable(concurrent_kernel);
    return "";
  }
  const char* name = nullptr;
  name_of(error, &name);
  return name == nullptr ? "error " + std::to_string(error) : name;
}

std::string last_line(const std::string& text) {
  const auto end = text.find_last_not_of("\n ");
  if (end == std::string::npos) return "";
  const auto before = text.rfind('\n', end);
  const auto begin = before == std::string::npos ? 0 : before + 1;
  return text.substr(begin, end + 1 - begin);
}

}  // namespace

HeldStderr::HeldStderr()
    : kept_(dup(STDERR_FILENO)), file_(memfd_create("opsmith-stderr", MFD_CLOEXEC)) {
  if (file_ >= 0) dup2(file_, STDERR_FILENO);
}

HeldStderr::~HeldStderr() {
  if (kept_ >= 0) dup2(kept_, STDERR_FILENO);
  if (kept_ >= 0) close(kept_);
  if (file_ >= 0) close(file_);
}

std::string HeldStderr::text() const {
  std::string text(size_t{16} << 10, '\0');
  const ssize_t count = pread(file_, text.data(), text.size(), 0);
  text.resize(count > 0 ? static_cast<size_t>(count) : 0);
  return text;
}

std::string why_nothing_traced(const std::string& printed) {
  void* cupti = loaded_cupti();
  if (cupti == nullptr) {
    return "this libtorch has no CUPTI, which records GPU kernels; PyTorch’s builds for CUDA "
           "include CUPTI";
  }
  const auto error = failed_start(cupti);
  dlclose(cupti);
  const auto said = last_line(printed);
  if (error.empty()) {
    return "CUPTI, which records GPU kernels, started but recorded no kernel" +
           (said.empty() ? "" : " (" + said + ")");
  }
  std::string advice;
  if (error.find("MULTIPLE_SUBSCRIBERS") != std::string::npos) {
    advice = ": another profiler (nsys, ncu, DCGM) uses CUPTI; end that profiler";
  } else if (error.find("PRIVILEGES") != std::string::npos) {
    advice =
        ": this user has no permission to profile the GPU; set "
        "NVreg_RestrictProfilingToAdminUsers=0 for NVIDIA’s driver, or give the container "
        "SYS_ADMIN";
  }
  return "CUPTI, which records GPU kernels, does not start (" + error + ")" + advice;
}

}  // namespace opsmith
