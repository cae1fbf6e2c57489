// __match_any_sync and __match_all_sync: lanes with equal keys find each other, so that one atomic does for all of them.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define KEYS 13
#define N 1003

static void stop_on(cudaError_t e, int line)
{
	if (e != cudaSuccess) {
		fprintf(stderr, "match_any.cu:%d: %s\n", line, cudaGetErrorString(e));
		exit(1);
	}
}
#define S(x) stop_on((x), __LINE__)

__global__ void count(const int *keys, const long long *wide, int n, int *counts, unsigned *masks, unsigned *wideMasks,
		      int *atomics)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned active = __ballot_sync(0xffffffff, i < n);
	if (i >= n)
		return;
	unsigned peers = __match_any_sync(active, keys[i]);
	int leader = __ffs(peers) - 1;
	if ((threadIdx.x & 31) == leader) {
		atomicAdd(&counts[keys[i]], __popc(peers));
		atomicAdd(atomics, 1);
	}
	masks[i] = peers;
	wideMasks[i] = __match_any_sync(active, wide[i]);
}

/* 1 where all lanes of the warp agree, and then the mask is full */
__global__ void agree(const float *values, int *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, pred = -1;
	unsigned mask = __match_all_sync(0xffffffff, values[i], &pred);
	out[i] = pred ? (mask == 0xffffffff ? 1 : 2) : (mask == 0 ? 0 : 3);
}

int main(void)
{
	static int keys[N], counts[KEYS], want[KEYS], got[96];
	static long long wide[N];
	static unsigned masks[N], wideMasks[N];
	static float values[96];
	int *d_keys, *d_counts, *d_atomics, *d_out, atomics, leaders = 0;
	long long *d_wide;
	unsigned *d_masks, *d_wideMasks;
	float *d_values;

	for (int i = 0; i < N; i++) {
		keys[i] = (i * i / 5 + i) % KEYS;
		wide[i] = (long long)(i % 3) << 40;	/* differ in the upper half only */
		want[keys[i]]++;
	}
	for (int i = 0; i < 96; i++)
		values[i] = i < 32 ? 2.5f : i < 64 ? (i == 50 ? 1.f : 7.f) : -1.f;

	S(cudaMalloc(&d_keys, sizeof keys));
	S(cudaMalloc(&d_wide, sizeof wide));
	S(cudaMalloc(&d_counts, sizeof counts));
	S(cudaMalloc(&d_masks, sizeof masks));
	S(cudaMalloc(&d_wideMasks, sizeof wideMasks));
	S(cudaMalloc(&d_atomics, sizeof(int)));
	S(cudaMalloc(&d_values, sizeof values));
	S(cudaMalloc(&d_out, sizeof got));
	S(cudaMemcpy(d_keys, keys, sizeof keys, cudaMemcpyHostToDevice));
	S(cudaMemcpy(d_wide, wide, sizeof wide, cudaMemcpyHostToDevice));
	S(cudaMemcpy(d_values, values, sizeof values, cudaMemcpyHostToDevice));
	S(cudaMemset(d_counts, 0, sizeof counts));
	S(cudaMemset(d_atomics, 0, sizeof(int)));
	count<<<(N + 63) / 64, 64>>>(d_keys, d_wide, N, d_counts, d_masks, d_wideMasks, d_atomics);
	S(cudaGetLastError());
	agree<<<1, 96>>>(d_values, d_out);
	S(cudaGetLastError());
	S(cudaMemcpy(counts, d_counts, sizeof counts, cudaMemcpyDeviceToHost));
	S(cudaMemcpy(masks, d_masks, sizeof masks, cudaMemcpyDeviceToHost));
	S(cudaMemcpy(wideMasks, d_wideMasks, sizeof wideMasks, cudaMemcpyDeviceToHost));
	S(cudaMemcpy(&atomics, d_atomics, sizeof atomics, cudaMemcpyDeviceToHost));
	S(cudaMemcpy(got, d_out, sizeof got, cudaMemcpyDeviceToHost));
	S(cudaFree(d_keys));
	S(cudaFree(d_wide));
	S(cudaFree(d_counts));
	S(cudaFree(d_masks));
	S(cudaFree(d_wideMasks));
	S(cudaFree(d_atomics));
	S(cudaFree(d_values));
	S(cudaFree(d_out));

	for (int i = 0; i < N; i++) {
		unsigned m = 0, w = 0;
		for (int j = i / 32 * 32; j < i / 32 * 32 + 32 && j < N; j++) {
			m |= (unsigned)(keys[j] == keys[i]) << (j % 32);
			w |= (unsigned)(wide[j] == wide[i]) << (j % 32);
		}
		leaders += (m & ((1u << (i % 32)) - 1)) == 0;
		if (masks[i] != m || wideMasks[i] != w) {
			printf("match_any: element %d: expected %08x %08x, got %08x %08x\n", i, m, w, masks[i], wideMasks[i]);
			return 1;
		}
	}
	for (int k = 0; k < KEYS; k++)
		if (counts[k] != want[k]) {
			printf("match_any: key %d: expected %d, got %d\n", k, want[k], counts[k]);
			return 1;
		}
	if (atomics != leaders) {
		printf("match_any: atomics: expected %d, got %d\n", leaders, atomics);
		return 1;
	}
	for (int i = 0; i < 96; i++)
		if (got[i] != (i / 32 != 1)) {
			printf("match_any: agree %d: expected %d, got %d\n", i, i / 32 != 1, got[i]);
			return 1;
		}
	printf("match_any: ok\n");
	return 0;
}
