// 256 bins by atomics on global memory, and the strided form that reads four bytes as one word.
#include "cuda_runtime.h"
#include "device_launch_parameters.h"

#include <stdio.h>
#include <stdlib.h>

cudaError_t histogramWithCuda(unsigned int *bins, const unsigned char *data, int size, bool words);

__global__ void histogramBytes(unsigned int *bins, const unsigned char *data, int size)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    int stride = blockDim.x * gridDim.x;
    while (i < size)
    {
        atomicAdd(&(bins[data[i]]), 1);
        i += stride;
    }
}

__global__ void histogramWords(unsigned int *bins, const unsigned int *data, int words)
{
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < words; i += blockDim.x * gridDim.x)
    {
        unsigned int w = data[i];
        atomicAdd(bins + (w & 0xFF), 1u);
        atomicAdd(bins + ((w >> 8) & 0xFF), 1u);
        atomicAdd(bins + ((w >> 16) & 0xFF), 1u);
        atomicAdd(bins + (w >> 24), 1u);
    }
}

int main()
{
    const int size = 40004;
    unsigned char *data = (unsigned char *)malloc(size);
    unsigned int want[256] = {0}, got[256];
    unsigned int seed = 1;

    for (int i = 0; i < size; i++)
    {
        seed = seed * 69069 + 1;
        data[i] = (unsigned char)((seed >> 24) & (seed >> 16));
        want[data[i]]++;
    }

    for (int words = 0; words < 2; words++)
    {
        cudaError_t cudaStatus = histogramWithCuda(got, data, size, words != 0);
        if (cudaStatus != cudaSuccess)
        {
            fprintf(stderr, "histogramWithCuda failed: %s\n", cudaGetErrorString(cudaStatus));
            return 1;
        }
        for (int b = 0; b < 256; b++)
        {
            if (got[b] != want[b])
            {
                printf("histogram_global: bin %d: expected %u, got %u\n", b, want[b], got[b]);
                return 1;
            }
        }
    }
    free(data);

    // cudaDeviceReset must be called before exiting in order for profiling and tracing tools to show complete traces.
    if (cudaDeviceReset() != cudaSuccess)
    {
        fprintf(stderr, "cudaDeviceReset failed!");
        return 1;
    }
    printf("histogram_global: ok\n");
    return 0;
}

cudaError_t histogramWithCuda(unsigned int *bins, const unsigned char *data, int size, bool words)
{
    unsigned char *dev_data = 0;
    unsigned int *dev_bins = 0;
    cudaError_t cudaStatus;

    cudaStatus = cudaSetDevice(0);
    if (cudaStatus != cudaSuccess) goto Error;
    cudaStatus = cudaMalloc((void **)&dev_data, size);
    if (cudaStatus != cudaSuccess) goto Error;
    cudaStatus = cudaMalloc((void **)&dev_bins, 256 * sizeof(unsigned int));
    if (cudaStatus != cudaSuccess) goto Error;
    cudaStatus = cudaMemset(dev_bins, 0, 256 * sizeof(unsigned int));
    if (cudaStatus != cudaSuccess) goto Error;
    cudaStatus = cudaMemcpy(dev_data, data, size, cudaMemcpyHostToDevice);
    if (cudaStatus != cudaSuccess) goto Error;

    if (words)
        histogramWords<<<7, 64>>>(dev_bins, (const unsigned int *)dev_data, size / 4);
    else
        histogramBytes<<<16, 128>>>(dev_bins, dev_data, size);

    cudaStatus = cudaGetLastError();
    if (cudaStatus != cudaSuccess) goto Error;
    cudaStatus = cudaDeviceSynchronize();
    if (cudaStatus != cudaSuccess) goto Error;
    cudaStatus = cudaMemcpy(bins, dev_bins, 256 * sizeof(unsigned int), cudaMemcpyDeviceToHost);

Error:
    cudaError_t first = cudaFree(dev_data);
    cudaError_t second = cudaFree(dev_bins);
    if (cudaStatus == cudaSuccess) cudaStatus = first != cudaSuccess ? first : second;
    return cudaStatus;
}
