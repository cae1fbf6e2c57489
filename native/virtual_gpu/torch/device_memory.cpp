#include "device_memory.h"

#include "../runtime/checks.h"
#include "../runtime/errors.h"
#include "../runtime/memory.h"

namespace opsmith::gpu {

void* allocate_for_torch(size_t bytes, int device) {
  return allocate(bytes, device, MemoryKind::device, Site{});
}

void release_from_torch(void* data) {
  release(data, Site{});
}

int device_of(const void* address) {
  Allocation found;
  if (!in_arena(address) || !find_allocation(address, &found) || found.freed) return -1;
  return found.kind == MemoryKind::device || found.kind == MemoryKind::managed ? found.device : -1;
}

bool has_error() {
  return peek_error() != cudaSuccess;
}

void report_ignored_errors() {
  if (checking) checked::report_ignored_errors();
}

bool has_checks() {
  return checking;
}

void mark_written(void* address, size_t bytes, cudaStream_t stream) {
  checked::filled(address, bytes, stream, Site{});
}

}  // namespace opsmith::gpu
