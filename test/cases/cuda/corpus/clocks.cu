// clock64, clock, globaltimer by __nanosleep's side: time goes on, never back, and each block notes its own.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define NUM_BLOCKS 9
#define NUM_THREADS 64

// Finds the smallest of 2 * NUM_THREADS values, and notes when it began and ended
__global__ static void timedReduction(const float *input, float *output, long long *timer, clock_t *ticks)
{
    extern __shared__ float shared[];
    const int tid = threadIdx.x;
    const int bid = blockIdx.x;

    if (tid == 0) timer[bid] = clock64();
    clock_t before = clock();

    shared[tid] = input[tid];
    shared[tid + blockDim.x] = input[tid + blockDim.x];
    for (int d = blockDim.x; d > 0; d /= 2) {
        __syncthreads();
        if (tid < d) {
            float f0 = shared[tid];
            float f1 = shared[tid + d];
            if (f1 < f0) shared[tid] = f1;
        }
    }
    if (tid == 0) output[bid] = shared[0];

    __syncthreads();
    if (tid == 0) {
        timer[bid + gridDim.x] = clock64();
        ticks[bid] = clock() - before;
    }
}

// waits until some time went by
__global__ void waitFor(long long cycles, long long *waited)
{
    long long start = clock64(), now = start;
    while (now - start < cycles) {
        __nanosleep(100);
        now = clock64();
    }
    waited[threadIdx.x] = now - start;
}

#define checkCudaErrors(x) if ((x) != cudaSuccess) { fprintf(stderr, "clocks.cu:%d failed\n", __LINE__); exit(1); }

int main(int argc, char **argv)
{
    float *dinput, *doutput;
    long long *dtimer, timer[NUM_BLOCKS * 2], *dwaited, waited[8];
    clock_t *dticks, ticks[NUM_BLOCKS];
    float input[NUM_THREADS * 2], output[NUM_BLOCKS], smallest = 1e9f;

    for (int i = 0; i < NUM_THREADS * 2; i++) {
        input[i] = (float)((i * 29 + 70) % 131) - 3;
        if (input[i] < smallest) smallest = input[i];
    }
    checkCudaErrors(cudaMalloc((void **)&dinput, sizeof input));
    checkCudaErrors(cudaMalloc((void **)&doutput, sizeof output));
    checkCudaErrors(cudaMalloc((void **)&dtimer, sizeof timer));
    checkCudaErrors(cudaMalloc((void **)&dticks, sizeof ticks));
    checkCudaErrors(cudaMalloc((void **)&dwaited, sizeof waited));
    checkCudaErrors(cudaMemcpy(dinput, input, sizeof input, cudaMemcpyHostToDevice));
    timedReduction<<<NUM_BLOCKS, NUM_THREADS, sizeof(float) * 2 * NUM_THREADS>>>(dinput, doutput, dtimer, dticks);
    checkCudaErrors(cudaGetLastError());
    waitFor<<<1, 8>>>(5000, dwaited);
    checkCudaErrors(cudaGetLastError());
    checkCudaErrors(cudaMemcpy(output, doutput, sizeof output, cudaMemcpyDeviceToHost));
    checkCudaErrors(cudaMemcpy(timer, dtimer, sizeof timer, cudaMemcpyDeviceToHost));
    checkCudaErrors(cudaMemcpy(ticks, dticks, sizeof ticks, cudaMemcpyDeviceToHost));
    checkCudaErrors(cudaMemcpy(waited, dwaited, sizeof waited, cudaMemcpyDeviceToHost));
    checkCudaErrors(cudaFree(dinput));
    checkCudaErrors(cudaFree(doutput));
    checkCudaErrors(cudaFree(dtimer));
    checkCudaErrors(cudaFree(dticks));
    checkCudaErrors(cudaFree(dwaited));

    for (int b = 0; b < NUM_BLOCKS; b++) {
        if (!(output[b] == smallest)) {
            printf("clocks: block %d: expected %g, got %g\n", b, smallest, output[b]);
            return 1;
        }
        if (timer[b + NUM_BLOCKS] <= timer[b] || ticks[b] < 0) {
            printf("clocks: block %d: expected an end after its start, got %lld to %lld\n", b, timer[b], timer[b + NUM_BLOCKS]);
            return 1;
        }
    }
    for (int t = 0; t < 8; t++)
        if (waited[t] < 5000) {
            printf("clocks: thread %d: expected at least 5000 cycles, got %lld\n", t, waited[t]);
            return 1;
        }
    printf("clocks: ok\n");
    return 0;
}
