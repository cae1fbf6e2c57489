// What the runtime says of devices: properties that every CUDA device has, attributes that agree with them, versions,
// errors and their names, and that an error is reported once.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

__global__ void nothing() {}

__global__ void identify(int *out) {
  if (blockIdx.x + blockIdx.y + blockIdx.z + threadIdx.x + threadIdx.y + threadIdx.z) return;
  out[0] = warpSize;
  out[1] = gridDim.x * 100 + gridDim.y * 10 + gridDim.z;
  out[2] = blockDim.x * 100 + blockDim.y * 10 + blockDim.z;
}

#define FAIL(...) do { printf("device_query: " __VA_ARGS__); printf("\n"); return 1; } while (0)
#define MUST(call) do { cudaError_t e = (call); if (e != cudaSuccess) FAIL("%s: expected success, got %s", #call, cudaGetErrorName(e)); } while (0)

int main() {
  int count = 0, runtime = 0, driver = 0;
  MUST(cudaGetDeviceCount(&count));
  if (count < 1) FAIL("devices: expected at least 1, got %d", count);
  MUST(cudaRuntimeGetVersion(&runtime));
  MUST(cudaDriverGetVersion(&driver));
  if (runtime < 11000 || driver < runtime / 1000 * 1000) FAIL("versions: expected 11000 or newer, got %d and %d", runtime, driver);

  for (int d = 0; d < count; ++d) {
    MUST(cudaSetDevice(d));
    int current = -1;
    MUST(cudaGetDevice(&current));
    if (current != d) FAIL("current device: expected %d, got %d", d, current);
    cudaDeviceProp p;
    MUST(cudaGetDeviceProperties(&p, d));
    if (strlen(p.name) == 0 || p.major < 8 || p.warpSize != 32 || p.multiProcessorCount < 1) FAIL("properties of device %d: got %s %d.%d", d, p.name, p.major, p.minor);
    if (p.maxThreadsPerBlock != 1024 || p.maxThreadsDim[0] != 1024 || p.maxThreadsDim[1] != 1024 || p.maxThreadsDim[2] != 64)
      FAIL("block limits: expected 1024 1024 1024 64, got %d %d %d %d", p.maxThreadsPerBlock, p.maxThreadsDim[0], p.maxThreadsDim[1], p.maxThreadsDim[2]);
    if (p.maxGridSize[0] != 2147483647 || p.maxGridSize[1] != 65535 || p.maxGridSize[2] != 65535)
      FAIL("grid limits: got %d %d %d", p.maxGridSize[0], p.maxGridSize[1], p.maxGridSize[2]);
    if (p.sharedMemPerBlock != 49152 || p.regsPerBlock < 1 || p.totalGlobalMem < (1u << 20)) FAIL("memory: got %zu %d %zu", p.sharedMemPerBlock, p.regsPerBlock, p.totalGlobalMem);

    const struct { cudaDeviceAttr attribute; long long want; } attributes[] = {
        {cudaDevAttrMaxThreadsPerBlock, p.maxThreadsPerBlock},
        {cudaDevAttrMaxBlockDimX, p.maxThreadsDim[0]},
        {cudaDevAttrMaxGridDimY, p.maxGridSize[1]},
        {cudaDevAttrWarpSize, 32},
        {cudaDevAttrMultiProcessorCount, p.multiProcessorCount},
        {cudaDevAttrMaxSharedMemoryPerBlock, (long long)p.sharedMemPerBlock},
        {cudaDevAttrMaxThreadsPerMultiProcessor, p.maxThreadsPerMultiProcessor},
        {cudaDevAttrComputeCapabilityMajor, p.major},
        {cudaDevAttrComputeCapabilityMinor, p.minor},
    };
    for (auto a : attributes) {
      int got = -1;
      MUST(cudaDeviceGetAttribute(&got, a.attribute, d));
      if (got != a.want) FAIL("attribute %d: expected %lld, got %d", (int)a.attribute, a.want, got);
    }
  }
  MUST(cudaSetDevice(0));

  // names and texts of errors
  if (strcmp(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue")) FAIL("name: got %s", cudaGetErrorName(cudaErrorInvalidValue));
  if (strcmp(cudaGetErrorString(cudaSuccess), "no error")) FAIL("text of success: got %s", cudaGetErrorString(cudaSuccess));
  if (strcmp(cudaGetErrorName(cudaErrorMemoryAllocation), "cudaErrorMemoryAllocation")) FAIL("name: got %s", cudaGetErrorName(cudaErrorMemoryAllocation));

  // a device that is not there: the call fails, the error is peeked at twice and taken once
  cudaError_t e = cudaSetDevice(count + 50);
  if (e != cudaErrorInvalidDevice) FAIL("cudaSetDevice: expected cudaErrorInvalidDevice, got %s", cudaGetErrorName(e));
  if ((e = cudaPeekAtLastError()) != cudaErrorInvalidDevice) FAIL("peek: expected cudaErrorInvalidDevice, got %s", cudaGetErrorName(e));
  if ((e = cudaGetLastError()) != cudaErrorInvalidDevice) FAIL("get: expected cudaErrorInvalidDevice, got %s", cudaGetErrorName(e));
  if ((e = cudaGetLastError()) != cudaSuccess) FAIL("get again: expected cudaSuccess, got %s", cudaGetErrorName(e));

  nothing<<<1, 1>>>();
  MUST(cudaGetLastError());
  int *out, got[3];
  MUST(cudaMalloc(&out, sizeof got));
  identify<<<dim3(2, 1, 3), dim3(4, 2, 1)>>>(out);
  MUST(cudaGetLastError());
  MUST(cudaDeviceSynchronize());
  MUST(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
  MUST(cudaFree(out));
  const int want[3] = {32, 213, 421};
  for (int i = 0; i < 3; ++i)
    if (got[i] != want[i]) FAIL("identify %d: expected %d, got %d", i, want[i], got[i]);
  printf("device_query: ok\n");
  return 0;
}
