// One block a row: maximum and sum by trees in shared memory, the row kept in dynamic shared memory meanwhile.
// Forward, and the backward dx = y * (dy - sum(y * dy)).
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 23
#define COLS 150
#define THREADS 64

#define CHK(stmt) if ((stmt) != cudaSuccess) { fprintf(stderr, "failed: " #stmt "\n"); exit(1); }

__device__ float reduceMax(float *s, float v)
{
    s[threadIdx.x] = v;
    __syncthreads();
    for (int k = THREADS / 2; k > 0; k /= 2) {
        if (threadIdx.x < k)
            s[threadIdx.x] = fmaxf(s[threadIdx.x], s[threadIdx.x + k]);
        __syncthreads();
    }
    float r = s[0];
    __syncthreads();
    return r;
}

__device__ float reduceSum(float *s, float v)
{
    s[threadIdx.x] = v;
    __syncthreads();
    for (int k = THREADS / 2; k > 0; k /= 2) {
        if (threadIdx.x < k)
            s[threadIdx.x] += s[threadIdx.x + k];
        __syncthreads();
    }
    float r = s[0];
    __syncthreads();
    return r;
}

__global__ void forward(const float *in, float *out, int cols)
{
    extern __shared__ float shared[];
    float *scratch = shared;
    float *row = shared + blockDim.x;

    float m = -HUGE_VALF;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) {
        row[c] = in[blockIdx.x * cols + c];
        m = fmaxf(m, row[c]);
    }
    m = reduceMax(scratch, m);
    float sum = 0;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) {
        row[c] = expf(row[c] - m);
        sum += row[c];
    }
    sum = reduceSum(scratch, sum);
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        out[blockIdx.x * cols + c] = row[c] / sum;
}

__global__ void backward(const float *y, const float *dy, float *dx, int cols)
{
    __shared__ float scratch[THREADS];
    const int base = blockIdx.x * cols;
    float dot = 0;
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        dot += y[base + c] * dy[base + c];
    dot = reduceSum(scratch, dot);
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        dx[base + c] = y[base + c] * (dy[base + c] - dot);
}

int main()
{
    static float x[ROWS * COLS], y[ROWS * COLS], g[ROWS * COLS], dx[ROWS * COLS];
    float *d[4];
    for (int i = 0; i < ROWS * COLS; i++) {
        x[i] = (float)((i * 37) % 101) / 10 - 5;
        g[i] = cosf(i);
    }
    for (int i = 0; i < 4; i++)
        CHK(cudaMalloc(&d[i], sizeof x));
    CHK(cudaMemcpy(d[0], x, sizeof x, cudaMemcpyHostToDevice));
    CHK(cudaMemcpy(d[2], g, sizeof g, cudaMemcpyHostToDevice));
    forward<<<ROWS, THREADS, (THREADS + COLS) * sizeof(float)>>>(d[0], d[1], COLS);
    CHK(cudaGetLastError());
    backward<<<ROWS, THREADS>>>(d[1], d[2], d[3], COLS);
    CHK(cudaGetLastError());
    CHK(cudaMemcpy(y, d[1], sizeof y, cudaMemcpyDeviceToHost));
    CHK(cudaMemcpy(dx, d[3], sizeof dx, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 4; i++)
        CHK(cudaFree(d[i]));

    for (int r = 0; r < ROWS; r++) {
        double w[COLS], m = -1e30, sum = 0, dot = 0;
        for (int c = 0; c < COLS; c++) m = fmax(m, x[r * COLS + c]);
        for (int c = 0; c < COLS; c++) sum += w[c] = exp(x[r * COLS + c] - m);
        for (int c = 0; c < COLS; c++) w[c] /= sum, dot += w[c] * g[r * COLS + c];
        for (int c = 0; c < COLS; c++) {
            int i = r * COLS + c;
            double want = w[c] * (g[i] - dot);
            if (!(fabs(y[i] - w[c]) <= 1e-6)) {
                printf("softmax_block: forward %d: expected %g, got %g\n", i, w[c], y[i]);
                return 1;
            }
            if (!(fabs(dx[i] - want) <= 2e-6)) {
                printf("softmax_block: backward %d: expected %g, got %g\n", i, want, dx[i]);
                return 1;
            }
        }
    }
    printf("softmax_block: ok\n");
    return 0;
}
