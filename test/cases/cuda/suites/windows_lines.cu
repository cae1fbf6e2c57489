// Lines that end as those of Windows, tabs, letters beyond ASCII: éü 中; a Latin-1 one: �
#include <stdio.h>
#define STEP(k, p) \
	k<<<1, 32>>> \
		(p); \
	k \
	<<<1, 32>>>(p)
#define BODY(T) __shared__ T s[32]; \
	s[threadIdx.x] = p[threadIdx.x]; \
	__syncthreads(); \
	p[threadIdx.x] = s[31 - threadIdx.x] + 1;
// a comment that goes on \
__global__ void none(int *p) { no<<<1, 1>>>(); }
__global__	void	flip(int *p)
{
	BODY(int)
}
__device__ int line = __LINE__,
	table[3] = { 1, 2, 3 };
__device__ int base = 100 +
	0;
__global__ void lines(int *p)
{
	volatile __shared__ int s[
		32];
	s[threadIdx.x]
		= line + base
		+ table[2];
	p[threadIdx.x] = s[threadIdx.x]; int here =
		__LINE__;
	p[threadIdx.x] += here * 1000;
}
int main()
{
	int *d, h[32], bad = 0;
	cudaMalloc((void **)&d, sizeof h);
	cudaMemset(d, 0, sizeof h);
	STEP(flip, d);
	cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
	for (int i = 0; i < 32; i++) if (h[i] != 2 && !bad++) printf("flip %d: expected 2, got %d\n", i, h[i]);
	lines
	<<<
		1,
		32
	>>>(d);
	cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost); const int here = __LINE__;
	if (here != 46) { printf("line: expected 46, got %d\n", here); bad++; }
	for (int i = 0; i < 32; i++) if (h[i] != 18 + 100 + 3 + 30 * 1000 && !bad++) printf("line %d: %d\n", i, h[i]);
	cudaFree(d);
	if (bad) return 1;
	printf("windows_lines: ok \xe2\x9c\x93\n");
	return 0;
}
