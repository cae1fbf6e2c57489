// A kernel that writes into an array through a surface object.
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

__global__ void paint(cudaSurfaceObject_t surface, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h) surf2Dwrite(x * 100.0f + y, surface, x * (int)sizeof(float), y);  // refused: surf2Dwrite
}

int main() {
  const int w = 24, h = 17;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  if (cudaMallocArray(&array, &format, w, h, cudaArraySurfaceLoadStore)) return 1;
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t surface = 0;
  if (cudaCreateSurfaceObject(&surface, &resource)) return 1;
  paint<<<dim3(2, 2), dim3(16, 16)>>>(surface, w, h);
  if (cudaGetLastError()) return 1;
  std::vector<float> got(w * h);
  if (cudaMemcpy2DFromArray(got.data(), w * sizeof(float), array, 0, 0, w * sizeof(float), h, cudaMemcpyDeviceToHost)) return 1;
  if (cudaDestroySurfaceObject(surface) || cudaFreeArray(array)) return 1;
  for (int i = 0; i < w * h; ++i)
    if (!(got[i] == i % w * 100.0f + i / w)) return 1;
  std::printf("surface_write: ok\n");
  return 0;
}
