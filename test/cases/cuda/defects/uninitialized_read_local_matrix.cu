#include <cuda_runtime.h>

#include <cmath>
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

__device__ void sine_and_cosine(float angle, float* sine, float* cosine) {
  sincosf(angle, sine, cosine);
}

// Each thread rotates a point by its angle, and keeps the sign of the sine in a byte.
__global__ void rotate(const float* angles, const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  union {
    float value;
    unsigned char bytes[4];
  } sign;
  volatile float length;
  length = 2;
  float sine, cosine, turn[4];
  sine_and_cosine(angles[i], &sine, &cosine);
  sine *= length;
  cosine *= length;
  turn[0] = cosine;
  turn[2] = sine;
  turn[3] = cosine;
  sign.value = sine;
  y[2 * i] = turn[0] * x[2 * i] + turn[1] * x[2 * i + 1];  // finds: uninitialized-read
  y[2 * i + 1] = turn[2] * x[2 * i] + turn[3] * x[2 * i + 1];
  if (sign.bytes[3] & 0x80) y[2 * i] = -y[2 * i];
}

int main() {
  const int n = 70;
  std::vector<float> angles(n), x(2 * n), expected(2 * n);
  for (int i = 0; i < n; ++i) {
    angles[i] = static_cast<float>(i);
    x[2 * i] = static_cast<float>(i % 7);
    x[2 * i + 1] = static_cast<float>(i % 3);
    const float sine = 2 * sinf(angles[i]), cosine = 2 * cosf(angles[i]);
    expected[2 * i] = cosine * x[2 * i] - sine * x[2 * i + 1];
    expected[2 * i + 1] = sine * x[2 * i] + cosine * x[2 * i + 1];
    if (sine < 0) expected[2 * i] = -expected[2 * i];
  }
  try {
    DeviceArray<float> d_angles(angles), d_x(x), d_y(2 * n);
    rotate<<<3, 32>>>(d_angles.data, d_x.data, d_y.data, n);
    CHECK(cudaGetLastError());
    const std::vector<float> y = d_y.to_host();
    for (int i = 0; i < 2 * n; ++i) {
      if (std::abs(y[i] - expected[i]) <= 1e-3f) continue;
      std::printf("the points are wrong\n");
      return 1;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  std::printf("ok\n");
  return 0;
}
