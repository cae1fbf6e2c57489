// Sparse matrix times vector from CSR: one thread a row, one warp a row, and several lanes a row by a template.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <vector>

template <typename T>
struct Csr {
  int rows, columns;
  const int *offsets, *indices;
  const T *values;
};

template <typename T>
__global__ void scalarRows(Csr<T> a, const T *x, T *y)
{
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= a.rows) return;
  T sum = 0;
  for (int k = a.offsets[row]; k < a.offsets[row + 1]; ++k) sum += a.values[k] * x[a.indices[k]];
  y[row] = sum;
}

template <int Lanes, typename T>
__global__ void vectorRows(Csr<T> a, const T *x, T *y)
{
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / Lanes, lane = threadIdx.x % Lanes;
  T sum = 0;
  if (row < a.rows)
    for (int k = a.offsets[row] + lane; k < a.offsets[row + 1]; k += Lanes) sum += a.values[k] * x[a.indices[k]];
  for (int d = Lanes / 2; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d, Lanes);
  if (row < a.rows && lane == 0) y[row] = sum;
}

#define SAFE(call) do { cudaError_t rc = (call); if (rc != cudaSuccess) { \
  std::fprintf(stderr, "%s:%d %s returned %d\n", __FILE__, __LINE__, #call, (int)rc); std::exit(1); } } while (0)

int main()
{
  const int rows = 259, columns = 211;
  std::vector<int> offsets{0}, indices;
  std::vector<double> values, x(columns);
  for (int r = 0; r < rows; ++r) {
    // rows of very different length: empty, short, and some full
    int count = r % 7 == 0 ? 0 : r % 50 == 1 ? columns : r % 9;
    for (int k = 0; k < count; ++k) {
      indices.push_back(count == columns ? k : (r * 3 + k * 23) % columns);
      values.push_back(((r + 1) * (k + 3) % 17 - 8) * 0.25);
    }
    offsets.push_back((int)indices.size());
  }
  for (int c = 0; c < columns; ++c) x[c] = (c % 13 - 6) * 0.5;  // products of eighths: exact

  int *dOffsets, *dIndices;
  double *dValues, *dX, *dY;
  SAFE(cudaMalloc(&dOffsets, offsets.size() * sizeof(int)));
  SAFE(cudaMalloc(&dIndices, indices.size() * sizeof(int)));
  SAFE(cudaMalloc(&dValues, values.size() * sizeof(double)));
  SAFE(cudaMalloc(&dX, columns * sizeof(double)));
  SAFE(cudaMalloc(&dY, rows * sizeof(double)));
  SAFE(cudaMemcpy(dOffsets, offsets.data(), offsets.size() * sizeof(int), cudaMemcpyHostToDevice));
  SAFE(cudaMemcpy(dIndices, indices.data(), indices.size() * sizeof(int), cudaMemcpyHostToDevice));
  SAFE(cudaMemcpy(dValues, values.data(), values.size() * sizeof(double), cudaMemcpyHostToDevice));
  SAFE(cudaMemcpy(dX, x.data(), columns * sizeof(double), cudaMemcpyHostToDevice));

  std::vector<double> want(rows);
  for (int r = 0; r < rows; ++r)
    for (int k = offsets[r]; k < offsets[r + 1]; ++k) want[r] += values[k] * x[indices[k]];

  const Csr<double> a{rows, columns, dOffsets, dIndices, dValues};
  auto blocks = [&](int lanes) { return (rows * lanes + 127) / 128; };
  std::map<std::string, std::function<void()>> forms;
  forms["one thread"] = [&] { scalarRows<<<blocks(1), 128>>>(a, dX, dY); };
  forms["4 lanes"] = [&] { vectorRows<4><<<blocks(4), 128>>>(a, dX, dY); };
  forms["8 lanes"] = [&] { vectorRows<8, double><<<blocks(8), 128>>>(a, dX, dY); };
  forms["a warp"] = [&] { vectorRows<32><<<blocks(32), 128>>>(a, dX, dY); };
  for (auto &[name, launch] : forms) {
    SAFE(cudaMemset(dY, 0xee, rows * sizeof(double)));
    launch();
    SAFE(cudaGetLastError());
    std::vector<double> got(rows);
    SAFE(cudaMemcpy(got.data(), dY, rows * sizeof(double), cudaMemcpyDeviceToHost));
    for (int r = 0; r < rows; ++r)
      if (!(got[r] == want[r])) {
        std::printf("spmv_csr: %s: row %d: expected %g, got %g\n", name.c_str(), r, want[r], got[r]);
        return 1;
      }
  }
  SAFE(cudaFree(dOffsets));
  SAFE(cudaFree(dIndices));
  SAFE(cudaFree(dValues));
  SAFE(cudaFree(dX));
  SAFE(cudaFree(dY));
  std::printf("spmv_csr: ok\n");
}
