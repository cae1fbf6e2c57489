// Branches that split a warp: switch with fall-through, nested loops of different length, goto, warp votes in
// both arms of an if with the masks of these arms, and barriers in a uniform branch.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>

enum { N = 1000, THREADS = 96 };

#define cudaCheckError() {                                                               \
    cudaError_t e = cudaGetLastError();                                                  \
    if (e != cudaSuccess) {                                                              \
        printf("Cuda failure %s:%d: '%s'\n", __FILE__, __LINE__, cudaGetErrorString(e)); \
        exit(EXIT_FAILURE);                                                              \
    }                                                                                    \
}

__host__ __device__ unsigned tangle(unsigned v)
{
    unsigned r = 1;
    switch (v % 6) {
        case 0: r += 5;  // falls through
        case 1: r *= 3; break;
        case 2: for (unsigned i = 0; i < v % 17; ++i) { if (i == 9) break; if (i & 1) continue; r += i; } break;
        case 3: { unsigned n = v; while (n != 1 && r < 200) { n = n & 1 ? 3 * n + 1 : n / 2; ++r; } break; }
        case 4: if (v & 8) goto odd; r = v >> 2; break;
        default:
        odd: r ^= 0xabcd; do { r = r * 5 + 1; } while (r % 7 != 3);
    }
    return r + v;
}

__global__ void tangleAll(unsigned *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) out[i] = tangle(i);
}

// In each arm the lanes of this arm count themselves.
__global__ void countArms(unsigned *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned lane = threadIdx.x & 31;
    bool third = (i * 7 + i / 32) % 3 == 0;
    unsigned arm = __ballot_sync(0xffffffff, third);
    unsigned result;
    if (third) {
        unsigned big = __ballot_sync(arm, lane >= 16);
        result = __popc(arm) * 100 + __popc(big);
    } else {
        unsigned rest = ~arm;
        int sum = lane;
        // the first of the others hands its number to all of them
        int first = __shfl_sync(rest, sum, __ffs(rest) - 1);
        result = 100000 + first * 100 + (__all_sync(rest, lane != 5) ? 1 : 0) + (__any_sync(rest, lane == 31) ? 2 : 0);
    }
    __syncwarp();
    if (i < N) out[i] = result;
}

// Half of the blocks takes a way with barriers, the other half one without.
__global__ void uniformBarrier(unsigned *out)
{
    __shared__ unsigned s[THREADS];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.x % 2) {
        s[threadIdx.x] = i;
        __syncthreads();
        unsigned v = s[(threadIdx.x + 1) % THREADS];
        if (i < N) out[i] = v;
    } else if (i < N) {
        out[i] = i * 2;
    }
}

int main()
{
    static unsigned got[N];
    unsigned *d;
    cudaMalloc(&d, sizeof(got));
    cudaCheckError();
    int blocks = (N + THREADS - 1) / THREADS;

    tangleAll<<<blocks, THREADS>>>(d);
    cudaCheckError();
    cudaMemcpy(got, d, sizeof(got), cudaMemcpyDeviceToHost);
    cudaCheckError();
    for (unsigned i = 0; i < N; ++i)
        if (got[i] != tangle(i)) { printf("divergent_branches: tangle %u: expected %u, got %u\n", i, tangle(i), got[i]); return 1; }

    countArms<<<blocks, THREADS>>>(d);
    cudaCheckError();
    cudaMemcpy(got, d, sizeof(got), cudaMemcpyDeviceToHost);
    cudaCheckError();
    for (unsigned i = 0; i < N; ++i) {
        unsigned base = i / 32 * 32, in = 0, big = 0, first = 99, all = 1, any = 0;
        for (unsigned l = 0; l < 32; ++l) {
            unsigned j = base + l;
            if ((j * 7 + j / 32) % 3 == 0) { ++in; big += l >= 16; }
            else { if (first == 99) first = l; if (l == 5) all = 0; if (l == 31) any = 2; }
        }
        unsigned want = (i * 7 + i / 32) % 3 == 0 ? in * 100 + big : 100000 + first * 100 + all + any;
        if (got[i] != want) { printf("divergent_branches: arms %u: expected %u, got %u\n", i, want, got[i]); return 1; }
    }

    uniformBarrier<<<blocks, THREADS>>>(d);
    cudaCheckError();
    cudaMemcpy(got, d, sizeof(got), cudaMemcpyDeviceToHost);
    cudaCheckError();
    cudaFree(d);
    cudaCheckError();
    for (unsigned i = 0; i < N; ++i) {
        unsigned b = i / THREADS, want = b % 2 ? b * THREADS + (i % THREADS + 1) % THREADS : i * 2;
        if (got[i] != want) { printf("divergent_branches: barrier %u: expected %u, got %u\n", i, want, got[i]); return 1; }
    }
    printf("divergent_branches: ok\n");
    return 0;
}
