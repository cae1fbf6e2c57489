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

__global__ void invert(const unsigned char* in, unsigned char* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 255 - in[i];
}

int main() {
  const int n = 2000;
  std::vector<unsigned char> result(n);
  unsigned char *pinned = nullptr, *d_in = nullptr, *d_out = nullptr;
  cudaStream_t upload = nullptr;
  CHECK(cudaStreamCreateWithFlags(&upload, cudaStreamNonBlocking));
  CHECK(cudaHostAlloc((void**)&pinned, n, cudaHostAllocDefault));
  CHECK(cudaMalloc(&d_in, n));
  CHECK(cudaMalloc(&d_out, n));
  if (failed) return 1;
  for (int i = 0; i < n; ++i)
    pinned[i] = static_cast<unsigned char>(i * 17);
  CHECK(cudaMemset(d_in, 0, n));
  CHECK(cudaDeviceSynchronize());

  const cudaMemcpyKind kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpyAsync(d_in, pinned, n, kind, upload));  // and: wrong-stream
  // The default stream waits for the work of all streams that block.
  invert<<<(n + 255) / 256, 256>>>(d_in, d_out, n);  // finds: wrong-stream
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(result.data(), d_out, n, cudaMemcpyDeviceToHost));

  for (int i = 0; i < n && !failed; ++i) {
    if (result[i] != 255 - pinned[i]) {
      std::printf("byte %d is %d, expected %d\n", i, result[i], 255 - pinned[i]);
      failed = true;
    }
  }
  CHECK(cudaFree(d_in));
  CHECK(cudaFree(d_out));
  CHECK(cudaFreeHost(pinned));
  CHECK(cudaStreamDestroy(upload));
  if (!failed) std::printf("ok\n");
  return failed ? 1 : 0;
}
