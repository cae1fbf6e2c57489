// 2-D convolution of a picture: the mask in constant memory, a tile with its apron in shared memory loaded by strides;
// and the separable form, rows then columns.
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define MASK_WIDTH 5
#define R (MASK_WIDTH / 2)
#define O_TILE 12

__constant__ float M[MASK_WIDTH][MASK_WIDTH];
__constant__ float rowMask[MASK_WIDTH], colMask[MASK_WIDTH];

static void cudaCheck(cudaError_t status, const char *expr, int line)
{
    if (status != cudaSuccess) {
        fprintf(stderr, "conv2d.cu:%d: `%s`: %s\n", line, expr, cudaGetErrorString(status));
        exit(1);
    }
}
#define CUDA(expr) cudaCheck(cuda##expr, #expr, __LINE__)

__global__ void convolve(const float *in, float *out, int w, int h)
{
    const int side = O_TILE + 2 * R;
    __shared__ float tile[side][side];
    int x0 = blockIdx.x * O_TILE - R, y0 = blockIdx.y * O_TILE - R;

    for (int ty = threadIdx.y; ty < side; ty += blockDim.y)
        for (int tx = threadIdx.x; tx < side; tx += blockDim.x) {
            int x = x0 + tx, y = y0 + ty;
            tile[ty][tx] = (x >= 0 && y >= 0 && x < w && y < h) ? in[y * w + x] : 0.0f;
        }
    __syncthreads();

    int x = blockIdx.x * O_TILE + threadIdx.x, y = blockIdx.y * O_TILE + threadIdx.y;
    if (x < w && y < h) {
        float sum = 0;
        #pragma unroll
        for (int i = 0; i < MASK_WIDTH; i++)
            #pragma unroll
            for (int j = 0; j < MASK_WIDTH; j++)
                sum += M[i][j] * tile[threadIdx.y + i][threadIdx.x + j];
        out[y * w + x] = sum;
    }
}

template <bool ROWS>
__global__ void separable(const float *in, float *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float sum = 0;
    for (int k = -R; k <= R; k++) {
        int xx = ROWS ? x + k : x, yy = ROWS ? y : y + k;
        if (xx >= 0 && xx < w && yy >= 0 && yy < h)
            sum += (ROWS ? rowMask : colMask)[k + R] * in[yy * w + xx];
    }
    out[y * w + x] = sum;
}

int main()
{
    const int w = 91, h = 58;
    static float in[h][w], direct[h][w], twice[h][w];
    float row[MASK_WIDTH] = {0.1f, 0.25f, 0.4f, -0.2f, 0.05f}, col[MASK_WIDTH] = {-0.3f, 0.2f, 1.0f, 0.6f, -0.1f};
    float mask[MASK_WIDTH][MASK_WIDTH];
    for (int i = 0; i < MASK_WIDTH; i++)
        for (int j = 0; j < MASK_WIDTH; j++) mask[i][j] = col[i] * row[j];
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) in[y][x] = (float)((x * 37 + y * 101) % 255);

    float *d_in, *d_out, *d_mid;
    CUDA(Malloc(&d_in, sizeof in));
    CUDA(Malloc(&d_out, sizeof in));
    CUDA(Malloc(&d_mid, sizeof in));
    CUDA(Memcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice));
    CUDA(MemcpyToSymbol(M, mask, sizeof mask));
    CUDA(MemcpyToSymbol(rowMask, row, sizeof row));
    // in two parts, with an offset
    CUDA(MemcpyToSymbol(colMask, col, 2 * sizeof(float), 0, cudaMemcpyHostToDevice));
    CUDA(MemcpyToSymbol(colMask, col + 2, 3 * sizeof(float), 2 * sizeof(float)));

    dim3 threads(O_TILE, O_TILE), blocks((w + O_TILE - 1) / O_TILE, (h + O_TILE - 1) / O_TILE);
    convolve<<<blocks, threads>>>(d_in, d_out, w, h);
    CUDA(GetLastError());
    CUDA(Memcpy(direct, d_out, sizeof in, cudaMemcpyDeviceToHost));
    separable<true><<<blocks, threads>>>(d_in, d_mid, w, h);
    CUDA(GetLastError());
    separable<false><<<blocks, threads>>>(d_mid, d_out, w, h);
    CUDA(GetLastError());
    CUDA(Memcpy(twice, d_out, sizeof in, cudaMemcpyDeviceToHost));
    CUDA(Free(d_in));
    CUDA(Free(d_out));
    CUDA(Free(d_mid));

    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            double want = 0;
            for (int i = -R; i <= R; i++)
                for (int j = -R; j <= R; j++)
                    if (y + i >= 0 && y + i < h && x + j >= 0 && x + j < w) want += (double)mask[i + R][j + R] * in[y + i][x + j];
            if (!(fabs(direct[y][x] - want) <= 1e-3) || !(fabs(twice[y][x] - want) <= 1e-3)) {
                printf("conv2d: element (%d, %d): expected %g, got %g and %g\n", x, y, want, direct[y][x], twice[y][x]);
                return 1;
            }
        }
    printf("conv2d: ok\n");
    return 0;
}
