#include "shared_memory.h"

#include <sys/mman.h>

#include <mutex>

#include "checks.h"
#include "errors.h"
#include "opsmith/gpu/device.h"
#include "worker.h"

namespace opsmith::gpu {

namespace {

std::mutex placing;
std::size_t placed = static_shared_begin;
/** Between two variables, so that an access beyond one does not hit the next. */
constexpr std::size_t gap = 64;

}  // namespace

std::byte* map_shared() {
  void* memory = mmap(nullptr, shared_bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory);
}

void unmap_shared(std::byte* memory) {
  if (memory != nullptr) munmap(memory, shared_bytes);
}

void place_shared(SharedPlace& place, std::size_t bytes, std::size_t alignment, Site site) {
  const std::lock_guard lock(placing);
  if (place.offset != 0) return;
  // From a multiple of 128 bytes, as on a GPU: bank conflicts are counted from addresses.
  const std::size_t step = alignment > 128 ? alignment : 128;
  const std::size_t begin = (placed + step - 1) / step * step;
  if (begin + bytes + gap > shared_bytes) {
    set_error(cudaErrorInvalidValue);
    report_failure("the __shared__ variables of all kernels of the program need more than 3.7 MB",
                   site);
    worker->abandon();
  }
  placed = begin + bytes + gap;
  place_checked_shared(begin, bytes, site);
  __atomic_store_n(&place.offset, static_cast<std::uint32_t>(begin), __ATOMIC_RELEASE);
}

}  // namespace opsmith::gpu
