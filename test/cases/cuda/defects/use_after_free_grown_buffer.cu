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

struct Buffer {
  int* data = nullptr;
  size_t capacity = 0;

  void reserve(size_t wanted) {
    if (wanted <= capacity) return;
    int* bigger = nullptr;
    CHECK(cudaMalloc(&bigger, wanted * sizeof(int)));
    if (data) CHECK(cudaMemcpy(bigger, data, capacity * sizeof(int), cudaMemcpyDeviceToDevice));
    CHECK(cudaFree(data));
    data = bigger;
    capacity = wanted;
  }
};

struct Params {
  int* out;
  int begin;
  int end;
};

__global__ void append_squares(Params p) {
  int i = p.begin + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < p.end) p.out[i] = i * i;  // finds: use-after-free
}

int main() {
  Buffer squares;
  squares.reserve(100);
  Params params{squares.data, 0, 100};
  append_squares<<<1, 128>>>(params);
  CHECK(cudaGetLastError());

  squares.reserve(500);
  params.begin = 100;
  params.end = 500;
  append_squares<<<4, 128>>>(params);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());

  std::vector<int> result(500);
  if (!failed) {
    CHECK(cudaMemcpy(result.data(), squares.data, 500 * sizeof(int), cudaMemcpyDeviceToHost));
  }
  CHECK(cudaFree(squares.data));
  for (int i = 0; i < 500 && !failed; ++i) {
    if (result[i] != i * i) {
      std::printf("square %d is %d\n", i, result[i]);
      failed = true;
    }
  }
  if (!failed) std::printf("ok\n");
  return failed ? 1 : 0;
}
