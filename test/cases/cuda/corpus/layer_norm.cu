// Layer norm: Welford's mean and variance over shuffles forward; dx, dgamma and dbeta backward.
// dgamma and dbeta are summed down the columns in two stages, so that no order changes them.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

using Vec = std::vector<float>;

inline void ok(cudaError_t s, const char* file, int line) {
  if (s != cudaSuccess) { fprintf(stderr, "[%s:%d] %s\n", file, line, cudaGetErrorString(s)); abort(); }
}
#define OK(s) ok((s), __FILE__, __LINE__)

struct Welford {
  float mean = 0, m2 = 0, count = 0;
  __device__ void add(float x) {
    count += 1;
    float delta = x - mean;
    mean += delta / count;
    m2 += delta * (x - mean);
  }
  __device__ void merge(const Welford& o) {
    if (o.count == 0) return;
    float n = count + o.count, delta = o.mean - mean;
    mean += delta * o.count / n;
    m2 += o.m2 + delta * delta * count * o.count / n;
    count = n;
  }
};

__global__ void forward(const float* x, const float* gamma, const float* beta, float* y, float* means, float* rstds,
                        int rows, int columns, float epsilon) {
  const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  const float* in = x + row * columns;
  Welford w;
  for (int c = lane; c < columns; c += 32) w.add(in[c]);
  for (int d = 16; d; d /= 2) {
    Welford o;
    o.mean = __shfl_xor_sync(~0u, w.mean, d);
    o.m2 = __shfl_xor_sync(~0u, w.m2, d);
    o.count = __shfl_xor_sync(~0u, w.count, d);
    w.merge(o);
  }
  // lanes may round differently: all use the first one's numbers
  const float mean = __shfl_sync(~0u, w.mean, 0);
  const float rstd = rsqrtf(__shfl_sync(~0u, w.m2, 0) / columns + epsilon);
  for (int c = lane; c < columns; c += 32) y[row * columns + c] = (in[c] - mean) * rstd * gamma[c] + beta[c];
  if (lane == 0) means[row] = mean, rstds[row] = rstd;
}

__device__ float warpSum(float v) {
  for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(~0u, v, d);
  return v;
}

__global__ void backwardInput(const float* x, const float* gamma, const float* dy, const float* means, const float* rstds,
                              float* dx, int rows, int columns) {
  const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0, sumX = 0;
  const float mean = means[row], rstd = rstds[row];
  for (int c = lane; c < columns; c += 32) {
    const float g = dy[row * columns + c] * gamma[c];
    sum += g;
    sumX += g * (x[row * columns + c] - mean) * rstd;
  }
  sum = warpSum(sum) / columns;
  sumX = warpSum(sumX) / columns;
  for (int c = lane; c < columns; c += 32) {
    const int i = row * columns + c;
    dx[i] = rstd * (dy[i] * gamma[c] - sum - (x[i] - mean) * rstd * sumX);
  }
}

constexpr int kSlabs = 4;

__global__ void backwardParametersPartial(const float* x, const float* dy, const float* means, const float* rstds,
                                          float* partial, int rows, int columns) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= columns) return;
  float dgamma = 0, dbeta = 0;
  for (int r = blockIdx.y; r < rows; r += kSlabs) {
    const float g = dy[r * columns + c];
    dgamma += g * (x[r * columns + c] - means[r]) * rstds[r];
    dbeta += g;
  }
  partial[(blockIdx.y * 2 + 0) * columns + c] = dgamma;
  partial[(blockIdx.y * 2 + 1) * columns + c] = dbeta;
}

__global__ void backwardParameters(const float* partial, float* dgamma, float* dbeta, int columns) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c < columns) {
    float g = 0, b = 0;
    for (int s = 0; s < kSlabs; ++s) g += partial[s * 2 * columns + c], b += partial[(s * 2 + 1) * columns + c];
    dgamma[c] = g;
    dbeta[c] = b;
  }
}

