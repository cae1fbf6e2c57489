#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

static bool failed = false;

static void record(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(status));
  failed = true;
}
#define CHECK(call) record((call), #call)

// A sparse matrix in CSR form.
struct Csr {
  int rows;
  const int* offsets;
  const int* columns;
  const int* values;
};

__global__ void spmv(const Csr* a, const int* x, int* y) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= a->rows) return;
  int sum = 0;
  for (int k = a->offsets[row]; k < a->offsets[row + 1]; ++k) {
    int value = a->values[k];
    sum += value * x[a->columns[k]];
  }
  y[row] = sum;
}

template <typename T>
T* to_device(const std::vector<T>& host) {
  T* device = nullptr;
  CHECK(cudaMalloc(&device, host.size() * sizeof(T)));
  CHECK(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
  return device;
}

int main() {
  // A band matrix: two on the diagonal, minus one next to it.
  const int rows = 200;
  std::vector<int> offsets{0}, columns, values, x(rows), y(rows, 0);
  for (int row = 0; row < rows; ++row) {
    x[row] = row * row % 13;
    for (int col = row - 1; col <= row + 1; ++col) {
      if (col < 0 || col >= rows) continue;
      columns.push_back(col);
      values.push_back(col == row ? 2 : -1);
    }
    offsets.push_back(static_cast<int>(columns.size()));
  }

  int* d_offsets = to_device(offsets);
  int* d_columns = to_device(columns);
  int* d_values = to_device(values);
  int* d_x = to_device(x);
  int* d_y = to_device(y);
  Csr a{rows, d_offsets, d_columns, d_values};
  Csr* d_a = to_device(std::vector<Csr>{a});
  if (!failed) {
    spmv<<<(rows + 63) / 64, 64>>>(d_a, d_x, d_y);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(y.data(), d_y, rows * sizeof(int), cudaMemcpyDeviceToHost));
  }
  for (int* pointer : {d_offsets, d_columns, d_values, d_x, d_y})
    CHECK(cudaFree(pointer));
  CHECK(cudaFree(d_a));

  for (int row = 0; row < rows && !failed; ++row) {
    int expected = 2 * x[row] - (row > 0 ? x[row - 1] : 0) - (row + 1 < rows ? x[row + 1] : 0);
    if (y[row] != expected) {
      std::printf("y[%d] is %d, expected %d\n", row, y[row], expected);
      failed = true;
    }
  }
  if (!failed) std::printf("ok\n");
  return failed ? 1 : 0;
}
