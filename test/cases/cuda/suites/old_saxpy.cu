/* Written as CUDA 3 programs were: C, cudaThreadSynchronize, a CUT-like macro, symbols by name of the variable. */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <sys/time.h>
#include <cuda.h>

#define SAFE_CALL(call) do {                                              \
    cudaError err = call;                                                 \
    if( cudaSuccess != err) {                                             \
        fprintf(stderr, "Cuda error in file '%s' in line %i : %s.\n",     \
                __FILE__, __LINE__, cudaGetErrorString( err) );           \
        exit(EXIT_FAILURE);                                               \
    } } while (0)
#define CHECK_LAUNCH(msg) {                                               \
    cudaError_t err = cudaGetLastError();                                 \
    if (err != cudaSuccess) { printf("%s: %s\n", msg, cudaGetErrorString(err)); exit(1); } }

#define THREADS 128
#define MUL(a, b) __mul24(a, b)
#define max(a,b) (((a) > (b)) ? (a) : (b))
#define min(a,b) ((a) < (b) ? (a) : (b))

__constant__ float coefficients[4];
__device__ float d_scale = 2.0f;
__device__ unsigned int d_count;

extern "C" __global__ void saxpy(int n, const float *x, float *y)
{
	const int tid = MUL(blockIdx.x, blockDim.x) + threadIdx.x;
	const int THREAD_N = MUL(blockDim.x, gridDim.x);
	for (int pos = tid; pos < n; pos += THREAD_N) {
		y[pos] = max(d_scale * coefficients[pos & 3] * x[pos] + y[pos], -1.0f);
		atomicInc(&d_count, 0xffffffffu);
	}
}

static double seconds(void)
{
	struct timeval t;
	gettimeofday(&t, NULL);
	return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

int main(int argc, char **argv)
{
	int n = 1000, i, bad = 0;
	if (argc > 1) n = atoi(argv[1]);
	float *h_x = (float *)malloc(n * sizeof(float));
	float *h_y = (float *)malloc(n * sizeof(float));
	float *h_r = (float *)malloc(n * sizeof(float));
	float *d_x, *d_y, factor = 3.0f, host_table[4] = {1.f, 2.f, 3.f, 4.f};
	unsigned int zero = 0, count;
	srand(2006);
	for (i = 0; i < n; i++) { h_x[i] = rand() / (float)RAND_MAX - 0.5f; h_y[i] = rand() / (float)RAND_MAX; }
	SAFE_CALL( cudaMalloc((void **)&d_x, n * sizeof(float)) );
	SAFE_CALL( cudaMalloc((void **)&d_y, n * sizeof(float)) );
	SAFE_CALL( cudaMemcpy(d_x, h_x, n * sizeof(float), cudaMemcpyHostToDevice) );
	SAFE_CALL( cudaMemcpy(d_y, h_y, n * sizeof(float), cudaMemcpyHostToDevice) );
	SAFE_CALL( cudaMemcpyToSymbol(coefficients, host_table, sizeof(host_table)) );
	SAFE_CALL( cudaMemcpyToSymbol(d_scale, &factor, sizeof(float), 0, cudaMemcpyHostToDevice) );
	SAFE_CALL( cudaMemcpyToSymbol(d_count, &zero, sizeof(zero)) );
	double begin = seconds();
	dim3 grid(4, 1), block(THREADS, 1, 1);
	saxpy<<<grid, block>>>(n, d_x, d_y);
	CHECK_LAUNCH("saxpy failed");
	cudaThreadSynchronize();
	double end = seconds();
	SAFE_CALL( cudaMemcpy(h_r, d_y, n * sizeof(float), cudaMemcpyDeviceToHost) );
	SAFE_CALL( cudaMemcpyFromSymbol(&count, d_count, sizeof(count)) );
	for (i = 0; i < n; i++) {
		float want = max(3.0f * host_table[i & 3] * h_x[i] + h_y[i], -1.0f);
		if (fabs(want - h_r[i]) > 1e-5 && !bad++) printf("element %d: expected %f, got %f\n", i, want, h_r[i]);
	}
	if (count != (unsigned)n) { printf("count: expected %d, got %u\n", n, count); bad = 1; }
	if (end < begin) bad = 1;
	cudaFree(d_x); cudaFree(d_y);
	free(h_x); free(h_y); free(h_r);
	cudaThreadExit();
	if (bad) return 1;
	printf("old_saxpy: ok\n");
	return 0;
}
