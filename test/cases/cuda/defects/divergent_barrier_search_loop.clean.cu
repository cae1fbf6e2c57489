#include <cuda_runtime.h>

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

// The first chunk of a row (blockDim.x values) that has the key, or -1. One block a row.
__global__ void find_chunk(const int* table, int cols, int key, int* chunk_of_row) {
  const int* row = table + blockIdx.x * cols;
  int chunk = -1;
  for (int base = 0; base < cols; base += blockDim.x) {
    int c = base + threadIdx.x;
    int hit = __syncthreads_or(c < cols && row[c] == key);
    if (hit) {
      chunk = base / blockDim.x;
      break;
    }
  }
  if (threadIdx.x == 0) chunk_of_row[blockIdx.x] = chunk;
}

int main() {
  const int rows = 7, cols = 300, threads = 128, key = 5000;
  std::vector<int> table(rows * cols), chunks(rows);
  for (int i = 0; i < rows * cols; ++i)
    table[i] = i;
  // Row 3 has no key. Row 6 has it in the last chunk.
  const int places[rows] = {0, 100, 130, -1, 255, 128, 290};
  for (int r = 0; r < rows; ++r)
    if (places[r] >= 0) table[r * cols + places[r]] = key;

  int *d_table, *d_chunks;
  CUDA_CHECK(cudaMalloc(&d_table, table.size() * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&d_chunks, rows * sizeof(int)));
  CUDA_CHECK(cudaMemcpy(d_table, table.data(), table.size() * sizeof(int), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemset(d_chunks, 0xff, rows * sizeof(int)));
  find_chunk<<<rows, threads>>>(d_table, cols, key, d_chunks);
  cudaError_t launched = cudaGetLastError();
  cudaError_t copied =
      cudaMemcpy(chunks.data(), d_chunks, rows * sizeof(int), cudaMemcpyDeviceToHost);
  cudaError_t freed = cudaFree(d_table);
  cudaError_t freed_too = cudaFree(d_chunks);
  for (cudaError_t status : {launched, copied, freed, freed_too})
    CUDA_CHECK(status);
  for (int r = 0; r < rows; ++r) {
    int expected = places[r] < 0 ? -1 : places[r] / threads;
    if (chunks[r] != expected) {
      std::printf("row %d: chunk %d, expected %d\n", r, chunks[r], expected);
      return 1;
    }
  }
  std::printf("ok\n");
  return 0;
}
