// __syncwarp with partial masks: two halves of a warp work on shared memory each at its own pace; a tree in shared
// memory within a warp; and __activemask in straight code.
#include <cstdio>
#include <cstdlib>

#define WARPS 3

__global__ void halves(const int *in, int *out)
{
    __shared__ int s[WARPS][32];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    int *mine = s[warp];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    mine[lane] = in[i];
    __syncwarp();
    if (lane < 16) {
        // the lower half rotates its values as often as its first lane says
        const int rounds = in[blockIdx.x * blockDim.x + warp * 32] & 7;
        for (int r = 0; r < rounds; r++) {
            int v = mine[(lane + 1) & 15];
            __syncwarp(0x0000ffff);
            mine[lane] = v;
            __syncwarp(0x0000ffff);
        }
    } else {
        // the upper half reverses by pairs, twice with other neighbours
        int v = mine[lane ^ 1];
        __syncwarp(0xffff0000);
        mine[lane] = v;
        __syncwarp(0xffff0000);
        v = mine[lane ^ 6];
        __syncwarp(0xffff0000);
        mine[lane] = v;
    }
    __syncwarp();
    out[i] = mine[31 - lane] * 2 + (int)(__activemask() == 0xffffffff);
}

__global__ void warpTree(const int *in, int *sums)
{
    __shared__ volatile int s[WARPS * 32];
    const int t = threadIdx.x, lane = t & 31;
    s[t] = in[blockIdx.x * blockDim.x + t];
    __syncwarp();
    for (int d = 16; d > 0; d >>= 1) {
        int v = lane < d ? s[t + d] : 0;
        __syncwarp();
        if (lane < d) s[t] = s[t] + v;
        __syncwarp();
    }
    if (lane == 0) sums[(blockIdx.x * blockDim.x + t) / 32] = s[t];
}

int main()
{
    enum { BLOCKS = 4, N = BLOCKS * WARPS * 32 };
    int in[N], out[N], sums[N / 32], *d_in, *d_out, *d_sums;
    cudaError_t e;
#define CHECK(x) if ((e = (x)) != cudaSuccess) { fprintf(stderr, "%s: %s\n", #x, cudaGetErrorString(e)); return 1; }
    for (int i = 0; i < N; i++) in[i] = (i * 193 + i / 32) % 1009;
    CHECK(cudaMalloc((void **)&d_in, sizeof in));
    CHECK(cudaMalloc((void **)&d_out, sizeof out));
    CHECK(cudaMalloc((void **)&d_sums, sizeof sums));
    CHECK(cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice));
    halves<<<BLOCKS, WARPS * 32>>>(d_in, d_out);
    CHECK(cudaGetLastError());
    warpTree<<<BLOCKS, WARPS * 32>>>(d_in, d_sums);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(sums, d_sums, sizeof sums, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    CHECK(cudaFree(d_sums));

    for (int w = 0; w < N / 32; w++) {
        const int *v = in + w * 32;
        int after[32], sum = 0;
        for (int lane = 0; lane < 32; lane++) {
            sum += v[lane];
            if (lane < 16) after[lane] = v[(lane + (v[0] & 7)) & 15];
            else after[lane] = v[lane ^ 6 ^ 1];
        }
        for (int lane = 0; lane < 32; lane++) {
            // whether all lanes are active in straight code is not for the program to say: either bit is right
            if (out[w * 32 + lane] >> 1 != after[31 - lane]) {
                printf("syncwarp_masks: element %d: expected %d, got %d\n", w * 32 + lane, after[31 - lane], out[w * 32 + lane] >> 1);
                return 1;
            }
        }
        if (sums[w] != sum) {
            printf("syncwarp_masks: sum %d: expected %d, got %d\n", w, sum, sums[w]);
            return 1;
        }
    }
    printf("syncwarp_masks: ok\n");
    return 0;
}
