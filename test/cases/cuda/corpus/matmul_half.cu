// Half and bfloat16 matrices with sums in float, by one template; and a half2 form that sums in half precision.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <type_traits>
#include <vector>

static void cudaOrDie(cudaError_t e, int line)
{
    if (e != cudaSuccess) {
        std::fprintf(stderr, "matmul_half.cu:%d: %s\n", line, cudaGetErrorString(e));
        std::exit(1);
    }
}
#define DO(x) cudaOrDie((x), __LINE__)

template <typename T> __host__ __device__ inline float toFloat(T v);
template <> __host__ __device__ inline float toFloat(__half v) { return __half2float(v); }
template <> __host__ __device__ inline float toFloat(__nv_bfloat16 v) { return __bfloat162float(v); }
template <typename T> __host__ __device__ inline T fromFloat(float v);
template <> __host__ __device__ inline __half fromFloat(float v) { return __float2half_rn(v); }
template <> __host__ __device__ inline __nv_bfloat16 fromFloat(float v) { return __float2bfloat16_rn(v); }

template <typename T, int TILE>
__global__ void matmul(const T *a, const T *b, T *c, int m, int n, int k)
{
    __shared__ T as[TILE][TILE];
    __shared__ T bs[TILE][TILE];
    const int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int t = 0; t < k; t += TILE) {
        as[threadIdx.y][threadIdx.x] = row < m && t + threadIdx.x < k ? a[row * k + t + threadIdx.x] : fromFloat<T>(0.f);
        bs[threadIdx.y][threadIdx.x] = col < n && t + threadIdx.y < k ? b[(t + threadIdx.y) * n + col] : fromFloat<T>(0.f);
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += toFloat(as[threadIdx.y][i]) * toFloat(bs[i][threadIdx.x]);
        __syncthreads();
    }
    if (row < m && col < n)
        c[row * n + col] = fromFloat<T>(sum);
}

// Two columns at a time; with small whole numbers, no sum is rounded.
__global__ void matmulHalf2(const __half *a, const __half2 *b, __half2 *c, int m, int n2, int k)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m || col >= n2)
        return;
    __half2 sum = __float2half2_rn(0.f);
    for (int i = 0; i < k; i++)
        sum = __hfma2(__half2half2(a[row * k + i]), b[i * n2 + col], sum);
    c[row * n2 + col] = sum;
}

template <typename T>
int run(const char *name, double tolerance, bool pairs)
{
    const int m = 37, n = 50, k = 29;
    std::vector<T> a(m * k), b(k * n), c(m * n);
    for (int i = 0; i < m * k; i++)
        a[i] = fromFloat<T>(pairs ? (float)(i % 5 - 2) : std::sin(i * 0.9f));
    for (int i = 0; i < k * n; i++)
        b[i] = fromFloat<T>(pairs ? (float)(i % 7 - 3) : std::cos(i * 0.4f));
    T *da, *db, *dc;
    DO(cudaMalloc(&da, a.size() * sizeof(T)));
    DO(cudaMalloc(&db, b.size() * sizeof(T)));
    DO(cudaMalloc(&dc, c.size() * sizeof(T)));
    DO(cudaMemcpy(da, a.data(), a.size() * sizeof(T), cudaMemcpyHostToDevice));
    DO(cudaMemcpy(db, b.data(), b.size() * sizeof(T), cudaMemcpyHostToDevice));
    if constexpr (std::is_same_v<T, __half>) {
        if (pairs)
            matmulHalf2<<<dim3((n / 2 + 7) / 8, (m + 7) / 8), dim3(8, 8)>>>(da, (const __half2 *)db, (__half2 *)dc, m, n / 2, k);
        else
            matmul<T, 16><<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(da, db, dc, m, n, k);
    } else {
        matmul<T, 8><<<dim3((n + 7) / 8, (m + 7) / 8), dim3(8, 8)>>>(da, db, dc, m, n, k);
    }
    DO(cudaGetLastError());
    DO(cudaMemcpy(c.data(), dc, c.size() * sizeof(T), cudaMemcpyDeviceToHost));
    DO(cudaFree(da));
    DO(cudaFree(db));
    DO(cudaFree(dc));
    for (int r = 0; r < m; r++)
        for (int j = 0; j < n; j++) {
            double want = 0;
            for (int i = 0; i < k; i++)
                want += (double)toFloat(a[r * k + i]) * toFloat(b[i * n + j]);
            double got = toFloat(c[r * n + j]);
            if (!(std::fabs(got - want) <= tolerance * (1 + std::fabs(want)))) {
                std::printf("matmul_half: %s: element %d: expected %g, got %g\n", name, r * n + j, want, got);
                return 1;
            }
        }
    return 0;
}

int main()
{
    if (run<__half>("half", 1.0 / 2048, false) || run<__nv_bfloat16>("bfloat16", 1.0 / 256, false) ||
        run<__half>("half2", 0, true))
        return 1;
    std::printf("matmul_half: ok\n");
    return 0;
}
