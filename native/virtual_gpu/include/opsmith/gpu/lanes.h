// Warp operations for values of any size, which the device libraries share.
#pragma once
#include <cuda_runtime.h>

namespace opsmith::gpu {

inline unsigned linear_thread() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}

inline unsigned block_threads() {
  return blockDim.x * blockDim.y * blockDim.z;
}

inline unsigned lane() {
  return linear_thread() % warpSize;
}

// Lanes below this one.
inline unsigned lower_lanes(unsigned of_lane) {
  return (1u << of_lane) - 1;
}

// The lane of the n-th set bit.
inline unsigned nth_lane(unsigned mask, unsigned n) {
  while (n-- > 0)
    mask &= mask - 1;
  return static_cast<unsigned>(__builtin_ctz(mask));
}

// Shuffles move 4 or 8 bytes: other sizes go word by word, as in CUDA's libraries.
template <typename T, typename Shuffle>
T shuffle_value(const T& value, Shuffle shuffle) {
  T result = value;
  if constexpr (sizeof(T) == 8) {
    unsigned long long bits;
    __builtin_memcpy(&bits, &value, 8);
    bits = shuffle(bits);
    __builtin_memcpy(static_cast<void*>(&result), &bits, 8);
  } else {
    constexpr unsigned words = (sizeof(T) + 3) / 4;
    unsigned bits[words] = {};
    __builtin_memcpy(bits, static_cast<const void*>(&value), sizeof(T));
    for (unsigned& word : bits)
      word = shuffle(word);
    __builtin_memcpy(static_cast<void*>(&result), bits, sizeof(T));
  }
  return result;
}

template <typename T>
T shuffle(unsigned mask, const T& value, unsigned source, int width = warpSize) {
  return shuffle_value(
      value, [&](auto word) { return __shfl_sync(mask, word, static_cast<int>(source), width); });
}

template <typename T>
T shuffle_up(unsigned mask, const T& value, unsigned delta, int width = warpSize) {
  return shuffle_value(value, [&](auto word) { return __shfl_up_sync(mask, word, delta, width); });
}

template <typename T>
T shuffle_down(unsigned mask, const T& value, unsigned delta, int width = warpSize) {
  return shuffle_value(value,
                       [&](auto word) { return __shfl_down_sync(mask, word, delta, width); });
}

template <typename T>
T shuffle_xor(unsigned mask, const T& value, unsigned lanes, int width = warpSize) {
  return shuffle_value(value, [&](auto word) {
    return __shfl_xor_sync(mask, word, static_cast<int>(lanes), width);
  });
}

}  // namespace opsmith::gpu
