// Inline PTX: an asynchronous copy into shared memory by an instruction, not by the function that wraps it.
#include <cuda_runtime.h>
#include <stdio.h>

__global__ void copy(const float4 *in, float4 *out)
{
    __shared__ float4 s[64];
    unsigned to = (unsigned)__cvta_generic_to_shared(&s[threadIdx.x]);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(to), "l"(in + threadIdx.x));  // refused: cp.async
    asm volatile("cp.async.commit_group;\n");
    asm volatile("cp.async.wait_group 0;\n" ::: "memory");
    __syncthreads();
    out[threadIdx.x] = s[63 - threadIdx.x];
}

int main()
{
    float4 host[64], *in, *out;
    for (int i = 0; i < 64; i++) host[i] = make_float4(i, i, i, i);
    if (cudaMalloc(&in, sizeof host) || cudaMalloc(&out, sizeof host)) return 1;
    if (cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice)) return 1;
    copy<<<1, 64>>>(in, out);
    if (cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost) || cudaFree(in) || cudaFree(out)) return 1;
    for (int i = 0; i < 64; i++)
        if (!(host[i].x == 63 - i)) return 1;
    printf("inline_ptx: ok\n");
    return 0;
}
