// Three kernels of linear algebra in the style of PolyBench: macros for types and sizes, 2-D arrays by pointer, percent difference.
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <assert.h>
#include <unistd.h>
#include <sys/time.h>
#include <cuda.h>
#define NI 40
#define NJ 36
#define NK 44
#ifndef DATA_TYPE
#define DATA_TYPE float
#endif
#define DIM_THREAD_BLOCK_X 32
#define DIM_THREAD_BLOCK_Y 8
#define PERCENT_DIFF_ERROR_THRESHOLD 0.05
#define POLYBENCH_2D(var, d1, d2) (*var)[d1][d2]
#define ALPHA 32412.0f
#define BETA 2123.0f
static double percentDiff(double a, double b) { return (fabs(a) < 0.01 && fabs(b) < 0.01) ? 0.0 : 100.0 * fabs(fabs(a - b) / fabs(a + 1e-8)); }
__global__ void gemm_kernel(DATA_TYPE *a, DATA_TYPE *b, DATA_TYPE *c) {
	int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
	if ((i < NI) && (j < NJ)) {
		c[i * NJ + j] *= BETA;
		int k;
		for (k = 0; k < NK; k++) c[i * NJ + j] += ALPHA * a[i * NK + k] * b[k * NJ + j];
	}
}
__global__ void atax_kernel1(DATA_TYPE *A, DATA_TYPE *x, DATA_TYPE *tmp) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < NI) { tmp[i] = 0; for (int j = 0; j < NK; j++) tmp[i] += A[i * NK + j] * x[j]; }
}
__global__ void atax_kernel2(DATA_TYPE *A, DATA_TYPE *y, DATA_TYPE *tmp) {
	int j = blockIdx.x * blockDim.x + threadIdx.x;
	if (j < NK) { y[j] = 0; for (int i = 0; i < NI; i++) y[j] += A[i * NK + j] * tmp[i]; }
}
__global__ void jacobi_step(DATA_TYPE *__restrict__ A, DATA_TYPE *__restrict__ B) {
	int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
	if ((i >= 1) && (i < (NI - 1)) && (j >= 1) && (j < (NJ - 1)))
		B[i * NJ + j] = 0.2f * (A[i * NJ + j] + A[i * NJ + (j - 1)] + A[i * NJ + (1 + j)] + A[(1 + i) * NJ + j] + A[(i - 1) * NJ + j]);
}
DATA_TYPE hostA[NI][NK], hostB[NK][NJ], hostC[NI][NJ], wantC[NI][NJ], hostX[NK], hostY[NK], wantY[NK], hostT[NI];
int main(int argc, char **argv) {
	int i, j, k, t, fail = 0;
	for (i = 0; i < NI; i++) for (k = 0; k < NK; k++) hostA[i][k] = ((DATA_TYPE)i * k) / NI;
	for (k = 0; k < NK; k++) { hostX[k] = 1 + k / (DATA_TYPE)NK; for (j = 0; j < NJ; j++) hostB[k][j] = ((DATA_TYPE)k * j + 1) / NJ; }
	for (i = 0; i < NI; i++) for (j = 0; j < NJ; j++) wantC[i][j] = hostC[i][j] = ((DATA_TYPE)i * j + 2) / NJ;
	DATA_TYPE *A_gpu, *B_gpu, *C_gpu, *x_gpu, *y_gpu, *tmp_gpu, *D_gpu;
	cudaSetDevice(0);
	cudaMalloc((void **)&A_gpu, sizeof(DATA_TYPE) * NI * NK); cudaMalloc((void **)&B_gpu, sizeof(hostB)); cudaMalloc((void **)&C_gpu, sizeof(hostC)); cudaMalloc((void **)&D_gpu, sizeof(hostC));
	cudaMalloc((void **)&x_gpu, sizeof(hostX)); cudaMalloc((void **)&y_gpu, sizeof(hostY)); cudaMalloc((void **)&tmp_gpu, sizeof(hostT));
	cudaMemcpy(A_gpu, hostA, sizeof(hostA), cudaMemcpyHostToDevice); cudaMemcpy(B_gpu, hostB, sizeof(hostB), cudaMemcpyHostToDevice);
	cudaMemcpy(C_gpu, hostC, sizeof(hostC), cudaMemcpyHostToDevice); cudaMemcpy(x_gpu, hostX, sizeof(hostX), cudaMemcpyHostToDevice);
	dim3 block(DIM_THREAD_BLOCK_X, DIM_THREAD_BLOCK_Y);
	dim3 grid((size_t)(ceil(((float)NJ) / ((float)block.x))), (size_t)(ceil(((float)NI) / ((float)block.y))));
	gemm_kernel<<< grid, block >>>(A_gpu, B_gpu, C_gpu);
	cudaThreadSynchronize();
	cudaMemcpy(hostC, C_gpu, sizeof(hostC), cudaMemcpyDeviceToHost);
	for (i = 0; i < NI; i++) for (j = 0; j < NJ; j++) {
		wantC[i][j] *= BETA;
		for (k = 0; k < NK; k++) wantC[i][j] += ALPHA * hostA[i][k] * hostB[k][j];
		if (percentDiff(wantC[i][j], hostC[i][j]) > PERCENT_DIFF_ERROR_THRESHOLD) fail++;
	}
	atax_kernel1<<<(NI + 255) / 256, 256>>>(A_gpu, x_gpu, tmp_gpu);
	atax_kernel2<<<(NK + 255) / 256, 256>>>(A_gpu, y_gpu, tmp_gpu);
	cudaMemcpy(hostY, y_gpu, sizeof(hostY), cudaMemcpyDeviceToHost);
	for (i = 0; i < NI; i++) for (k = 0; k < NK; k++) hostT[i] += hostA[i][k] * hostX[k];
	for (k = 0; k < NK; k++) { for (i = 0; i < NI; i++) wantY[k] += hostA[i][k] * hostT[i]; if (percentDiff(wantY[k], hostY[k]) > PERCENT_DIFF_ERROR_THRESHOLD) fail++; }
	cudaMemcpy(D_gpu, C_gpu, sizeof(hostC), cudaMemcpyDeviceToDevice);
	for (t = 0; t < 4; t++) jacobi_step<<<grid, block>>>(t % 2 ? D_gpu : C_gpu, t % 2 ? C_gpu : D_gpu);
	static DATA_TYPE P[2][NI][NJ], gpu[NI][NJ];
	for (i = 0; i < NI; i++) for (j = 0; j < NJ; j++) P[0][i][j] = P[1][i][j] = hostC[i][j];
	for (t = 0; t < 4; t++) { DATA_TYPE POLYBENCH_2D(a, NI, NJ) = (DATA_TYPE(*)[NI][NJ])P[t % 2]; DATA_TYPE POLYBENCH_2D(b, NI, NJ) = &P[1 - t % 2];
		for (i = 1; i < NI - 1; i++) for (j = 1; j < NJ - 1; j++) (*b)[i][j] = 0.2f * ((*a)[i][j] + (*a)[i][j - 1] + (*a)[i][j + 1] + (*a)[i + 1][j] + (*a)[i - 1][j]); }
	cudaMemcpy(gpu, C_gpu, sizeof(gpu), cudaMemcpyDeviceToHost);
	for (i = 0; i < NI; i++) for (j = 0; j < NJ; j++) if (percentDiff(P[0][i][j], gpu[i][j]) > PERCENT_DIFF_ERROR_THRESHOLD) fail++;
	cudaFree(A_gpu); cudaFree(B_gpu); cudaFree(C_gpu); cudaFree(D_gpu); cudaFree(x_gpu); cudaFree(y_gpu); cudaFree(tmp_gpu);
	if (fail) { printf("Non-Matching CPU-GPU Outputs Beyond Error Threshold of %4.2f Percent: %d\n", PERCENT_DIFF_ERROR_THRESHOLD, fail); return 1; }
	printf("polybench_like: ok\n");
	return 0;
}
