// A texture reference, as programs of before CUDA 12 have at file scope. nvcc: no longer since CUDA 12.
texture<float, 1, cudaReadModeElementType> tex; // refused: texture references are not supported
__global__ void scale(float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * tex1Dfetch(tex, i);
}
int main() {
  float *in, *out;
  cudaMalloc((void **)&in, 64 * sizeof(float));
  cudaMalloc((void **)&out, 64 * sizeof(float));
  cudaBindTexture(0, tex, in, 64 * sizeof(float));
  scale<<<2, 32>>>(out, 64);
  cudaUnbindTexture(tex);
  return cudaThreadSynchronize();
}
