#pragma once

// Stands for libtorch's header, whose halves are CUDA's own only for nvcc: the atomic functions of
// ATen, for all its types. What CUDA has no function for is a loop around a compare-and-swap of the
// word that holds it.

#include <ATen/NumericUtils.h>
#include <c10/util/BFloat16.h>
#include <c10/util/complex.h>
#include <c10/util/Half.h>
#include <cuda_runtime.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace opsmith::gpu {

/// Replaces *address by change(*address), and returns what was there.
template <typename T, typename Change>
__device__ T change_atomically(T* address, Change&& change) {
  using Word = std::conditional_t<sizeof(T) == 8, unsigned long long, unsigned int>;
  static_assert(sizeof(T) <= sizeof(Word));
  const auto place = reinterpret_cast<std::uintptr_t>(address);
  auto* word = reinterpret_cast<Word*>(place / sizeof(Word) * sizeof(Word));
  const std::size_t offset = place % sizeof(Word);
  // A swap of equal values is an atomic read.
  Word seen = atomicCAS(word, Word{0}, Word{0});
  while (true) {
    T before;
    std::memcpy(&before, reinterpret_cast<const char*>(&seen) + offset, sizeof before);
    const T after = change(before);
    Word wanted = seen;
    std::memcpy(reinterpret_cast<char*>(&wanted) + offset, &after, sizeof after);
    const Word found = atomicCAS(word, seen, wanted);
    if (found == seen) return before;
    seen = found;
  }
}

/// The types that an operator of ATen may have, without those that CUDA's own atomicAdd takes.
template <typename T>
constexpr bool is_added_by_loop =
    std::is_same_v<T, bool> || std::is_same_v<T, uint8_t> || std::is_same_v<T, int8_t> ||
    std::is_same_v<T, int16_t> || std::is_same_v<T, int64_t> || std::is_same_v<T, at::Half> ||
    std::is_same_v<T, at::BFloat16>;

}  // namespace opsmith::gpu

// Some extensions call atomicAdd with ATen's types.
template <typename T>
  requires opsmith::gpu::is_added_by_loop<T>
__device__ inline T atomicAdd(T* address, T value) {
  return opsmith::gpu::change_atomically(address, [value](T old) -> T {
    if constexpr (std::is_same_v<T, bool>)
      return old || value;
    else
      return old + value;
  });
}

template <typename T>
__device__ inline T gpuAtomicAdd(T* address, T value) {
  return atomicAdd(address, value);
}

template <typename T>
__device__ inline void gpuAtomicAdd(c10::complex<T>* address, c10::complex<T> value) {
  // As on a GPU, each part is added on its own.
  auto* parts = reinterpret_cast<T*>(address);
  gpuAtomicAdd(parts, value.real());
  gpuAtomicAdd(parts + 1, value.imag());
}

template <typename T>
__device__ inline void gpuAtomicAddNoReturn(T* address, T value) {
  gpuAtomicAdd(address, value);
}

template <typename T>
__device__ inline T gpuAtomicMul(T* address, T value) {
  return opsmith::gpu::change_atomically(address, [value](T old) -> T { return old * value; });
}

template <typename T>
__device__ inline T gpuAtomicMax(T* address, T value) {
  return opsmith::gpu::change_atomically(address, [value](T old) -> T {
    return at::_isnan(old) || (!at::_isnan(value) && old > value) ? old : value;
  });
}

template <typename T>
__device__ inline T gpuAtomicMin(T* address, T value) {
  return opsmith::gpu::change_atomically(address, [value](T old) -> T {
    return at::_isnan(old) || (!at::_isnan(value) && old < value) ? old : value;
  });
}
