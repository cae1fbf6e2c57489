// Two devices square one half of the values each.
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

__global__ void square_in_place(int* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= x[i];  // finds: missing-device-guard
}

int main() {
  const int half = 700, devices = 2;
  int count = 0;
  CHECK(cudaGetDeviceCount(&count));
  if (count < devices) {
    std::printf("needs two devices\n");
    return 0;
  }
  std::vector<int> x(devices * half);
  for (int i = 0; i < devices * half; ++i)
    x[i] = i;

  int* parts[devices] = {};
  for (int d = 0; d < devices; ++d) {
    CHECK(cudaSetDevice(d));
    CHECK(cudaMalloc(&parts[d], half * sizeof(int)));
    CHECK(cudaMemcpy(parts[d], &x[d * half], half * sizeof(int), cudaMemcpyHostToDevice));
  }
  for (int d = 0; d < devices; ++d) {
    square_in_place<<<(half + 127) / 128, 128>>>(parts[d], half);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
  }
  for (int d = 0; d < devices; ++d) {
    CHECK(cudaSetDevice(d));
    CHECK(cudaMemcpy(&x[d * half], parts[d], half * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(parts[d]));
  }
  for (int i = 0; i < devices * half && !failed; ++i) {
    if (x[i] != i * i) {
      std::printf("square of %d is %d\n", i, x[i]);
      failed = true;
    }
  }
  if (!failed) std::printf("ok\n");
  return failed ? 1 : 0;
}
