// One launch: each block writes its sum, and the block that finishes last adds them up. It knows that it is
// the last one by a ticket, and sees the others' sums by __threadfence.
#include <cuda_runtime.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static void die(const char *where, cudaError_t e)
{
	fprintf(stderr, "%s: %s\n", where, cudaGetErrorString(e));
	exit(1);
}
#define TRY(what, call) do { cudaError_t e = (call); if (e != cudaSuccess) die(what, e); } while (0)

__device__ unsigned int finished = 0;

__device__ long long blockSum(long long v, long long *scratch)
{
	scratch[threadIdx.x] = v;
	__syncthreads();
	for (int half = blockDim.x >> 1; half >= 1; half >>= 1) {
		if (threadIdx.x < half)
			scratch[threadIdx.x] += scratch[threadIdx.x + half];
		__syncthreads();
	}
	return scratch[0];
}

__global__ void sumOfSquares(const int *in, int n, volatile long long *partial, long long *total)
{
	__shared__ long long scratch[128];
	__shared__ bool last;

	long long mine = 0;
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		mine += (long long)in[i] * in[i];
	long long sum = blockSum(mine, scratch);

	if (threadIdx.x == 0) {
		partial[blockIdx.x] = sum;
		__threadfence();
		/* atomicInc goes back to 0 at gridDim.x - 1, so that the next launch finds it ready */
		last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
	}
	__syncthreads();

	if (last) {
		mine = 0;
		for (int b = threadIdx.x; b < gridDim.x; b += blockDim.x)
			mine += partial[b];
		sum = blockSum(mine, scratch);
		if (threadIdx.x == 0)
			*total = sum;
	}
}

int main(void)
{
	enum { N = 25013, BLOCKS = 19, THREADS = 128 };
	static int h[N];
	long long want = 0, got;
	int *in;
	long long *partial, *total;

	for (int i = 0; i < N; i++) {
		h[i] = (i * 31) % 4099 - 2000;
		want += (long long)h[i] * h[i];
	}
	TRY("malloc in", cudaMalloc(&in, sizeof h));
	TRY("malloc partial", cudaMalloc(&partial, BLOCKS * sizeof *partial));
	TRY("malloc total", cudaMalloc(&total, sizeof *total));
	TRY("copy in", cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice));

	for (int round = 0; round < 3; round++) {
		TRY("clear", cudaMemset(total, 0xff, sizeof *total));
		sumOfSquares<<<BLOCKS, THREADS>>>(in, N, partial, total);
		TRY("launch", cudaGetLastError());
		TRY("copy out", cudaMemcpy(&got, total, sizeof got, cudaMemcpyDeviceToHost));
		if (got != want) {
			printf("reduce_last_block: round %d: expected %lld, got %lld\n", round, want, got);
			return 1;
		}
	}
	TRY("free", cudaFree(in));
	TRY("free", cudaFree(partial));
	TRY("free", cudaFree(total));
	printf("reduce_last_block: ok\n");
	return 0;
}
