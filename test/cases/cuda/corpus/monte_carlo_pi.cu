// Pi and an option's price by curand in the device: XORWOW states that are kept between launches, and Philox.
// The result is a matter of statistics: it must lie within five standard deviations.
#include <cuda_runtime.h>
#include <curand_kernel.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA_CALL(x) do { if((x)!=cudaSuccess) { \
    printf("Error at %s:%d\n",__FILE__,__LINE__);\
    return EXIT_FAILURE;}} while(0)

__global__ void setup_kernel(curandState *state, unsigned long long seed, int n)
{
    int id = threadIdx.x + blockIdx.x * blockDim.x;
    /* Each thread gets same seed, a different sequence number, no offset */
    if (id < n) curand_init(seed, id, 0, &state[id]);
}

__global__ void hits_kernel(curandState *state, int n, int samples, unsigned int *result)
{
    int id = threadIdx.x + blockIdx.x * blockDim.x;
    if (id >= n) return;
    unsigned int count = 0;
    /* Copy state to local memory for efficiency */
    curandState localState = state[id];
    for (int i = 0; i < samples; i++) {
        float x = curand_uniform(&localState);
        float y = curand_uniform(&localState);
        if (x * x + y * y <= 1.0f) count++;
    }
    /* Copy state back to global memory */
    state[id] = localState;
    result[id] += count;
}

// The mean of max(S - K, 0) for log-normal S, and counts of uniforms that left (0, 1]
__global__ void option_kernel(unsigned long long seed, int n, int samples, double *sums, int *outside)
{
    int id = threadIdx.x + blockIdx.x * blockDim.x;
    if (id >= n) return;
    curandStatePhilox4_32_10_t state;
    curand_init(seed, id, 0, &state);
    double sum = 0;
    for (int i = 0; i < samples; i += 4) {
        float4 z = curand_normal4(&state);
        float v[4] = {z.x, z.y, z.z, z.w};
        for (int k = 0; k < 4; k++) sum += fmax(100.0 * exp(-0.02 + 0.2 * v[k]) - 105.0, 0.0);
        float4 u = curand_uniform4(&state);
        if (!(u.x > 0 && u.x <= 1 && u.y > 0 && u.y <= 1 && u.z > 0 && u.z <= 1 && u.w > 0 && u.w <= 1))
            atomicAdd(outside, 1);
    }
    sums[id] = sum;
}

int main()
{
    const int n = 400, samples = 60;
    curandState *states;
    unsigned int *d_hits;
    double *d_sums;
    int *d_outside, outside;
    CUDA_CALL(cudaMalloc((void **)&states, n * sizeof(curandState)));
    CUDA_CALL(cudaMalloc((void **)&d_hits, n * sizeof(unsigned int)));
    CUDA_CALL(cudaMalloc((void **)&d_sums, n * sizeof(double)));
    CUDA_CALL(cudaMalloc((void **)&d_outside, sizeof(int)));
    CUDA_CALL(cudaMemset(d_hits, 0, n * sizeof(unsigned int)));
    CUDA_CALL(cudaMemset(d_outside, 0, sizeof(int)));
    setup_kernel<<<(n + 63) / 64, 64>>>(states, 1234ULL, n);
    CUDA_CALL(cudaGetLastError());
    std::vector<unsigned int> hits(n), first(n);
    for (int round = 0; round < 4; round++) {
        hits_kernel<<<(n + 63) / 64, 64>>>(states, n, samples, d_hits);
        CUDA_CALL(cudaGetLastError());
        if (round == 0) CUDA_CALL(cudaMemcpy(first.data(), d_hits, n * sizeof(unsigned int), cudaMemcpyDeviceToHost));
    }
    option_kernel<<<(n + 63) / 64, 64>>>(99ULL, n, samples, d_sums, d_outside);
    CUDA_CALL(cudaGetLastError());
    std::vector<double> sums(n);
    CUDA_CALL(cudaMemcpy(hits.data(), d_hits, n * sizeof(unsigned int), cudaMemcpyDeviceToHost));
    CUDA_CALL(cudaMemcpy(sums.data(), d_sums, n * sizeof(double), cudaMemcpyDeviceToHost));
    CUDA_CALL(cudaMemcpy(&outside, d_outside, sizeof(int), cudaMemcpyDeviceToHost));
    CUDA_CALL(cudaFree(states));
    CUDA_CALL(cudaFree(d_hits));
    CUDA_CALL(cudaFree(d_sums));
    CUDA_CALL(cudaFree(d_outside));

    const double pi = 3.14159265358979323846, total = 4.0 * n * samples;
    double inside = 0, again = 0;
    for (int i = 0; i < n; i++) inside += hits[i], again += hits[i] == 4 * first[i];
    double got = 4 * inside / total, sigma = 4 * std::sqrt(pi / 4 * (1 - pi / 4) / total);
    if (!(std::fabs(got - pi) <= 5 * sigma)) {
        printf("monte_carlo_pi: pi: expected %g, got %g\n", pi, got);
        return 1;
    }
    // states that did not go on would give the same hits in each round
    if (again > n / 2) {
        printf("monte_carlo_pi: equal rounds: expected few, got %g of %d\n", again, n);
        return 1;
    }
    // threads that shared a sequence would all have the same hits
    int different = 0;
    for (int i = 1; i < n; i++) different += hits[i] != hits[0];
    if (different < n / 2) {
        printf("monte_carlo_pi: different threads: expected most, got %d of %d\n", different, n);
        return 1;
    }

    // S = 100 exp(-0.02 + 0.2 z): the mean of (S - 105)+ by the normal distribution, and its deviation from below 15
    auto cdf = [](double v) { return 0.5 * std::erfc(-v / std::sqrt(2.0)); };
    double d2 = (std::log(100.0 / 105.0) - 0.02) / 0.2, want = 100 * cdf(d2 + 0.2) - 105 * cdf(d2), mean = 0;
    for (double s : sums) mean += s / (n * samples);
    if (!(std::fabs(mean - want) <= 5 * 15 / std::sqrt((double)n * samples))) {
        printf("monte_carlo_pi: option: expected %g, got %g\n", want, mean);
        return 1;
    }
    if (outside != 0) {
        printf("monte_carlo_pi: uniforms outside of (0, 1]: expected 0, got %d\n", outside);
        return 1;
    }
    printf("monte_carlo_pi: ok\n");
    return EXIT_SUCCESS;
}
