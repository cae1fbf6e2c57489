// Copies in all directions: cudaMemcpy2D between pitches, parts of pictures, cudaMemset and cudaMemset2D of bytes,
// cudaMemcpyDefault, device to device within one allocation, cudaMallocPitch, cudaMalloc3D with cudaMemcpy3D,
// mapped host memory, cudaPointerGetAttributes, cudaMemGetInfo.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

static int line_;
static void run(cudaError_t e) {
  if (e == cudaSuccess) return;
  std::fprintf(stderr, "memory_copies.cu:%d: %s\n", line_, cudaGetErrorString(e));
  std::exit(1);
}
#define RUN line_ = __LINE__, run

__global__ void addPlane(cudaPitchedPtr volume, int w, int h, int d) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, z = blockIdx.z;
  if (x >= w || y >= h || z >= d) return;
  char* slice = (char*)volume.ptr + z * volume.pitch * h;
  float* row = (float*)(slice + y * volume.pitch);
  row[x] += 100 * z + y;
}

__global__ void twice(int* mapped, int n) {
  if (threadIdx.x < n) mapped[threadIdx.x] *= 2;
}

#define EXPECT(what, at, want, got) if (!((want) == (got))) { std::printf("memory_copies: %s %d: expected %g, got %g\n", what, (int)(at), (double)(want), (double)(got)); return 1; }

int main() {
  // a window of a picture, through a pitched allocation
  const int w = 37, h = 21;
  std::vector<unsigned short> picture(w * h), window(10 * 6);
  for (int i = 0; i < w * h; ++i) picture[i] = i * 7;
  unsigned short* pitched;
  size_t pitch;
  RUN(cudaMallocPitch(&pitched, &pitch, w * 2, h));
  RUN(cudaMemset2D(pitched, pitch, 0xab, w * 2, h));
  RUN(cudaMemcpy2D(pitched, pitch, picture.data(), w * 2, w * 2, h - 1, cudaMemcpyHostToDevice));
  RUN(cudaMemcpy2D(window.data(), 20, (char*)pitched + 15 * pitch + 5 * 2, pitch, 20, 6, cudaMemcpyDeviceToHost));
  for (int y = 0; y < 6; ++y)
    for (int x = 0; x < 10; ++x) {
      const int want = y == 5 ? 0xabab : (unsigned short)picture[(15 + y) * w + 5 + x];
      EXPECT("window", y * 10 + x, want, window[y * 10 + x]);
    }
  RUN(cudaFree(pitched));

  // bytes of cudaMemset, and parts that move within one allocation
  const int n = 1000;
  int* ints;
  RUN(cudaMalloc(&ints, 2 * n * sizeof(int)));
  RUN(cudaMemset(ints, 0, 2 * n * sizeof(int)));
  RUN(cudaMemset(ints + 10, 0x12, 20 * sizeof(int)));
  RUN(cudaMemset((char*)(ints + 30) + 1, 0xff, 2));
  RUN(cudaMemcpy(ints + n, ints, n * sizeof(int), cudaMemcpyDeviceToDevice));
  std::vector<int> got(2 * n);
  RUN(cudaMemcpy(got.data(), ints, 2 * n * sizeof(int), cudaMemcpyDefault));
  for (int i = 0; i < 2 * n; ++i) {
    const int k = i % n, want = k >= 10 && k < 30 ? 0x12121212 : k == 30 ? 0x00ffff00 : 0;
    EXPECT("set", i, want, got[i]);
  }

  // three dimensions
  const int vw = 13, vh = 5, vd = 4;
  std::vector<float> volume(vw * vh * vd), back(vw * vh * vd);
  for (size_t i = 0; i < volume.size(); ++i) volume[i] = i * 0.5f;
  cudaPitchedPtr deviceVolume;
  RUN(cudaMalloc3D(&deviceVolume, make_cudaExtent(vw * sizeof(float), vh, vd)));
  cudaMemcpy3DParms parms = {};
  parms.srcPtr = make_cudaPitchedPtr(volume.data(), vw * sizeof(float), vw, vh);
  parms.dstPtr = deviceVolume;
  parms.extent = make_cudaExtent(vw * sizeof(float), vh, vd);
  parms.kind = cudaMemcpyHostToDevice;
  RUN(cudaMemcpy3D(&parms));
  addPlane<<<dim3(1, vh, vd), 32>>>(deviceVolume, vw, vh, vd);
  RUN(cudaGetLastError());
  parms = {};
  parms.srcPtr = deviceVolume;
  parms.dstPtr = make_cudaPitchedPtr(back.data(), vw * sizeof(float), vw, vh);
  parms.extent = make_cudaExtent(vw * sizeof(float), vh, vd);
  parms.kind = cudaMemcpyDeviceToHost;
  RUN(cudaMemcpy3D(&parms));
  for (size_t i = 0; i < volume.size(); ++i)
    EXPECT("volume", i, volume[i] + 100 * (i / (vw * vh)) + i / vw % vh, back[i]);
  RUN(cudaFree(deviceVolume.ptr));

  // host memory that kernels reach
  int *host, *alias;
  RUN(cudaHostAlloc((void**)&host, 40 * sizeof(int), cudaHostAllocMapped));
  for (int i = 0; i < 40; ++i) host[i] = i;
  RUN(cudaHostGetDevicePointer((void**)&alias, host, 0));
  twice<<<1, 64>>>(alias, 40);
  RUN(cudaGetLastError());
  RUN(cudaDeviceSynchronize());
  for (int i = 0; i < 40; ++i) EXPECT("mapped", i, 2 * i, host[i]);

  cudaPointerAttributes attributes;
  RUN(cudaPointerGetAttributes(&attributes, ints + 3));
  EXPECT("type of a device pointer", 0, cudaMemoryTypeDevice, attributes.type);
  EXPECT("device of a pointer", 0, 0, attributes.device);
  RUN(cudaPointerGetAttributes(&attributes, host));
  EXPECT("type of a pinned pointer", 0, cudaMemoryTypeHost, attributes.type);
  RUN(cudaPointerGetAttributes(&attributes, got.data()));
  EXPECT("type of an ordinary pointer", 0, cudaMemoryTypeUnregistered, attributes.type);
  RUN(cudaFreeHost(host));
  RUN(cudaFree(ints));
  RUN(cudaFree(nullptr));

  size_t free = 0, total = 0;
  RUN(cudaMemGetInfo(&free, &total));
  if (free == 0 || free > total) {
    std::printf("memory_copies: memory: expected 0 < free <= total, got %zu of %zu\n", free, total);
    return 1;
  }
  std::printf("memory_copies: ok\n");
  return 0;
}
