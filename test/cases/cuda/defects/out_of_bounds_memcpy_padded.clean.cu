// y = W x for a small dense layer. The host pads the weights for its own vector loads.
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

__global__ void dense(const float* w, const float* x, float* y, int out_features, int in_features) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= out_features) return;
  float sum = 0;
  for (int k = 0; k < in_features; ++k)
    sum += w[row * in_features + k] * x[k];
  y[row] = sum;
}

int main() {
  const int out_features = 50, in_features = 30, padding = 16;
  const size_t count = out_features * in_features;
  std::vector<float> weights(count + padding, 0.0f), x(in_features), y(out_features);
  for (size_t i = 0; i < count; ++i)
    weights[i] = static_cast<float>(i % 7) - 3.0f;
  for (int k = 0; k < in_features; ++k)
    x[k] = 0.5f * k;

  float *d_w = nullptr, *d_x = nullptr, *d_y = nullptr;
  CHECK(cudaMalloc(&d_w, count * sizeof(float)));
  CHECK(cudaMalloc(&d_x, in_features * sizeof(float)));
  CHECK(cudaMalloc(&d_y, out_features * sizeof(float)));
  const size_t bytes = count * sizeof(float);
  CHECK(cudaMemcpy(d_w, weights.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_x, x.data(), in_features * sizeof(float), cudaMemcpyHostToDevice));
  if (!failed) {
    dense<<<1, 64>>>(d_w, d_x, d_y, out_features, in_features);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(y.data(), d_y, out_features * sizeof(float), cudaMemcpyDeviceToHost));
  }
  CHECK(cudaFree(d_w));
  CHECK(cudaFree(d_x));
  CHECK(cudaFree(d_y));
  if (failed) return 1;

  for (int row = 0; row < out_features; ++row) {
    float expected = 0;
    for (int k = 0; k < in_features; ++k)
      expected += weights[row * in_features + k] * x[k];
    if (!(std::fabs(y[row] - expected) < 1e-3f)) {
      std::printf("y[%d] is %g, expected %g\n", row, y[row], expected);
      return 1;
    }
  }
  std::printf("ok\n");
  return 0;
}
