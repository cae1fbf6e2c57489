// Atomic functions that CUDA lacks, by loops over atomicCAS: max of floats, multiplication, a saturating add, add
// of doubles by their bits, a minimum of pairs packed in 64 bits, and an open-addressing hash table.
#include <cuda_runtime.h>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <vector>

typedef unsigned long long int ull;

static void checked(cudaError_t status) {
  if (status != cudaSuccess) {
    std::fprintf(stderr, "atomic_cas_loops: %s\n", cudaGetErrorString(status));
    std::exit(1);
  }
}

__device__ float atomicMaxFloat(float* address, float val) {
  int* address_as_i = (int*)address;
  int old = atomicAdd(address_as_i, 0), assumed;
  do {
    assumed = old;
    if (__int_as_float(assumed) >= val) break;
    old = atomicCAS(address_as_i, assumed, __float_as_int(val));
  } while (assumed != old);
  return __int_as_float(old);
}

__device__ double atomicAddDouble(double* address, double val) {
  ull* address_as_ull = (ull*)address;
  ull old = atomicAdd(address_as_ull, 0ull), assumed;
  do {
    assumed = old;
    old = atomicCAS(address_as_ull, assumed, __double_as_longlong(val + __longlong_as_double(assumed)));
  } while (assumed != old);
  return __longlong_as_double(old);
}

template <typename F>
__device__ unsigned atomicApply(unsigned* address, F change) {
  unsigned seen = atomicAdd(address, 0u);
  for (;;) {
    const unsigned was = atomicCAS(address, seen, change(seen));
    if (was == seen) return was;
    seen = was;
  }
}

struct Cells {
  float highest;
  unsigned product;   // modulo 2^32: no order changes it
  double sum;
  ull nearest;        // bits of a distance above, index below
  unsigned saturated;
  unsigned unused;
};

constexpr uint32_t kEmpty = 0xffffffffu;
constexpr int kSlots = 512;

__global__ void update(const float* values, int n, Cells* cells) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  atomicMaxFloat(&cells->highest, values[i]);
  atomicApply(&cells->product, [=](unsigned p) { return p * (2 * i + 1); });
  atomicAddDouble(&cells->sum, values[i] * 0.5);
  atomicApply(&cells->saturated, [](unsigned s) { return s < 300 ? s + 1 : 300u; });

  const float distance = fabsf(values[i] - 3.0f);
  const ull mine = ((ull)__float_as_uint(distance) << 32) | (unsigned)i;
  ull seen = atomicCAS(&cells->nearest, 0ull, 0ull);  // no distance has these bits: it only reads
  while (mine < seen) {
    const ull was = atomicCAS(&cells->nearest, seen, mine);
    if (was == seen) break;
    seen = was;
  }
}

__global__ void count(const uint32_t* keys, int n, uint32_t* slots, unsigned* counts) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uint32_t key = keys[i];
  uint32_t slot = (key * 2654435761u) >> 23;
  while (true) {
    const uint32_t was = atomicCAS(&slots[slot], kEmpty, key);
    if (was == kEmpty || was == key) {
      atomicAdd(&counts[slot], 1u);
      return;
    }
    slot = (slot + 1) % kSlots;
  }
}

int main() {
  const int n = 1111;
  std::vector<float> values(n);
  std::vector<uint32_t> keys(n);
  for (int i = 0; i < n; ++i) {
    values[i] = float(i * 97 % 1013) / 4 - 100;
    keys[i] = uint32_t(i * i % 397) * 1000;
  }
  Cells start = {-FLT_MAX, 1u, 0.0, ~0ull, 0u, 0u}, got;
  float* dValues;
  Cells* dCells;
  uint32_t *dKeys, *dSlots;
  unsigned* dCounts;
  checked(cudaMalloc(&dValues, n * sizeof(float)));
  checked(cudaMalloc(&dCells, sizeof(Cells)));
  checked(cudaMalloc(&dKeys, n * sizeof(uint32_t)));
  checked(cudaMalloc(&dSlots, kSlots * sizeof(uint32_t)));
  checked(cudaMalloc(&dCounts, kSlots * sizeof(unsigned)));
  checked(cudaMemcpy(dValues, values.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  checked(cudaMemcpy(dCells, &start, sizeof start, cudaMemcpyHostToDevice));
  checked(cudaMemcpy(dKeys, keys.data(), n * sizeof(uint32_t), cudaMemcpyHostToDevice));
  checked(cudaMemset(dSlots, 0xff, kSlots * sizeof(uint32_t)));
  checked(cudaMemset(dCounts, 0, kSlots * sizeof(unsigned)));
  update<<<(n + 63) / 64, 64>>>(dValues, n, dCells);
  checked(cudaGetLastError());
  count<<<(n + 63) / 64, 64>>>(dKeys, n, dSlots, dCounts);
  checked(cudaGetLastError());
  std::vector<uint32_t> slots(kSlots);
  std::vector<unsigned> counts(kSlots);
  checked(cudaMemcpy(&got, dCells, sizeof got, cudaMemcpyDeviceToHost));
  checked(cudaMemcpy(slots.data(), dSlots, kSlots * sizeof(uint32_t), cudaMemcpyDeviceToHost));
  checked(cudaMemcpy(counts.data(), dCounts, kSlots * sizeof(unsigned), cudaMemcpyDeviceToHost));
  checked(cudaFree(dValues));
  checked(cudaFree(dCells));
  checked(cudaFree(dKeys));
  checked(cudaFree(dSlots));
  checked(cudaFree(dCounts));

  float highest = -FLT_MAX, least = FLT_MAX;
  unsigned product = 1, nearest = 0;
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    highest = std::fmax(highest, values[i]);
    product *= 2 * i + 1;
    sum += values[i] * 0.5;
    if (std::fabs(values[i] - 3.0f) < least) least = std::fabs(values[i] - 3.0f), nearest = i;
  }
#define SAME(name, got, want)                                                                         \
  if (!((got) == (want))) {                                                                           \
    std::printf("atomic_cas_loops: %s: expected %.10g, got %.10g\n", name, (double)(want), (double)(got)); \
    return 1;                                                                                         \
  }
  SAME("highest", got.highest, highest);
  SAME("product", got.product, product);
  SAME("sum", got.sum, sum);
  SAME("saturated", got.saturated, 300u);
  SAME("nearest", (unsigned)got.nearest, nearest);

  std::map<uint32_t, unsigned> want, table;
  for (uint32_t k : keys) ++want[k];
  for (int s = 0; s < kSlots; ++s)
    if (slots[s] != kEmpty) {
      if (table.count(slots[s])) {
        std::printf("atomic_cas_loops: key %u: expected one slot, got two\n", slots[s]);
        return 1;
      }
      table[slots[s]] = counts[s];
    } else {
      SAME("count of an empty slot", counts[s], 0u);
    }
  SAME("number of keys", table.size(), want.size());
  for (auto [key, times] : want) SAME("count of a key", table[key], times);
  std::printf("atomic_cas_loops: ok\n");
  return 0;
}
