// For each key, one row that has it. Later steps take the owner's other columns.
#include <cuda_runtime.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA_CHECK(call)                                                                    \
  do {                                                                                      \
    cudaError_t status_ = (call);                                                           \
    if (status_ != cudaSuccess) {                                                           \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
      std::exit(1);                                                                         \
    }                                                                                       \
  } while (0)

__global__ void claim_keys(const int* keys, int rows, int* owner) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  atomicCAS(&owner[keys[row]], INT_MAX, row);  // finds: order-dependence
}

int main() {
  const int rows = 1000, distinct = 37;
  std::vector<int> keys(rows), owner(distinct, INT_MAX), expected(distinct, INT_MAX);
  for (int row = 0; row < rows; ++row) {
    keys[row] = row * row % distinct;
    if (expected[keys[row]] == INT_MAX) expected[keys[row]] = row;
  }
  int *d_keys, *d_owner;
  CUDA_CHECK(cudaMalloc(&d_keys, rows * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&d_owner, distinct * sizeof(int)));
  CUDA_CHECK(cudaMemcpy(d_keys, keys.data(), rows * sizeof(int), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(d_owner, owner.data(), distinct * sizeof(int), cudaMemcpyHostToDevice));
  claim_keys<<<(rows + 63) / 64, 64>>>(d_keys, rows, d_owner);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(owner.data(), d_owner, distinct * sizeof(int), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_keys));
  CUDA_CHECK(cudaFree(d_owner));
  if (owner != expected) {
    std::printf("the owners are wrong\n");
    return 1;
  }
  std::printf("ok\n");
  return 0;
}
