// Odd-even transposition sort: one launch a phase until a flag says that nothing moved, then the same within one block.
#include <cstdio>
#include <cstdlib>

#define N 301

__global__ void phase(short *a, int n, int odd, int *moved)
{
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + odd;
    if (i + 1 < n && a[i] > a[i + 1]) {
        short t = a[i];
        a[i] = a[i + 1];
        a[i + 1] = t;
        atomicExch(moved, 1);
    }
}

__global__ void sortInBlock(short *a, int n)
{
    extern __shared__ short s[];
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        s[i] = a[i];
    int moved;
    int quiet = 0;
    int odd = 0;
    do {
        __syncthreads();
        moved = 0;
        for (int i = 2 * threadIdx.x + odd; i + 1 < n; i += 2 * blockDim.x) {
            if (s[i] > s[i + 1]) {
                short t = s[i];
                s[i] = s[i + 1];
                s[i + 1] = t;
                moved = 1;
            }
        }
        odd ^= 1;
        quiet = __syncthreads_or(moved) ? 0 : quiet + 1;
    } while (quiet < 2);
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        a[i] = s[i];
}

static int compareShorts(const void *a, const void *b)
{
    return *(const short *)a - *(const short *)b;
}

int main(void)
{
    short host[N], got[N], want[N];
    short *d = 0;
    int *moved = 0;
    cudaError_t e;
    int i, variant;

    for (i = 0; i < N; i++)
        host[i] = want[i] = (short)(i % 23 * 100 - i);
    qsort(want, N, sizeof(short), compareShorts);

    for (variant = 0; variant < 2; variant++) {
        if ((e = cudaMalloc(&d, sizeof(host))) != cudaSuccess) goto failed;
        if ((e = cudaMalloc(&moved, sizeof(int))) != cudaSuccess) goto failed;
        if ((e = cudaMemcpy(d, host, sizeof(host), cudaMemcpyHostToDevice)) != cudaSuccess) goto failed;
        if (variant == 0) {
            int quiet = 0;
            for (int p = 0; quiet < 2; p++) {
                int flag = 0;
                if ((e = cudaMemcpy(moved, &flag, sizeof(int), cudaMemcpyHostToDevice)) != cudaSuccess) goto failed;
                phase<<<(N / 2 + 31) / 32, 32>>>(d, N, p & 1, moved);
                if ((e = cudaGetLastError()) != cudaSuccess) goto failed;
                if ((e = cudaMemcpy(&flag, moved, sizeof(int), cudaMemcpyDeviceToHost)) != cudaSuccess) goto failed;
                quiet = flag ? 0 : quiet + 1;
            }
        } else {
            sortInBlock<<<1, 64, N * sizeof(short)>>>(d, N);
            if ((e = cudaGetLastError()) != cudaSuccess) goto failed;
        }
        if ((e = cudaMemcpy(got, d, sizeof(got), cudaMemcpyDeviceToHost)) != cudaSuccess) goto failed;
        if ((e = cudaFree(d)) != cudaSuccess) goto failed;
        if ((e = cudaFree(moved)) != cudaSuccess) goto failed;
        for (i = 0; i < N; i++)
            if (got[i] != want[i]) {
                printf("sort_odd_even: variant %d: element %d: expected %d, got %d\n", variant, i, want[i], got[i]);
                return 1;
            }
    }
    printf("sort_odd_even: ok\n");
    return 0;

failed:
    fprintf(stderr, "sort_odd_even: %s\n", cudaGetErrorString(e));
    return 1;
}
