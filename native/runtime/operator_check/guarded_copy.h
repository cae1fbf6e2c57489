// A copy of a tensor in memory of its own, next to pages that may not be touched.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

namespace opsmith {

class GuardedCopy {
 public:
  // The end that lies where a page begins that may not be touched.
  enum class End { first, last };
  enum class Access { read_and_write, read };

  GuardedCopy(const at::Tensor& tensor, End guarded, Access access = Access::read_and_write);
  ~GuardedCopy();
  GuardedCopy(const GuardedCopy&) = delete;
  GuardedCopy& operator=(const GuardedCopy&) = delete;

  // Undefined where no memory could be mapped.
  const at::Tensor& copy() const { return copy_; }

  // In words, how far outside an address is; "" when it is not in a page that this guards.
  std::string distance(uintptr_t address) const;
  bool holds(uintptr_t address) const;

 private:
  End guarded_;
  char* base_ = nullptr;
  char* data_ = nullptr;
  size_t bytes_ = 0, size_ = 0;
  at::Tensor copy_;
};

}  // namespace opsmith
