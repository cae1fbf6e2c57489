// Maps an OpenGL buffer and writes vertices into it. Build: nvcc -lGL
#include <cuda_runtime.h>
#include <cuda_gl_interop.h>  // refused: cuda_gl_interop.h
#include <cstdio>

__global__ void wave(float4* vertices, int w, int h, float time) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h) vertices[y * w + x] = make_float4(x, sinf(x * 0.1f + time) * cosf(y * 0.1f + time), y, 1.0f);
}

int draw(GLuint buffer, int w, int h, float time) {
  cudaGraphicsResource* resource;
  if (cudaGraphicsGLRegisterBuffer(&resource, buffer, cudaGraphicsMapFlagsWriteDiscard)) return 1;
  if (cudaGraphicsMapResources(1, &resource, 0)) return 1;
  float4* vertices;
  size_t bytes;
  if (cudaGraphicsResourceGetMappedPointer((void**)&vertices, &bytes, resource)) return 1;
  wave<<<dim3((w + 7) / 8, (h + 7) / 8), dim3(8, 8)>>>(vertices, w, h, time);
  if (cudaGetLastError() || cudaGraphicsUnmapResources(1, &resource, 0)) return 1;
  return cudaGraphicsUnregisterResource(resource) != cudaSuccess;
}

int main() {
  if (draw(1, 64, 64, 0.5f)) return 1;
  std::printf("opengl_interop: ok\n");
  return 0;
}
