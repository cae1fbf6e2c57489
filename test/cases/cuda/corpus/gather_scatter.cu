// gather along a dimension, scatter with unique indices, scatter_add and index_add with repeated ones.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA_KERNEL_LOOP(i, n) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)

#define CUDA_CHECK(condition)                                         \
  do {                                                                \
    cudaError_t error = condition;                                    \
    if (error != cudaSuccess) {                                       \
      fprintf(stderr, "%s\n", cudaGetErrorString(error));             \
      abort();                                                        \
    }                                                                 \
  } while (0)

const int CUDA_NUM_THREADS = 64;
inline int GET_BLOCKS(const int N) { return (N + CUDA_NUM_THREADS - 1) / CUDA_NUM_THREADS; }

// out[i][j] = in[index[i][j]][j]
template <typename scalar_t, typename index_t>
__global__ void gather_kernel(const int n, const int columns, const scalar_t* in, const index_t* index, scalar_t* out) {
  CUDA_KERNEL_LOOP(i, n) { out[i] = in[index[i] * columns + i % columns]; }
}

// out[permutation[i]][j] = in[i][j]
template <typename scalar_t>
__global__ void scatter_kernel(const int n, const int columns, const scalar_t* in, const int* permutation, scalar_t* out) {
  CUDA_KERNEL_LOOP(i, n) { out[permutation[i / columns] * columns + i % columns] = in[i]; }
}

template <typename scalar_t, typename index_t>
__global__ void scatter_add_kernel(const int n, const int columns, const scalar_t* in, const index_t* index, scalar_t* out) {
  CUDA_KERNEL_LOOP(i, n) { atomicAdd(out + index[i] * columns + i % columns, in[i]); }
}

// out[index[r]] += alpha * in[r]; rows whose index is negative count from the end
template <typename scalar_t>
__global__ void index_add_kernel(int rows, int columns, int outRows, const scalar_t* in, const int64_t* index, scalar_t alpha,
                                 scalar_t* out) {
  for (int r = blockIdx.y; r < rows; r += gridDim.y) {
    const int64_t to = index[r] < 0 ? index[r] + outRows : index[r];
    CUDA_KERNEL_LOOP(c, columns) { atomicAdd(&out[to * columns + c], alpha * in[r * columns + c]); }
  }
}

template <typename T>
T* to_device(const std::vector<T>& v) {
  T* p;
  CUDA_CHECK(cudaMalloc(&p, v.size() * sizeof(T)));
  CUDA_CHECK(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
  return p;
}

template <typename T>
int differs(const char* what, T* device, const std::vector<T>& want) {
  std::vector<T> got(want.size());
  CUDA_CHECK(cudaMemcpy(got.data(), device, got.size() * sizeof(T), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(device));
  for (size_t i = 0; i < want.size(); ++i) {
    if (!(got[i] == want[i])) {
      printf("gather_scatter: %s %zu: expected %g, got %g\n", what, i, (double)want[i], (double)got[i]);
      return 1;
    }
  }
  return 0;
}

int main() {
  const int rows = 53, columns = 19, outRows = 11, n = rows * columns;
  std::vector<float> in(n);
  std::vector<double> doubles(n);
  std::vector<int64_t> index(n), target(n), rowTarget(rows);
  std::vector<int> permutation(rows);
  for (int i = 0; i < n; ++i) {
    in[i] = (i * 29 % 97) * 0.5f - 20;
    doubles[i] = in[i] * 4;
    index[i] = i * 31 % rows;
    target[i] = i * i % outRows;
  }
  for (int r = 0; r < rows; ++r) {
    permutation[r] = r * 20 % rows;
    rowTarget[r] = r % 3 == 0 ? -1 - r % outRows : r * 7 % outRows;
  }

  std::vector<float> gathered(n), scattered(n);
  std::vector<double> added(outRows * columns, 1.0);
  std::vector<float> indexAdded(outRows * columns, -2.0f);
  float* dIn = to_device(in);
  double* dDoubles = to_device(doubles);
  int64_t *dIndex = to_device(index), *dTarget = to_device(target), *dRowTarget = to_device(rowTarget);
  int* dPermutation = to_device(permutation);
  float *dGathered = to_device(gathered), *dScattered = to_device(scattered), *dIndexAdded = to_device(indexAdded);
  double* dAdded = to_device(added);

  gather_kernel<float, int64_t><<<GET_BLOCKS(n), CUDA_NUM_THREADS>>>(n, columns, dIn, dIndex, dGathered);
  CUDA_CHECK(cudaPeekAtLastError());
  scatter_kernel<<<3, CUDA_NUM_THREADS>>>(n, columns, dIn, dPermutation, dScattered);
  CUDA_CHECK(cudaPeekAtLastError());
  scatter_add_kernel<double, int64_t><<<GET_BLOCKS(n), CUDA_NUM_THREADS>>>(n, columns, dDoubles, dTarget, dAdded);
  CUDA_CHECK(cudaPeekAtLastError());
  index_add_kernel<<<dim3(1, 8), 32>>>(rows, columns, outRows, dIn, dRowTarget, 0.5f, dIndexAdded);
  CUDA_CHECK(cudaPeekAtLastError());
  CUDA_CHECK(cudaDeviceSynchronize());

  for (int i = 0; i < n; ++i) {
    const int r = i / columns, c = i % columns;
    gathered[i] = in[index[i] * columns + c];
    scattered[permutation[r] * columns + c] = in[i];
    added[target[i] * columns + c] += doubles[i];
    indexAdded[(rowTarget[r] < 0 ? rowTarget[r] + outRows : rowTarget[r]) * columns + c] += 0.5f * in[i];
  }
  CUDA_CHECK(cudaFree(dIn));
  CUDA_CHECK(cudaFree(dDoubles));
  CUDA_CHECK(cudaFree(dIndex));
  CUDA_CHECK(cudaFree(dTarget));
  CUDA_CHECK(cudaFree(dRowTarget));
  CUDA_CHECK(cudaFree(dPermutation));
  if (differs("gather", dGathered, gathered) || differs("scatter", dScattered, scattered) ||
      differs("scatter_add", dAdded, added) || differs("index_add", dIndexAdded, indexAdded))
    return 1;
  printf("gather_scatter: ok\n");
  return 0;
}
