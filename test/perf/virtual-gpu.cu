// Kernels of perf -- virtual-gpu, each next to the same work as a plain loop. It prints one line a
// sample: NAME KIND MILLISECONDS.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

namespace {

constexpr int elements = 1 << 20;
constexpr int columns = 1024;
constexpr int side = 512;
constexpr int tile = 16;

void must(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

template <typename Work>
void measure(const char* name, const char* kind, int rounds, Work work) {
  for (int round = 0; round <= rounds; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
    // The first one maps memory.
    if (round > 0) std::printf("%s %s %.6f\n", name, kind, time.count());
  }
}

}  // namespace

__global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

__global__ void softmax(const float* x, float* y, int n) {
  __shared__ float part[32];
  const float* row = x + blockIdx.x * n;
  float largest = -INFINITY;
  for (int c = threadIdx.x; c < n; c += blockDim.x) largest = fmaxf(largest, row[c]);
  for (int offset = 16; offset > 0; offset /= 2)
    largest = fmaxf(largest, __shfl_xor_sync(0xffffffff, largest, offset));
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = largest;
  __syncthreads();
  for (int w = 0; w < blockDim.x / 32; ++w) largest = fmaxf(largest, part[w]);
  float sum = 0;
  for (int c = threadIdx.x; c < n; c += blockDim.x) sum += expf(row[c] - largest);
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffff, sum, offset);
  __syncthreads();
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = 0;
  for (int w = 0; w < blockDim.x / 32; ++w) sum += part[w];
  for (int c = threadIdx.x; c < n; c += blockDim.x)
    y[blockIdx.x * n + c] = expf(row[c] - largest) / sum;
}

__global__ void matmul(const float* a, const float* b, float* c, int n) {
  __shared__ float left[tile][tile], right[tile][tile];
  const int x = blockIdx.x * tile + threadIdx.x;
  const int y = blockIdx.y * tile + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; k += tile) {
    left[threadIdx.y][threadIdx.x] = a[y * n + k + threadIdx.x];
    right[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + x];
    __syncthreads();
    for (int j = 0; j < tile; ++j) sum += left[threadIdx.y][j] * right[j][threadIdx.x];
    __syncthreads();
  }
  c[y * n + x] = sum;
}

int main(int count, char** arguments) {
  const int rounds = count > 1 ? std::atoi(arguments[1]) : 9;
  std::vector<float> x(elements), y(elements), z(elements);
  for (int i = 0; i < elements; ++i) x[i] = y[i] = i % 1000 * 0.001f;
  float *a, *b, *c;
  must(cudaMalloc(&a, elements * sizeof(float)));
  must(cudaMalloc(&b, elements * sizeof(float)));
  must(cudaMalloc(&c, elements * sizeof(float)));
  must(cudaMemcpy(a, x.data(), elements * sizeof(float), cudaMemcpyHostToDevice));
  must(cudaMemcpy(b, y.data(), elements * sizeof(float), cudaMemcpyHostToDevice));

  measure("add", "kernel", rounds, [&] {
    add<<<elements / 256, 256>>>(a, b, c, elements);
    must(cudaDeviceSynchronize());
  });
  measure("add", "loop", rounds, [&] {
    for (int i = 0; i < elements; ++i) z[i] = x[i] + y[i];
  });
  measure("softmax", "kernel", rounds, [&] {
    softmax<<<elements / columns, 256>>>(a, c, columns);
    must(cudaDeviceSynchronize());
  });
  measure("softmax", "loop", rounds, [&] {
    for (int row = 0; row < elements / columns; ++row) {
      const float* from = x.data() + row * columns;
      float largest = -INFINITY;
      for (int i = 0; i < columns; ++i) largest = std::fmax(largest, from[i]);
      float sum = 0;
      for (int i = 0; i < columns; ++i) sum += std::exp(from[i] - largest);
      for (int i = 0; i < columns; ++i) z[row * columns + i] = std::exp(from[i] - largest) / sum;
    }
  });
  measure("matmul", "kernel", rounds, [&] {
    matmul<<<dim3(side / tile, side / tile), dim3(tile, tile)>>>(a, b, c, side);
    must(cudaDeviceSynchronize());
  });
  measure("matmul", "loop", rounds, [&] {
    for (int i = 0; i < side * side; ++i) z[i] = 0;
    for (int row = 0; row < side; ++row)
      for (int k = 0; k < side; ++k)
        for (int col = 0; col < side; ++col)
          z[row * side + col] += x[row * side + k] * y[k * side + col];
  });
  // Used, so that no loop is left out.
  float total = 0;
  for (const float value : z) total += value;
  std::fprintf(stderr, "%g\n", total);
  must(cudaFree(a));
  must(cudaFree(b));
  must(cudaFree(c));
  return 0;
}
