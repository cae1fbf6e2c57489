// Jacobi steps of the heat equation on a plate. Two buffers change places, and the largest change of a step
// comes back through an atomic on the bits of a float, as no atomicMax for floats exists.
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#define CUDA_SAFE_CALL(call)                                                                     \
  do {                                                                                           \
    const cudaError_t err = call;                                                                \
    if (cudaSuccess != err)                                                                      \
      throw std::runtime_error(std::string(__func__) + ": " #call ": " + cudaGetErrorString(err)); \
  } while (0)

template <typename T>
class Buffer {
 public:
  explicit Buffer(size_t n) : n_(n) { CUDA_SAFE_CALL(cudaMalloc(&data_, n * sizeof(T))); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() {
    if (cudaFree(data_) != cudaSuccess) std::fprintf(stderr, "cudaFree failed\n");
  }
  T* data() { return data_; }
  void set(const std::vector<T>& v) {
    CUDA_SAFE_CALL(cudaMemcpy(data_, v.data(), n_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  std::vector<T> get() const {
    std::vector<T> v(n_);
    CUDA_SAFE_CALL(cudaMemcpy(v.data(), data_, n_ * sizeof(T), cudaMemcpyDeviceToHost));
    return v;
  }
  friend void swap(Buffer& a, Buffer& b) { std::swap(a.data_, b.data_); }

 private:
  T* data_ = nullptr;
  size_t n_;
};

__device__ void atomicMaxNonNegative(float* address, float value) {
  atomicMax(reinterpret_cast<int*>(address), __float_as_int(value));
}

constexpr int BX = 16, BY = 8;

__global__ void step(const float* __restrict__ old, float* __restrict__ now, int nx, int ny, float k, float* change) {
  __shared__ float tile[BY + 2][BX + 2];
  const int x = blockIdx.x * BX + threadIdx.x;
  const int y = blockIdx.y * BY + threadIdx.y;
  const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  const bool inside = x < nx && y < ny;

  if (inside) {
    const int i = y * nx + x;
    tile[ty][tx] = old[i];
    if (threadIdx.x == 0 && x > 0) tile[ty][0] = old[i - 1];
    if (threadIdx.x == BX - 1 && x + 1 < nx) tile[ty][BX + 1] = old[i + 1];
    if (threadIdx.y == 0 && y > 0) tile[0][tx] = old[i - nx];
    if (threadIdx.y == BY - 1 && y + 1 < ny) tile[BY + 1][tx] = old[i + nx];
  }
  __syncthreads();
  if (!inside) return;

  const float here = tile[ty][tx];
  float next = here;
  if (x > 0 && y > 0 && x < nx - 1 && y < ny - 1) {
    next = here + k * (tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx] - 4 * here);
    atomicMaxNonNegative(change, fabsf(next - here));
  }
  now[y * nx + x] = next;
}

int run() {
  const int nx = 67, ny = 45, steps = 12;
  const float k = 0.2f;
  std::vector<float> plate(nx * ny, 20.f);
  for (int x = 0; x < nx; ++x) plate[x] = 100.f + x;
  for (int y = 0; y < ny; ++y) plate[y * nx + nx - 1] = -y;

  Buffer<float> a(nx * ny), b(nx * ny), change(1);
  a.set(plate);
  const dim3 block(BX, BY), grid((nx + BX - 1) / BX, (ny + BY - 1) / BY);
  std::vector<float> changes;
  for (int s = 0; s < steps; ++s) {
    change.set({0.f});
    step<<<grid, block>>>(a.data(), b.data(), nx, ny, k, change.data());
    CUDA_SAFE_CALL(cudaGetLastError());
    swap(a, b);
    changes.push_back(change.get()[0]);
  }
  const std::vector<float> got = a.get();

  std::vector<double> old(plate.begin(), plate.end()), now = old;
  for (int s = 0; s < steps; ++s) {
    double largest = 0;
    for (int y = 1; y < ny - 1; ++y)
      for (int x = 1; x < nx - 1; ++x) {
        const int i = y * nx + x;
        now[i] = old[i] + (double)k * (old[i - 1] + old[i + 1] + old[i - nx] + old[i + nx] - 4 * old[i]);
        largest = std::fmax(largest, std::fabs(now[i] - old[i]));
      }
    if (!(std::fabs(largest - changes[s]) <= 1e-3)) {
      std::printf("heat_2d: change of step %d: expected %g, got %g\n", s, largest, changes[s]);
      return 1;
    }
    std::swap(old, now);
  }
  for (int i = 0; i < nx * ny; ++i)
    if (!(std::fabs(got[i] - old[i]) <= 1e-3)) {
      std::printf("heat_2d: element %d: expected %g, got %g\n", i, old[i], got[i]);
      return 1;
    }
  std::printf("heat_2d: ok\n");
  return 0;
}

int main() {
  try {
    return run();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
