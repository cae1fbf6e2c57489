// A word of the program's own for __shared__: as a plain variable, each thread would have one.
#define LOCAL_MEMORY __shared__
__global__ void reverse(int *p) {
  LOCAL_MEMORY int s[32];
  s[threadIdx.x] = p[threadIdx.x]; // refused: a __shared__ variable that is declared through a macro
  __syncthreads();
  p[threadIdx.x] = p[31 - threadIdx.x];
}
int main() {
  int *p;
  cudaMalloc(&p, 32 * sizeof(int));
  reverse<<<1, 32>>>(p);
  return cudaDeviceSynchronize();
}
