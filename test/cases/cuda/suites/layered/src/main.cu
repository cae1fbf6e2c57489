#include <cuda_runtime.h>
#include "suite_common.h"
#include "matrix_kernel.cu"
extern "C" double trace_of(const float *device, int n); /* the other source */
extern "C" void run_on_device(const matrix_t *a, const matrix_t *b, matrix_t *c) {
  float *d_a, *d_b, *d_c; size_t bytes = sizeof(float) * a->rows * a->cols;
  checkCudaErrors(cudaMalloc(reinterpret_cast<void **>(&d_a), bytes));
  checkCudaErrors(cudaMalloc(reinterpret_cast<void **>(&d_b), bytes));
  checkCudaErrors(cudaMalloc(reinterpret_cast<void **>(&d_c), bytes));
  checkCudaErrors(cudaMemcpy(d_a, a->data, bytes, cudaMemcpyHostToDevice));
  checkCudaErrors(cudaMemcpy(d_b, b->data, bytes, cudaMemcpyHostToDevice));
  int n = a->rows * a->cols;
  fill<float><<<(n + 127) / 128, 128>>>(d_c, n, -1.f);
  dim3 threads(BLOCK_SIZE, BLOCK_SIZE), grid(b->cols / threads.x, a->rows / threads.y);
  matrixMul<<< grid, threads >>>(d_c, d_a, d_b, a->cols, b->cols);
  getLastCudaError("matrixMul");
  negate<<<(n + 127) / 128, 128>>>(d_c, n);
  checkCudaErrors(cudaMemcpy(c->data, d_c, bytes, cudaMemcpyDeviceToHost));
  double trace = trace_of(d_c, a->rows), want = 0;
  for (int i = 0; i < a->rows; i++) want += (double)c->data[i * a->cols + i] * c->data[i * a->cols + i];
  if (trace < want * 0.9999 || trace > want * 1.0001) { printf("trace: expected %f, got %f\n", want, trace); exit(1); }
  cudaFree(d_a); cudaFree(d_b); cudaFree(d_c);
}
