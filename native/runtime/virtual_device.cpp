#include "runtime/virtual_device.h"

#include <dlfcn.h>

#include <cstdlib>
#include <mutex>
#include <utility>

#include "runtime/failure.h"

namespace opsmith {
namespace {

bool is_given = false;
// Of the virtual GPU's runtime, where it checks or counts; nullptr otherwise.
char* (*take_report)() = nullptr;
bool (*has_findings)() = nullptr;
bool (*may_differ)() = nullptr;
void (*note_differing_results)() = nullptr;
std::mutex reports_mutex;
std::string reports;

template <typename Function>
Function* find(void* library, const char* name) {
  auto* found = reinterpret_cast<Function*>(dlsym(library, name));
  if (found == nullptr) throw Failure(ErrorCode::request_invalid, dlerror());
  return found;
}

}  // namespace

void give_virtual_device(const std::string& library, const std::string& kernel_variant) {
  // Operators are linked with it by name: its symbols are for all.
  void* opened = dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (opened == nullptr) throw Failure(ErrorCode::request_invalid, dlerror());
  // Of the runtime, which it is linked with.
  if (kernel_variant == "checked") {
    find<void()>(opened, "opsmith_gpu_check")();
    take_report = find<char*()>(opened, "opsmith_gpu_take_report");
    has_findings = find<bool()>(opened, "opsmith_gpu_has_findings");
    may_differ = find<bool()>(opened, "opsmith_gpu_results_may_differ");
    note_differing_results = find<void()>(opened, "opsmith_gpu_results_differ");
  } else if (kernel_variant == "counted") {
    find<void()>(opened, "opsmith_gpu_count")();
    take_report = find<char*()>(opened, "opsmith_gpu_take_counts");
  }
  const std::string reason = find<const char*()>(opened, "opsmith_install_virtual_device")();
  if (!reason.empty()) throw Failure(ErrorCode::request_invalid, reason);
  is_given = true;
}

bool observes_kernels() {
  return take_report != nullptr;
}

bool checks_kernels() {
  return has_findings != nullptr;
}

bool has_kernel_findings() {
  return has_findings != nullptr && has_findings();
}

bool results_may_differ() {
  return may_differ != nullptr && may_differ();
}

void results_differ() {
  if (note_differing_results != nullptr) note_differing_results();
}

std::string keep_kernel_report() {
  char* text = take_report == nullptr ? nullptr : take_report();
  if (text == nullptr) return "";
  std::string report = text;
  std::free(text);
  const std::lock_guard lock(reports_mutex);
  reports += report;
  return report;
}

std::string take_kernel_reports() {
  const std::lock_guard lock(reports_mutex);
  return std::exchange(reports, "");
}

bool has_virtual_device() {
  return is_given;
}

}  // namespace opsmith
