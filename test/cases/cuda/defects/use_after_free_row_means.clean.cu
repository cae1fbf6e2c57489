#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <vector>

static bool failed = false;

static void record(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(status));
  failed = true;
}
#define CHECK(call) record((call), #call)

__global__ void row_means(const float* x, float* mean, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int c = 0; c < cols; ++c)
    sum += x[row * cols + c];
  mean[row] = sum / cols;
}

__global__ void center(float* x, const float* mean, int rows, int cols) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y;
  if (col >= cols) return;
  float shift = mean[row];
  x[row * cols + col] -= shift;
}

int main() {
  const int rows = 20, cols = 75;
  std::vector<float> x(rows * cols), y(rows * cols);
  for (int i = 0; i < rows * cols; ++i)
    x[i] = static_cast<float>(i * 29 % 100);

  float *d_x = nullptr, *d_mean = nullptr;
  CHECK(cudaMalloc(&d_x, x.size() * sizeof(float)));
  CHECK(cudaMalloc(&d_mean, rows * sizeof(float)));
  CHECK(cudaMemcpy(d_x, x.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice));

  row_means<<<1, 32>>>(d_x, d_mean, rows, cols);
  CHECK(cudaGetLastError());
  center<<<dim3(2, rows), 64>>>(d_x, d_mean, rows, cols);
  CHECK(cudaGetLastError());
  CHECK(cudaFree(d_mean));

  CHECK(cudaMemcpy(y.data(), d_x, x.size() * sizeof(float), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d_x));
  if (failed) return 1;
  for (int row = 0; row < rows; ++row) {
    float sum = 0.0f;
    for (int c = 0; c < cols; ++c)
      sum += y[row * cols + c];
    if (!(std::fabs(sum) < 0.05f)) {
      std::printf("row %d has the sum %g, expected 0\n", row, sum);
      return 1;
    }
  }
  std::printf("ok\n");
  return 0;
}