bool near(const char* what, int i, double want, float got) {
  if (std::fabs(want - got) <= 2e-4 * (1 + std::fabs(want))) return true;
  printf("layer_norm: %s %d: expected %g, got %g\n", what, i, want, got);
  return false;
}

int main() {
  const int rows = 37, columns = 77, n = rows * columns;
  const float epsilon = 1e-5f;
  Vec x(n), dy(n), gamma(columns), beta(columns);
  for (int i = 0; i < n; ++i) x[i] = 3 + std::sin(i * 0.37f) * (1 + i % 3), dy[i] = std::cos(i * 0.71f);
  for (int c = 0; c < columns; ++c) gamma[c] = 1 + 0.01f * c, beta[c] = 0.5f - 0.02f * c;

  float *dX, *dDy, *dG, *dB, *dY, *dMean, *dRstd, *dDx, *dPartial, *dDg, *dDb;
  for (auto [p, size] : {std::pair<float**, int>{&dX, n}, {&dDy, n}, {&dG, columns}, {&dB, columns}, {&dY, n}, {&dMean, rows},
                         {&dRstd, rows}, {&dDx, n}, {&dPartial, 2 * kSlabs * columns}, {&dDg, columns}, {&dDb, columns}})
    OK(cudaMalloc(p, size * sizeof(float)));
  auto up = [](float* to, const Vec& v) { OK(cudaMemcpy(to, v.data(), v.size() * sizeof(float), cudaMemcpyHostToDevice)); };
  up(dX, x), up(dDy, dy), up(dG, gamma), up(dB, beta);

  forward<<<(rows + 3) / 4, 128>>>(dX, dG, dB, dY, dMean, dRstd, rows, columns, epsilon);
  OK(cudaGetLastError());
  backwardInput<<<(rows + 3) / 4, 128>>>(dX, dG, dDy, dMean, dRstd, dDx, rows, columns);
  OK(cudaGetLastError());
  backwardParametersPartial<<<dim3((columns + 31) / 32, kSlabs), 32>>>(dX, dDy, dMean, dRstd, dPartial, rows, columns);
  OK(cudaGetLastError());
  backwardParameters<<<(columns + 31) / 32, 32>>>(dPartial, dDg, dDb, columns);
  OK(cudaGetLastError());

  auto down = [](const float* from, int size) {
    Vec v(size);
    OK(cudaMemcpy(v.data(), from, size * sizeof(float), cudaMemcpyDeviceToHost));
    return v;
  };
  const Vec y = down(dY, n), dx = down(dDx, n), dg = down(dDg, columns), db = down(dDb, columns);
  for (float* p : {dX, dDy, dG, dB, dY, dMean, dRstd, dDx, dPartial, dDg, dDb}) OK(cudaFree(p));

  std::vector<double> wantG(columns), wantB(columns);
  for (int r = 0; r < rows; ++r) {
    double mean = 0, variance = 0, sum = 0, sumX = 0;
    for (int c = 0; c < columns; ++c) mean += x[r * columns + c];
    mean /= columns;
    for (int c = 0; c < columns; ++c) variance += std::pow(x[r * columns + c] - mean, 2);
    const double rstd = 1 / std::sqrt(variance / columns + epsilon);
    auto hat = [&](int c) { return (x[r * columns + c] - mean) * rstd; };
    for (int c = 0; c < columns; ++c) {
      const double g = dy[r * columns + c];
      sum += g * gamma[c] / columns;
      sumX += g * gamma[c] * hat(c) / columns;
      wantG[c] += g * hat(c);
      wantB[c] += g;
    }
    for (int c = 0; c < columns; ++c) {
      const int i = r * columns + c;
      if (!near("y", i, hat(c) * gamma[c] + beta[c], y[i])) return 1;
      if (!near("dx", i, rstd * (dy[i] * gamma[c] - sum - hat(c) * sumX), dx[i])) return 1;
    }
  }
  for (int c = 0; c < columns; ++c)
    if (!near("dgamma", c, wantG[c], dg[c]) || !near("dbeta", c, wantB[c], db[c])) return 1;
  printf("layer_norm: ok\n");
}
