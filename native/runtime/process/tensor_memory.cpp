#include "runtime/process/tensor_memory.h"

#include <c10/core/CPUAllocator.h>
#include <c10/util/Exception.h>
#include <dlfcn.h>
#include <link.h>
#include <malloc.h>

#include <cstdlib>
#include <cstring>

namespace opsmith {
namespace {

constexpr size_t alignment = 64;  // libtorch's own on the CPU

using Allocate = int(void**, size_t, size_t);
using Free = void(void*);
using SetOption = int(int, int);

Allocate* libc_allocate = nullptr;
Free* libc_free = nullptr;
// Looked up before there are copies: in a copy, a thread that is gone may hold the loader's lock.
SetOption* libc_set_option = nullptr;

// The profiler follows memory by these reports: so do ours.
void release(void* data) {
  if (data == nullptr) return;
  c10::profiledCPUMemoryReporter().Delete(data);
  libc_free(data);
}

class Allocator : public c10::Allocator {
 public:
  c10::DataPtr allocate(size_t bytes) override {
    const c10::Device device(c10::kCPU);
    if (bytes == 0) return {nullptr, nullptr, &release, device};
    void* data = nullptr;
    const int error = libc_allocate(&data, alignment, bytes);
    if (error != 0) c10::profiledCPUMemoryReporter().OutOfMemory(bytes);
    // By libtorch's name of what it stands for, under which such errors are known.
    TORCH_CHECK(error == 0, "DefaultCPUAllocator: not enough memory for a tensor of ", bytes,
                " bytes (error ", error, ", ", std::strerror(error), ")");
    c10::profiledCPUMemoryReporter().New(data, bytes);
    return {data, data, &release, device};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &release; }
  void copy_data(void* to, const void* from, size_t bytes) const override {
    std::memcpy(to, from, bytes);
  }
};

// The head of the loader's list is the executable.
bool is_of_the_executable(void* function) {
  Dl_info info{};
  link_map* owner = nullptr;
  const int found = dladdr1(function, &info, reinterpret_cast<void**>(&owner), RTLD_DL_LINKMAP);
  return found != 0 && owner != nullptr && owner->l_prev == nullptr;
}

}  // namespace

void use_libc_memory_for_tensors() {
  void* libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
  if (libc == nullptr) return;
  libc_set_option = reinterpret_cast<SetOption*>(dlsym(libc, "mallopt"));
  if (!is_of_the_executable(dlsym(RTLD_DEFAULT, "posix_memalign"))) return;
  libc_allocate = reinterpret_cast<Allocate*>(dlsym(libc, "posix_memalign"));
  libc_free = reinterpret_cast<Free*>(dlsym(libc, "free"));
  if (libc_allocate == nullptr || libc_free == nullptr) return;
  // Leaked: tensors may be freed while the process ends.
  static auto* instance = new Allocator();
  c10::SetAllocator(c10::kCPU, instance, /*priority=*/255);
}

void keep_freed_memory() {
  if (libc_set_option == nullptr) return;
  libc_set_option(M_MMAP_THRESHOLD, 32 << 20);  // the most that libc accepts
  libc_set_option(M_TRIM_THRESHOLD, 256 << 20);
}

}  // namespace opsmith
