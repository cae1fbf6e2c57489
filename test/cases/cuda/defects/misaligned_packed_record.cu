// Records come from a file: an int id, then a double, in a byte stream.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>
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

__global__ void unpack(const unsigned char* bytes, int* ids, double* values, int count,
                       int record_size, int value_offset) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const unsigned char* record = bytes + i * record_size;
  ids[i] = *reinterpret_cast<const int*>(record);
  values[i] = *reinterpret_cast<const double*>(record + value_offset);  // finds: misaligned
}

int main() {
  const int count = 300;
  const int value_offset = sizeof(int);
  const int record_size = value_offset + sizeof(double);
  std::vector<unsigned char> file(count * record_size, 0);
  for (int i = 0; i < count; ++i) {
    const int id = 1000 + i;
    const double value = 0.125 * i;
    std::memcpy(&file[i * record_size], &id, sizeof(id));
    std::memcpy(&file[i * record_size + value_offset], &value, sizeof(value));
  }
  try {
    DeviceArray<unsigned char> bytes(file);
    DeviceArray<int> ids(count);
    DeviceArray<double> values(count);
    unpack<<<(count + 127) / 128, 128>>>(bytes.data, ids.data, values.data, count, record_size,
                                         value_offset);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    const std::vector<int> id = ids.to_host();
    const std::vector<double> value = values.to_host();
    for (int i = 0; i < count; ++i) {
      if (id[i] != 1000 + i || value[i] != 0.125 * i) {
        std::printf("record %d is (%d, %g)\n", i, id[i], value[i]);
        return 1;
      }
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  std::printf("ok\n");
  return 0;
}
