// Inclusive scan after Hillis and Steele, in two halves of shared memory that change places.
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

#define gpuErrchk(ans) { gpuAssert((ans), __FILE__, __LINE__); }
inline void gpuAssert(cudaError_t code, const char *file, int line, bool abort = true)
{
   if (code != cudaSuccess)
   {
      fprintf(stderr, "GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line);
      if (abort) exit(code);
   }
}

__global__ void scan(int *g_odata, const int *g_idata, int n)
{
   extern __shared__ int temp[];   // 2 * n
   int thid = threadIdx.x;
   int pout = 0, pin = 1;

   temp[pout * n + thid] = g_idata[thid];
   __syncthreads();

   for (int offset = 1; offset < n; offset <<= 1)
   {
      pout = 1 - pout;
      pin = 1 - pout;
      if (thid >= offset)
         temp[pout * n + thid] = temp[pin * n + thid] + temp[pin * n + thid - offset];
      else
         temp[pout * n + thid] = temp[pin * n + thid];
      __syncthreads();
   }
   g_odata[thid] = temp[pout * n + thid];
}

// The same in place: two barriers a step.
__global__ void scanInPlace(int *data, int n)
{
   __shared__ int temp[1024];
   int t = threadIdx.x;
   temp[t] = t < n ? data[t] : 0;
   for (int offset = 1; offset < blockDim.x; offset *= 2)
   {
      __syncthreads();
      int left = t >= offset ? temp[t - offset] : 0;
      __syncthreads();
      temp[t] += left;
   }
   if (t < n) data[t] = temp[t];
}

int main()
{
   for (int n : {1, 2, 33, 100, 777, 1024})
   {
      std::vector<int> in(n), want(n), got(n), got2(n);
      for (int i = 0; i < n; i++) in[i] = (i * 13 + 5) % 17 - 6;
      std::partial_sum(in.begin(), in.end(), want.begin());

      int *a, *b;
      gpuErrchk(cudaMalloc(&a, n * sizeof(int)));
      gpuErrchk(cudaMalloc(&b, n * sizeof(int)));
      gpuErrchk(cudaMemcpy(a, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
      scan<<<1, n, 2 * n * sizeof(int)>>>(b, a, n);
      gpuErrchk(cudaPeekAtLastError());
      gpuErrchk(cudaDeviceSynchronize());
      scanInPlace<<<1, (n + 31) / 32 * 32>>>(a, n);
      gpuErrchk(cudaPeekAtLastError());
      gpuErrchk(cudaDeviceSynchronize());
      gpuErrchk(cudaMemcpy(got.data(), b, n * sizeof(int), cudaMemcpyDeviceToHost));
      gpuErrchk(cudaMemcpy(got2.data(), a, n * sizeof(int), cudaMemcpyDeviceToHost));
      gpuErrchk(cudaFree(a));
      gpuErrchk(cudaFree(b));

      for (int i = 0; i < n; i++)
         if (got[i] != want[i] || got2[i] != want[i])
         {
            printf("scan_hillis_steele: element %d of %d: expected %d, got %d and %d\n", i, n, want[i], got[i], got2[i]);
            return 1;
         }
   }
   printf("scan_hillis_steele: ok\n");
   return 0;
}
