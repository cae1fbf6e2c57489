// A picture that is read through a texture object with bilinear filtering.
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

__global__ void sample(cudaTextureObject_t texture, float* out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h) out[y * w + x] = tex2D<float>(texture, x + 1.0f, y + 0.5f);  // refused: tex2D
}

int main() {
  const int w = 40, h = 30;
  std::vector<float> picture(w * h, 2.0f), got(w * h);
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  if (cudaMallocArray(&array, &format, w, h)) return 1;
  if (cudaMemcpy2DToArray(array, 0, 0, picture.data(), w * sizeof(float), w * sizeof(float), h, cudaMemcpyHostToDevice)) return 1;
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc description = {};
  description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
  description.filterMode = cudaFilterModeLinear;
  description.readMode = cudaReadModeElementType;
  cudaTextureObject_t texture = 0;
  if (cudaCreateTextureObject(&texture, &resource, &description, nullptr)) return 1;
  float* out;
  if (cudaMalloc(&out, w * h * sizeof(float))) return 1;
  sample<<<dim3(3, 2), dim3(16, 16)>>>(texture, out, w, h);
  if (cudaMemcpy(got.data(), out, w * h * sizeof(float), cudaMemcpyDeviceToHost)) return 1;
  for (float v : got)
    if (!(v == 2.0f)) return 1;
  if (cudaDestroyTextureObject(texture) || cudaFreeArray(array) || cudaFree(out)) return 1;
  std::printf("texture_object: ok\n");
  return 0;
}
