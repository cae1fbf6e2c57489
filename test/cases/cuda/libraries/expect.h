// What the programs of this folder share: they compare results with plain loops.
#pragma once
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA_OK(CALL)                                                          \
  do {                                                                         \
    const cudaError_t status = (CALL);                                         \
    if (status != cudaSuccess) {                                               \
      std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #CALL,                \
                  cudaGetErrorString(status));                                 \
      std::exit(1);                                                            \
    }                                                                          \
  } while (0)

#define EXPECT(CONDITION, ...)                                                 \
  do {                                                                         \
    if (!(CONDITION)) {                                                        \
      std::printf("%s:%d: not so: %s ", __FILE__, __LINE__, #CONDITION);       \
      std::printf("" __VA_ARGS__);                                             \
      std::printf("\n");                                                       \
      std::exit(1);                                                            \
    }                                                                          \
  } while (0)

// An array on the device, with the copies that tests need.
template <typename T>
struct device_array {
  explicit device_array(std::size_t size) : size(size) {
    CUDA_OK(cudaMalloc(&data, (size == 0 ? 1 : size) * sizeof(T)));
    CUDA_OK(cudaMemset(data, 0, (size == 0 ? 1 : size) * sizeof(T)));
  }
  explicit device_array(const std::vector<T>& values) : device_array(values.size()) {
    CUDA_OK(cudaMemcpy(data, values.data(), size * sizeof(T), cudaMemcpyHostToDevice));
  }
  device_array(const device_array&) = delete;
  ~device_array() { cudaFree(data); }

  std::vector<T> host() const {
    std::vector<T> values(size);
    CUDA_OK(cudaDeviceSynchronize());
    CUDA_OK(cudaMemcpy(values.data(), data, size * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }

  T* data = nullptr;
  std::size_t size;
};

// Small numbers that are the same in each run.
inline unsigned scrambled(unsigned at) {
  unsigned x = at * 2654435761u + 12345u;
  x ^= x >> 15;
  x *= 2246822519u;
  x ^= x >> 13;
  return x;
}
