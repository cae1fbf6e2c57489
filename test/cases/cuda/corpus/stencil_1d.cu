// A weighted sum of 2 * RADIUS + 1 neighbours: weights in constant memory, a block's range and its halo in
// shared memory. Beyond the ends the nearest element counts.
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define RADIUS 5
#define BLOCK_SIZE 100

__constant__ float weights[2 * RADIUS + 1];

#define cudaCheck(x)                                                          \
    {                                                                         \
        cudaError_t ret = x;                                                  \
        if (ret != cudaSuccess) {                                             \
            printf("%s returned %s in line %d\n", #x, cudaGetErrorString(ret), __LINE__); \
            exit(1);                                                          \
        }                                                                     \
    }

__device__ __host__ inline int clampIndex(int i, int n)
{
    return i < 0 ? 0 : (i >= n ? n - 1 : i);
}

__global__ void stencil_1d(const float *in, float *out, int n)
{
    __shared__ float temp[BLOCK_SIZE + 2 * RADIUS];
    int gindex = threadIdx.x + blockIdx.x * blockDim.x;
    int lindex = threadIdx.x + RADIUS;

    // Read input elements into shared memory
    temp[lindex] = in[clampIndex(gindex, n)];
    if (threadIdx.x < RADIUS) {
        temp[lindex - RADIUS] = in[clampIndex(gindex - RADIUS, n)];
        temp[lindex + BLOCK_SIZE] = in[clampIndex(gindex + BLOCK_SIZE, n)];
    }

    __syncthreads();

    if (gindex < n) {
        float result = 0;
        for (int offset = -RADIUS; offset <= RADIUS; offset++)
            result += weights[offset + RADIUS] * temp[lindex + offset];
        out[gindex] = result;
    }
}

int main()
{
    const int n = 12345;
    float w[2 * RADIUS + 1];
    float *in = (float *)malloc(n * sizeof(float));
    float *out = (float *)malloc(n * sizeof(float));
    float *d_in, *d_out;
    int i, k;

    for (k = 0; k < 2 * RADIUS + 1; k++)
        w[k] = 1.0f / (1 + abs(k - RADIUS)) + 0.01f * k;
    for (i = 0; i < n; i++)
        in[i] = sinf(0.05f * i) * (i % 13);

    cudaCheck(cudaMemcpyToSymbol(weights, w, sizeof(w)));
    cudaCheck(cudaMalloc((void **)&d_in, n * sizeof(float)));
    cudaCheck(cudaMalloc((void **)&d_out, n * sizeof(float)));
    cudaCheck(cudaMemcpy(d_in, in, n * sizeof(float), cudaMemcpyHostToDevice));

    stencil_1d<<<(n + BLOCK_SIZE - 1) / BLOCK_SIZE, BLOCK_SIZE>>>(d_in, d_out, n);
    cudaCheck(cudaGetLastError());
    cudaCheck(cudaMemcpy(out, d_out, n * sizeof(float), cudaMemcpyDeviceToHost));
    cudaCheck(cudaFree(d_in));
    cudaCheck(cudaFree(d_out));

    for (i = 0; i < n; i++) {
        double expected = 0;
        for (k = -RADIUS; k <= RADIUS; k++)
            expected += (double)w[k + RADIUS] * in[clampIndex(i + k, n)];
        if (!(fabs(out[i] - expected) <= 1e-4)) {
            printf("stencil_1d: element %d: expected %g, got %g\n", i, expected, out[i]);
            return 1;
        }
    }
    free(in);
    free(out);
    printf("stencil_1d: ok\n");
    return 0;
}
