// Each atomic function in each width that sm_80 has, on values whose result no order can change.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define HANDLE_ERROR(err) (HandleError(err, __FILE__, __LINE__))
static void HandleError(cudaError_t err, const char *file, int line) {
  if (err != cudaSuccess) {
    printf("%s in %s at line %d\n", cudaGetErrorString(err), file, line);
    exit(EXIT_FAILURE);
  }
}

typedef unsigned long long u64;

struct Results {
  int add, sub, low, high, both, either, toggled, exchanged;
  unsigned uadd, inc, dec, ulow, uhigh;
  float fadd, fexchanged;
  double dadd;
  u64 ladd, llow, lhigh, land, lor, lxor, lexchanged;
  long long slow, shigh;
  unsigned returned;   // the sum of what the returning adds saw
  unsigned short half; // atomicCAS of 16 bits
  unsigned short padding;
  int systemwide;
  int blocked[16];  // one for each block
};

__global__ void all(Results *r, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;

  atomicAdd(&r->add, i - 10);
  atomicSub(&r->sub, i);
  atomicMin(&r->low, (i * 37) % n - 5);
  atomicMax(&r->high, (i * 37) % n + 5);
  atomicAnd(&r->both, ~(1 << (i % 7)));
  atomicOr(&r->either, 1 << (i % 31));
  atomicXor(&r->toggled, i);
  atomicExch(&r->exchanged, 77);

  unsigned before = atomicAdd(&r->uadd, 1u);
  atomicAdd(&r->returned, before);
  atomicInc(&r->inc, 9u);
  atomicDec(&r->dec, 9u);
  atomicMin(&r->ulow, 4000000000u - i);
  atomicMax(&r->uhigh, 4000000000u + i);

  atomicAdd(&r->fadd, 0.5f);
  atomicExch(&r->fexchanged, 1.25f);
  atomicAdd(&r->dadd, 0.125 * i);

  atomicAdd(&r->ladd, 1ull << 33);
  atomicMin(&r->llow, (1ull << 40) + i);
  atomicMax(&r->lhigh, (1ull << 40) + i);
  atomicAnd(&r->land, ~(1ull << (32 + i % 9)));
  atomicOr(&r->lor, 1ull << (i % 63));
  atomicXor(&r->lxor, (u64)i << 30);
  atomicExch(&r->lexchanged, 1ull << 50);
  atomicMin(&r->slow, -(long long)i * 3000000000LL);
  atomicMax(&r->shigh, (long long)i * 3000000000LL);

  unsigned short seen = 0, want;
  do {
    want = seen;
    seen = atomicCAS(&r->half, want, (unsigned short)(want + 1));
  } while (seen != want);

  atomicAdd_block(&r->blocked[blockIdx.x], 3);
  atomicAdd_system(&r->systemwide, 2);
}

#define EXPECT(field, format, ...)                                                             \
  {                                                                                            \
    auto want = (__VA_ARGS__);                                                                 \
    if (!(r.field == want)) {                                                                  \
      printf("atomics_all: " #field ": expected " format ", got " format "\n", want, r.field); \
      return 1;                                                                                \
    }                                                                                          \
  }

int main() {
  const int n = 1000;
  Results start, r;
  memset(&start, 0, sizeof start);
  start.low = 1 << 20;
  start.high = -(1 << 20);
  start.both = 0xffff;
  start.dec = 3;
  start.ulow = ~0u;
  start.llow = ~0ull;
  start.land = ~0ull;

  Results *d;
  HANDLE_ERROR(cudaMalloc(&d, sizeof *d));
  HANDLE_ERROR(cudaMemcpy(d, &start, sizeof start, cudaMemcpyHostToDevice));
  all<<<(n + 95) / 96, 96>>>(d, n);
  HANDLE_ERROR(cudaGetLastError());
  HANDLE_ERROR(cudaMemcpy(&r, d, sizeof r, cudaMemcpyDeviceToHost));
  HANDLE_ERROR(cudaFree(d));

  int toggled = 0, either = 0, both = 0xffff;
  unsigned inc = 0, dec = 3;
  u64 land = ~0ull, lor = 0, lxor = 0;
  for (int i = 0; i < n; ++i) {
    toggled ^= i;
    either |= 1 << (i % 31);
    both &= ~(1 << (i % 7));
    inc = inc >= 9 ? 0 : inc + 1;
    dec = dec == 0 || dec > 9 ? 9 : dec - 1;
    land &= ~(1ull << (32 + i % 9));
    lor |= 1ull << (i % 63);
    lxor ^= (u64)i << 30;
  }
  EXPECT(add, "%d", n * (n - 1) / 2 - 10 * n);
  EXPECT(sub, "%d", -(n * (n - 1) / 2));
  EXPECT(low, "%d", -5);
  EXPECT(high, "%d", n - 1 + 5);
  EXPECT(both, "%d", both);
  EXPECT(either, "%d", either);
  EXPECT(toggled, "%d", toggled);
  EXPECT(exchanged, "%d", 77);
  EXPECT(uadd, "%u", (unsigned)n);
  EXPECT(returned, "%u", (unsigned)(n * (n - 1) / 2));
  EXPECT(inc, "%u", inc);
  EXPECT(dec, "%u", dec);
  EXPECT(ulow, "%u", 4000000000u - (n - 1));
  EXPECT(uhigh, "%u", 4000000000u + (n - 1));
  EXPECT(fadd, "%g", 0.5f * n);
  EXPECT(fexchanged, "%g", 1.25f);
  EXPECT(dadd, "%g", 0.125 * (n * (n - 1) / 2));
  EXPECT(ladd, "%llu", (u64)n << 33);
  EXPECT(llow, "%llu", 1ull << 40);
  EXPECT(lhigh, "%llu", (1ull << 40) + n - 1);
  EXPECT(land, "%llx", land);
  EXPECT(lor, "%llx", lor);
  EXPECT(lxor, "%llx", lxor);
  EXPECT(lexchanged, "%llu", 1ull << 50);
  EXPECT(slow, "%lld", -(long long)(n - 1) * 3000000000LL);
  EXPECT(shigh, "%lld", (long long)(n - 1) * 3000000000LL);
  EXPECT(half, "%d", (unsigned short)n);
  for (int b = 0; b < 11; ++b) EXPECT(blocked[b], "%d", 3 * (b < 10 ? 96 : n - 960));
  EXPECT(systemwide, "%d", 2 * n);
  printf("atomics_all: ok\n");
  return 0;
}
