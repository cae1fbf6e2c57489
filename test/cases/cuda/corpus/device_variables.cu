// __device__ variables: scalars, arrays, structs, a pointer that the host sets, cudaGetSymbolAddress and
// cudaGetSymbolSize, parts of a symbol by offset, asynchronous copies, and static variables in functions.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define checkCuda(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { std::printf("%s(%d): %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); std::exit(1); } } while (0)

struct Settings {
  double scale;
  int shift;
  int calls;
};

__device__ int counter = 40;
__device__ float table[16];
__device__ Settings settings = {1.0, 0, 0};
__device__ int *workspace;
__device__ unsigned char bytes[5] = {1, 2, 3, 4, 5};
static __device__ unsigned long long checksum;
__device__ const int primes[] = {2, 3, 5, 7, 11, 13};

__device__ int nextId() {
  __device__ static int ids = 100;
  return atomicAdd(&ids, 1);
}

__global__ void use(int n) {
  int i = threadIdx.x;
  if (i < 16) table[i] = table[i] * 2.0f + i;
  if (i < n) {
    workspace[i] = (int)(settings.scale * i) + settings.shift + primes[i % 6];
    atomicAdd(&counter, 1);
    atomicAdd(&checksum, (unsigned long long)nextId());
  }
  if (i == 0) {
    settings.calls++;
    bytes[3] += bytes[0];
  }
}

#define SAME(what, got, want) if (!((got) == (want))) { std::printf("device_variables: %s: expected %g, got %g\n", what, (double)(want), (double)(got)); return 1; }

int main() {
  const int n = 50;
  float start[16], floats[16];
  for (int i = 0; i < 16; ++i) start[i] = i * 0.5f;
  checkCuda(cudaMemcpyToSymbol(table, start, sizeof start));
  Settings s = {2.5, -3, 10};
  checkCuda(cudaMemcpyToSymbol(settings, &s, sizeof s));
  int *memory;
  checkCuda(cudaMalloc(&memory, n * sizeof(int)));
  checkCuda(cudaMemcpyToSymbol(workspace, &memory, sizeof memory));
  unsigned char two[2] = {40, 50};
  checkCuda(cudaMemcpyToSymbol(bytes, two, 2, 3));
  cudaStream_t stream;
  checkCuda(cudaStreamCreate(&stream));
  unsigned long long zero = 7;
  checkCuda(cudaMemcpyToSymbolAsync(checksum, &zero, sizeof zero, 0, cudaMemcpyHostToDevice, stream));

  use<<<1, 64, 0, stream>>>(n);
  checkCuda(cudaGetLastError());
  use<<<1, 64, 0, stream>>>(n);
  checkCuda(cudaGetLastError());

  int count;
  unsigned long long sum;
  checkCuda(cudaMemcpyFromSymbolAsync(&sum, checksum, sizeof sum, 0, cudaMemcpyDeviceToHost, stream));
  checkCuda(cudaStreamSynchronize(stream));
  checkCuda(cudaStreamDestroy(stream));
  checkCuda(cudaMemcpyFromSymbol(&count, counter, sizeof count));
  checkCuda(cudaMemcpyFromSymbol(floats, table, sizeof floats));
  checkCuda(cudaMemcpyFromSymbol(&s, settings, sizeof s));
  SAME("counter", count, 40 + 2 * n);
  SAME("checksum", sum, 7ull + (100 + 100 + 2 * n - 1) * (2 * n) / 2);
  SAME("calls", s.calls, 12);
  SAME("scale", s.scale, 2.5);
  for (int i = 0; i < 16; ++i) SAME("table", floats[i], (start[i] * 2 + i) * 2 + i);

  unsigned char b[5];
  checkCuda(cudaMemcpyFromSymbol(b, bytes, 3));
  checkCuda(cudaMemcpyFromSymbol(b + 3, bytes, 2, 3));
  const unsigned char wantBytes[5] = {1, 2, 3, 42, 50};
  for (int i = 0; i < 5; ++i) SAME("bytes", b[i], wantBytes[i]);

  int got[n];
  checkCuda(cudaMemcpy(got, memory, sizeof got, cudaMemcpyDeviceToHost));
  const int p[] = {2, 3, 5, 7, 11, 13};
  for (int i = 0; i < n; ++i) SAME("workspace", got[i], (int)(2.5 * i) - 3 + p[i % 6]);
  checkCuda(cudaFree(memory));

  // the address of a symbol is an ordinary device pointer
  void *address;
  size_t size;
  checkCuda(cudaGetSymbolAddress(&address, table));
  checkCuda(cudaGetSymbolSize(&size, table));
  SAME("size of table", size, sizeof start);
  checkCuda(cudaMemset(address, 0, size));
  checkCuda(cudaMemcpy((float *)address + 15, start + 3, sizeof(float), cudaMemcpyHostToDevice));
  checkCuda(cudaMemcpyFromSymbol(floats, table, sizeof floats));
  for (int i = 0; i < 16; ++i) SAME("table after cudaMemset", floats[i], i == 15 ? 1.5f : 0.0f);
  std::printf("device_variables: ok\n");
  return 0;
}
