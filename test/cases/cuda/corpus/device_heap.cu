/* malloc and free in kernels: lists that one kernel makes and others walk and free, a block's scratch memory that its
   first thread allocates, arrays by new[], and memcpy and memset in device code. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 48
#define LISTS 130

struct item {
    int value;
    struct item *next;
};

__device__ struct item *heads[LISTS];

__global__ void make(void)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= LISTS)
        return;
    heads[i] = NULL;
    for (int k = 0; k < i % 9; k++) {
        struct item *it = (struct item *)malloc(sizeof(struct item));
        if (it == NULL)
            return;
        it->value = i * 10 + k;
        it->next = heads[i];
        heads[i] = it;
    }
}

__global__ void reverse_and_sum(long long *sums, int *firsts)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= LISTS)
        return;
    struct item *back = NULL, *it = heads[i];
    long long sum = 0;
    while (it) {
        struct item *next = it->next;
        it->next = back;
        back = it;
        sum = sum * 3 + it->value;
        it = next;
    }
    heads[i] = back;
    sums[i] = sum;
    firsts[i] = back ? back->value : -1;
}

__global__ void release(void)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= LISTS)
        return;
    while (heads[i]) {
        struct item *next = heads[i]->next;
        free(heads[i]);
        heads[i] = next;
    }
}

__global__ void scratch(const short *in, short *out, int n)
{
    __shared__ short *memory;
    if (threadIdx.x == 0)
        memory = (short *)malloc(n * sizeof(short));
    __syncthreads();
    if (memory == NULL)
        return; /* all threads of the block */
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        memory[i] = in[blockIdx.x * n + i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        out[blockIdx.x * n + i] = memory[n - 1 - i] + memory[i];
    __syncthreads();
    if (threadIdx.x == 0)
        free(memory);

    /* and each thread its own, by new[] */
    int *mine = new int[8];
    memset(mine, 0, 8 * sizeof(int));
    mine[threadIdx.x % 8] = 7;
    int copy[8];
    memcpy(copy, mine, sizeof copy);
    delete[] mine;
    if (threadIdx.x < n)
        out[blockIdx.x * n + threadIdx.x] += copy[threadIdx.x % 8];
}

static void q(cudaError_t e, int line)
{
    if (e != cudaSuccess) {
        fprintf(stderr, "device_heap.cu:%d: %s\n", line, cudaGetErrorString(e));
        exit(1);
    }
}
#define Q(x) q(x, __LINE__)

int main(void)
{
    enum { BLOCKS = 5, N = 101 };
    long long sums[LISTS], *d_sums;
    int firsts[LISTS], *d_firsts;
    short in[BLOCKS * N], out[BLOCKS * N], *d_in, *d_out;
    size_t limit = 0;

    Q(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20));
    Q(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
    if (limit < 16 << 20) {
        printf("device_heap: limit: expected at least %d, got %zu\n", 16 << 20, limit);
        return 1;
    }
    Q(cudaMalloc(&d_sums, sizeof sums));
    Q(cudaMalloc(&d_firsts, sizeof firsts));
    Q(cudaMalloc(&d_in, sizeof in));
    Q(cudaMalloc(&d_out, sizeof out));
    for (int i = 0; i < BLOCKS * N; i++)
        in[i] = (short)(i * 7 % 300);
    Q(cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice));

    int blocks = (LISTS + THREADS - 1) / THREADS;
    make<<<blocks, THREADS>>>();
    Q(cudaGetLastError());
    reverse_and_sum<<<blocks, THREADS>>>(d_sums, d_firsts);
    Q(cudaGetLastError());
    release<<<blocks, THREADS>>>();
    Q(cudaGetLastError());
    scratch<<<BLOCKS, THREADS>>>(d_in, d_out, N);
    Q(cudaGetLastError());
    Q(cudaMemcpy(sums, d_sums, sizeof sums, cudaMemcpyDeviceToHost));
    Q(cudaMemcpy(firsts, d_firsts, sizeof firsts, cudaMemcpyDeviceToHost));
    Q(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    Q(cudaFree(d_sums));
    Q(cudaFree(d_firsts));
    Q(cudaFree(d_in));
    Q(cudaFree(d_out));

    for (int i = 0; i < LISTS; i++) {
        long long want = 0;
        for (int k = i % 9 - 1; k >= 0; k--)
            want = want * 3 + i * 10 + k;
        int first = i % 9 ? i * 10 : -1;
        if (sums[i] != want || firsts[i] != first) {
            printf("device_heap: list %d: expected %lld and %d, got %lld and %d\n", i, want, first, sums[i], firsts[i]);
            return 1;
        }
    }
    for (int b = 0; b < BLOCKS; b++)
        for (int i = 0; i < N; i++) {
            int want = in[b * N + N - 1 - i] + in[b * N + i] + (i < THREADS ? 7 : 0);
            if (out[b * N + i] != want) {
                printf("device_heap: scratch %d: expected %d, got %d\n", b * N + i, want, out[b * N + i]);
                return 1;
            }
        }
    printf("device_heap: ok\n");
    return 0;
}
