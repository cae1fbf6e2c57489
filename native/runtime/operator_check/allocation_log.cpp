#include "runtime/operator_check/allocation_log.h"

#include <c10/core/Allocator.h>
#include <execinfo.h>
#include <link.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace opsmith {
namespace {

constexpr int most_frames = 64;
constexpr int most_allocations = 4000;

std::string hex(uintptr_t value) {
  char text[2 + 16 + 1];
  std::snprintf(text, sizeof text, "0x%jx", static_cast<uintmax_t>(value));
  return text;
}

// A part of a library that is mapped as one. dladdr would also look for the nearest of libtorch's
// hundreds of thousands of symbols, which takes milliseconds a frame.
struct Mapping {
  uintptr_t begin = 0, end = 0, base = 0;
  std::string library;
};
std::vector<Mapping> mappings;  // written before the first allocation is logged

int note_mappings(dl_phdr_info* info, size_t, void*) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD || info->dlpi_name[0] == '\0') continue;
    const uintptr_t begin = info->dlpi_addr + header.p_vaddr;
    mappings.push_back({begin, begin + header.p_memsz, info->dlpi_addr, info->dlpi_name});
  }
  return 0;
}

void log_allocation(const void* data, size_t bytes) {
  const auto begin = reinterpret_cast<uintptr_t>(data);
  std::string text = "opsmith: allocated [" + hex(begin) + "," + hex(begin + bytes) + ")\n";
  void* addresses[most_frames];
  const int count = backtrace(addresses, most_frames);
  // The first two are this function and the allocator.
  for (int i = 2; i < count; ++i) {
    const auto call = reinterpret_cast<uintptr_t>(addresses[i]) - 1;  // it returns behind the call
    for (const auto& mapping : mappings) {
      if (call < mapping.begin || call >= mapping.end) continue;
      text += "    #" + std::to_string(i - 2) + " " + hex(call) + " (" + mapping.library + "+" +
              hex(call - mapping.base) + ")\n";
      break;
    }
  }
  text += "\n";
  // At once, so that two threads' stacks do not mix; what cannot be written is done without.
  [[maybe_unused]] const auto written = write(STDERR_FILENO, text.data(), text.size());
}

class LoggingAllocator : public c10::Allocator {
 public:
  explicit LoggingAllocator(c10::Allocator* before) : before_(before) {}
  c10::DataPtr allocate(size_t bytes) override {
    auto data = before_->allocate(bytes);
    if (bytes > 0 && logged_.fetch_add(1) < most_allocations) log_allocation(data.get(), bytes);
    return data;
  }
  c10::DeleterFnPtr raw_deleter() const override { return before_->raw_deleter(); }
  void copy_data(void* to, const void* from, size_t bytes) const override {
    before_->copy_data(to, from, bytes);
  }

 private:
  c10::Allocator* before_;
  std::atomic<int> logged_{0};
};

}  // namespace

void log_allocations() {
  dl_iterate_phdr(note_mappings, nullptr);
  // Leaked: tensors may be freed while the process ends.
  static auto* instance = new LoggingAllocator(c10::GetAllocator(c10::kCPU));
  c10::SetAllocator(c10::kCPU, instance, /*priority=*/255);
}

}  // namespace opsmith
