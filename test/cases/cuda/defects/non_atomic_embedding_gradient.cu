#include <cuda_runtime.h>

#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

static void check(cudaError_t status, int line) {
  if (status == cudaSuccess) return;
  throw std::runtime_error("line " + std::to_string(line) + ": " + cudaGetErrorString(status));
}
#define CHECK(call) check((call), __LINE__)

template <typename T>
struct DeviceArray {
  explicit DeviceArray(size_t count) : size(count) { CHECK(cudaMalloc(&data, count * sizeof(T))); }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
    CHECK(cudaMemcpy(data, values.data(), size * sizeof(T), cudaMemcpyHostToDevice));
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() {
    cudaError_t status = cudaFree(data);
    if (status != cudaSuccess) std::fprintf(stderr, "cudaFree: %s\n", cudaGetErrorString(status));
  }

  std::vector<T> to_host() const {
    std::vector<T> values(size);
    CHECK(cudaMemcpy(values.data(), data, size * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }

  T* data = nullptr;
  size_t size;
};

__global__ void embedding_backward(const int* words, const float* grad_out, float* grad_weight,
                                   int dim) {
  const int word = words[blockIdx.x];
  for (int d = threadIdx.x; d < dim; d += blockDim.x) {
    const float g = grad_out[blockIdx.x * dim + d];
    grad_weight[word * dim + d] += g;  // finds: non-atomic-accumulation
  }
}

int main() {
  const int vocabulary = 20, dim = 48, length = 70;
  std::vector<int> words(length);
  std::vector<float> grad_out(length * dim), expected(vocabulary * dim, 0.0f);
  for (int i = 0; i < length; ++i)
    words[i] = i * i % vocabulary;
  for (int i = 0; i < length * dim; ++i) {
    grad_out[i] = static_cast<float>(i % 9 - 4);
    expected[words[i / dim] * dim + i % dim] += grad_out[i];
  }
  try {
    DeviceArray<int> d_words(words);
    DeviceArray<float> d_grad_out(grad_out);
    DeviceArray<float> d_grad_weight(std::vector<float>(vocabulary * dim, 0.0f));
    embedding_backward<<<length, 32>>>(d_words.data, d_grad_out.data, d_grad_weight.data, dim);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    if (d_grad_weight.to_host() != expected) {
      std::printf("the gradient is wrong\n");
      return 1;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  std::printf("ok\n");
  return 0;
}
