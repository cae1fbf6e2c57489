// Philox4x32-10 to the bit: what curand4 and curand give for a seed, a sequence and an offset is compared with the
// algorithm of the paper (Salmon and others, 2011), written out below; uniforms and normals follow from these bits.
#include <cuda_runtime.h>
#include <curand_kernel.h>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

using Block = std::array<uint32_t, 4>;

static Block philox(Block counter, uint32_t key0, uint32_t key1) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = uint64_t(0xD2511F53u) * counter[0], p1 = uint64_t(0xCD9E8D57u) * counter[2];
    counter = {uint32_t(p1 >> 32) ^ counter[1] ^ key0, uint32_t(p1), uint32_t(p0 >> 32) ^ counter[3] ^ key1, uint32_t(p0)};
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return counter;
}

// The number at a place of a sequence of 2^66 numbers
static uint32_t numberAt(uint64_t seed, uint64_t sequence, uint64_t place) {
  const uint64_t block = place / 4;
  return philox({uint32_t(block), uint32_t(block >> 32), uint32_t(sequence), uint32_t(sequence >> 32)}, uint32_t(seed),
                uint32_t(seed >> 32))[place % 4];
}

constexpr int kEach = 10;

__global__ void draw(unsigned long long seed, unsigned long long offset, uint4* fours, unsigned* singles, float* uniforms,
                     float2* normals, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  curandStatePhilox4_32_10_t four, one;
  curand_init(seed, i, offset, &four);
  curand_init(seed, i, offset + 3, &one);  // in the middle of a block
  fours[i] = curand4(&four);
  const float4 u = curand_uniform4(&four);
  uniforms[4 * i] = u.x;
  uniforms[4 * i + 1] = u.y;
  uniforms[4 * i + 2] = u.z;
  uniforms[4 * i + 3] = u.w;
  normals[i] = curand_normal2(&four);
  for (int k = 0; k < kEach; ++k) singles[i * kEach + k] = curand(&one);
}

#define CHECK(call)                                                             \
  if (cudaError_t e = call; e != cudaSuccess) {                                 \
    std::fprintf(stderr, "curand_philox.cu:%d: %s\n", __LINE__, cudaGetErrorString(e)); \
    std::exit(1);                                                               \
  }

int main() {
  const int n = 150;
  const uint64_t seed = 0x123456789abcdefull, offset = 4 * 5;
  uint4* fours;
  unsigned* singles;
  float* uniforms;
  float2* normals;
  CHECK(cudaMalloc(&fours, n * sizeof(uint4)));
  CHECK(cudaMalloc(&singles, n * kEach * sizeof(unsigned)));
  CHECK(cudaMalloc(&uniforms, 4 * n * sizeof(float)));
  CHECK(cudaMalloc(&normals, n * sizeof(float2)));
  draw<<<(n + 31) / 32, 32>>>(seed, offset, fours, singles, uniforms, normals, n);
  CHECK(cudaGetLastError());
  std::vector<uint4> gotFours(n);
  std::vector<unsigned> gotSingles(n * kEach);
  std::vector<float> gotUniforms(4 * n);
  std::vector<float2> gotNormals(n);
  CHECK(cudaMemcpy(gotFours.data(), fours, n * sizeof(uint4), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(gotSingles.data(), singles, n * kEach * sizeof(unsigned), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(gotUniforms.data(), uniforms, 4 * n * sizeof(float), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(gotNormals.data(), normals, n * sizeof(float2), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(fours));
  CHECK(cudaFree(singles));
  CHECK(cudaFree(uniforms));
  CHECK(cudaFree(normals));

  for (int i = 0; i < n; ++i) {
    const unsigned f[4] = {gotFours[i].x, gotFours[i].y, gotFours[i].z, gotFours[i].w};
    for (int k = 0; k < 4; ++k) {
      const uint32_t want = numberAt(seed, i, offset + k);
      if (f[k] != want) {
        std::printf("curand_philox: curand4 of sequence %d, number %d: expected %u, got %u\n", i, k, want, f[k]);
        return 1;
      }
      const double uniform = (numberAt(seed, i, offset + 4 + k) + 0.5) / 4294967296.0;
      if (!(std::fabs(gotUniforms[4 * i + k] - uniform) <= 1e-6)) {
        std::printf("curand_philox: uniform of sequence %d, number %d: expected %g, got %g\n", i, k, uniform,
                    gotUniforms[4 * i + k]);
        return 1;
      }
    }
    for (int k = 0; k < kEach; ++k) {
      const uint32_t want = numberAt(seed, i, offset + 3 + k);
      if (gotSingles[i * kEach + k] != want) {
        std::printf("curand_philox: curand of sequence %d, number %d: expected %u, got %u\n", i, k, want, gotSingles[i * kEach + k]);
        return 1;
      }
    }
    // Box and Muller: sine first, then cosine
    const double u = (numberAt(seed, i, offset + 8) + 0.5) / 4294967296.0;
    const double v = (numberAt(seed, i, offset + 9) + 0.5) / 4294967296.0 * 2 * 3.14159265358979323846;
    const double r = std::sqrt(-2 * std::log(u));
    if (!(std::fabs(gotNormals[i].x - r * std::sin(v)) <= 2e-5 * (1 + r)) ||
        !(std::fabs(gotNormals[i].y - r * std::cos(v)) <= 2e-5 * (1 + r))) {
      std::printf("curand_philox: normals of sequence %d: expected %g %g, got %g %g\n", i, r * std::sin(v), r * std::cos(v),
                  gotNormals[i].x, gotNormals[i].y);
      return 1;
    }
  }
  std::printf("curand_philox: ok\n");
  return 0;
}
