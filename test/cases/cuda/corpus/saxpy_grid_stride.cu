// y = a * x + y with a grid-stride loop, so that any grid is right for any size.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

struct DeviceFree {
  void operator()(void* pointer) const { check(cudaFree(pointer), "cudaFree"); }
};

template <typename T>
using DeviceArray = std::unique_ptr<T[], DeviceFree>;

template <typename T>
DeviceArray<T> upload(const std::vector<T>& values) {
  T* pointer = nullptr;
  check(cudaMalloc(&pointer, values.size() * sizeof(T)), "cudaMalloc");
  DeviceArray<T> array(pointer);
  check(cudaMemcpy(pointer, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice), "upload");
  return array;
}

template <typename T>
__global__ void saxpy(std::size_t n, T a, const T* __restrict__ x, T* __restrict__ y) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) {
    y[i] = a * x[i] + y[i];
  }
}

template <typename T>
bool runs(std::size_t n, int blocks, int threads, double tolerance) {
  std::vector<T> x(n), y(n);
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = static_cast<T>(std::sin(0.01 * static_cast<double>(i)));
    y[i] = static_cast<T>(std::cos(0.02 * static_cast<double>(i)));
  }
  const T a = static_cast<T>(2.5);
  auto deviceX = upload(x);
  auto deviceY = upload(y);
  saxpy<T><<<blocks, threads>>>(n, a, deviceX.get(), deviceY.get());
  check(cudaGetLastError(), "saxpy");
  std::vector<T> got(n);
  check(cudaMemcpy(got.data(), deviceY.get(), n * sizeof(T), cudaMemcpyDeviceToHost), "download");
  for (std::size_t i = 0; i < n; ++i) {
    const double expected = static_cast<double>(a) * x[i] + y[i];
    if (!(std::fabs(got[i] - expected) <= tolerance)) {
      std::printf("saxpy_grid_stride: <%d, %d> of %zu: element %zu: expected %.17g, got %.17g\n", blocks, threads, n, i,
                  expected, static_cast<double>(got[i]));
      return false;
    }
  }
  return true;
}

}  // namespace

int main() {
  try {
    const bool fine = runs<float>(10007, 1, 1, 1e-6) && runs<float>(10007, 3, 96, 1e-6) &&
                      runs<double>(10007, 7, 33, 1e-15) && runs<double>(1, 4, 64, 1e-15) &&
                      runs<float>(333, 5, 1024, 1e-6);
    if (!fine) return 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  std::puts("saxpy_grid_stride: ok");
  return 0;
}
