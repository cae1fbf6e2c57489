#include "runtime/operator_check/guarded_copy.h"

#include <ATen/Functions.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "runtime/operator_check/compare.h"

namespace opsmith {

GuardedCopy::GuardedCopy(const at::Tensor& tensor, End guarded, Access access) : guarded_(guarded) {
  const auto plain = tensor.detach().resolve_conj().resolve_neg().contiguous();
  bytes_ = plain.nbytes();
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t room = (bytes_ + page - 1) / page * page;
  size_ = room + 2 * page;
  base_ = static_cast<char*>(
      mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  if (base_ == MAP_FAILED) {
    base_ = nullptr;
    return;
  }
  mprotect(base_, page, PROT_NONE);
  mprotect(base_ + page + room, page, PROT_NONE);
  data_ = guarded == End::last ? base_ + page + room - bytes_ : base_ + page;
  if (bytes_ > 0) std::memcpy(data_, plain.const_data_ptr(), bytes_);
  if (access == Access::read && room > 0) mprotect(base_ + page, room, PROT_READ);
  copy_ = at::from_blob(data_, plain.sizes(), plain.options().requires_grad(false));
}

GuardedCopy::~GuardedCopy() {
  if (base_ != nullptr) munmap(base_, size_);
}

std::string GuardedCopy::distance(uintptr_t address) const {
  const auto start = reinterpret_cast<uintptr_t>(data_), end = start + bytes_;
  const auto first = reinterpret_cast<uintptr_t>(base_), last = first + size_;
  if (address < first || address >= last) return "";
  if (guarded_ == End::last && address >= end) {
    return bytes_text(static_cast<int64_t>(address - end) + 1) + " past its end";
  }
  if (address < start) {
    return bytes_text(static_cast<int64_t>(start - address)) + " before its beginning";
  }
  return "outside of its memory";
}

bool GuardedCopy::holds(uintptr_t address) const {
  const auto start = reinterpret_cast<uintptr_t>(data_);
  return address >= start && address < start + bytes_;
}

}  // namespace opsmith
