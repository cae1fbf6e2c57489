#include "shadow.h"

#include <sys/mman.h>

#include <cstring>

namespace opsmith::gpu {

bool ShadowRange::map(const void* begin, std::size_t bytes) {
  const std::size_t cells = bytes / cell_bytes + 2;
  void* memory = mmap(nullptr, cells * sizeof(ShadowCell), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  cells_ = static_cast<ShadowCell*>(memory);
  begin_ = static_cast<const std::byte*>(begin);
  end_ = begin_ + bytes;
  return true;
}

void ShadowRange::clear(const void* begin, std::size_t bytes) const {
  if (cells_ == nullptr || bytes == 0) return;
  ShadowCell* first = &cell(begin);
  const std::size_t count = (bytes + cell_bytes - 1) / cell_bytes;
  std::memset(static_cast<void*>(first), 0, count * sizeof(ShadowCell));
}

}  // namespace opsmith::gpu
