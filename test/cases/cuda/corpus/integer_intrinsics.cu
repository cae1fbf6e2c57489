// Integer intrinsics to the bit, next to the plain C++ that says what each of them does.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Bits {
  int clz, clzll, ffs, ffsll, popc, popcll, mul24, mulhi, dp4a, sad, hadd;
  unsigned brev, perm, umulhi, funnelL, funnelR, funnelLc, udp4a, usad, umul24, rhadd, vadd, vmax, cmp;
  unsigned long long brevll, umul64hi;
  long long mul64hi;
};

__global__ void device(const uint32_t* a, const uint32_t* b, const uint32_t* c, Bits* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uint32_t x = a[i], y = b[i], z = c[i];
  const unsigned long long w = (unsigned long long)x << 32 | y, v = (unsigned long long)z << 32 | x;
  Bits o;
  o.clz = __clz(x);
  o.clzll = __clzll(w);
  o.ffs = __ffs(x);
  o.ffsll = __ffsll(w);
  o.popc = __popc(x);
  o.popcll = __popcll(w);
  o.mul24 = __mul24(x, y);
  o.mulhi = __mulhi((int)x, (int)y);
  o.dp4a = __dp4a((int)x, (int)y, (int)z);
  o.sad = __sad((int)x, (int)y, z);
  o.hadd = __hadd((int)x, (int)y);
  o.brev = __brev(x);
  o.perm = __byte_perm(x, y, z);
  o.umulhi = __umulhi(x, y);
  o.funnelL = __funnelshift_l(x, y, z);
  o.funnelR = __funnelshift_r(x, y, z);
  o.funnelLc = __funnelshift_lc(x, y, z & 63);
  o.udp4a = __dp4a(x, y, z);
  o.usad = __usad(x, y, z);
  o.umul24 = __umul24(x, y);
  o.rhadd = __urhadd(x, y);
  o.vadd = __vadd4(x, y);
  o.vmax = __vmaxu4(x, y);
  o.cmp = __vcmpeq4(x, y);
  o.brevll = __brevll(w);
  o.umul64hi = __umul64hi(w, v);
  o.mul64hi = __mul64hi((long long)w, (long long)v);
  out[i] = o;
}

static int64_t low24(uint32_t v) { return int32_t(v << 8) >> 8; }

static Bits host(uint32_t x, uint32_t y, uint32_t z) {
  const uint64_t w = uint64_t(x) << 32 | y, v = uint64_t(z) << 32 | x;
  Bits o = {};
  auto leading = [](uint64_t n, int width) { int k = 0; while (k < width && !(n >> (width - 1 - k) & 1)) ++k; return k; };
  auto first = [](uint64_t n) { for (int k = 0; k < 64; ++k) if (n >> k & 1) return k + 1; return 0; };
  auto count = [](uint64_t n) { int k = 0; for (; n; n &= n - 1) ++k; return k; };
  auto reverse = [](uint64_t n, int width) { uint64_t r = 0; for (int k = 0; k < width; ++k) r |= (n >> k & 1) << (width - 1 - k); return r; };
  o.clz = leading(x, 32);
  o.clzll = leading(w, 64);
  o.ffs = first(x);
  o.ffsll = first(w);
  o.popc = count(x);
  o.popcll = count(w);
  o.mul24 = int32_t(uint64_t(low24(x) * low24(y)));
  o.mulhi = int32_t((int64_t(int32_t(x)) * int32_t(y)) >> 32);
  uint32_t dot = z, udot = z;
  for (int k = 0; k < 32; k += 8) {
    dot += int8_t(x >> k) * int8_t(y >> k);
    udot += (x >> k & 255) * (y >> k & 255);
    const uint32_t p = x >> k & 255, q = y >> k & 255;
    o.vadd |= ((p + q) & 255) << k;
    o.vmax |= (p > q ? p : q) << k;
    o.cmp |= (p == q ? 255u : 0u) << k;
  }
  o.dp4a = int32_t(dot);
  o.udp4a = udot;
  const int64_t apart = int64_t(int32_t(x)) - int32_t(y);
  o.sad = int32_t(uint32_t(apart < 0 ? -apart : apart) + z);
  o.usad = (x > y ? x - y : y - x) + z;
  o.hadd = int32_t((int64_t(int32_t(x)) + int32_t(y)) >> 1);
  o.rhadd = uint32_t((uint64_t(x) + y + 1) >> 1);
  o.brev = uint32_t(reverse(x, 32));
  o.brevll = reverse(w, 64);
  for (int k = 0; k < 4; ++k) {
    const uint32_t selector = z >> (4 * k) & 15, byte = uint32_t((uint64_t(y) << 32 | x) >> (8 * (selector & 7))) & 255;
    o.perm |= (selector & 8 ? (byte & 128 ? 255u : 0u) : byte) << (8 * k);
  }
  o.umulhi = uint32_t(uint64_t(x) * y >> 32);
  o.umul24 = uint32_t(uint64_t(x & 0xffffff) * (y & 0xffffff));
  const uint64_t both = uint64_t(y) << 32 | x;  // y is the upper word
  o.funnelL = uint32_t(both << (z & 31) >> 32);
  o.funnelR = uint32_t(both >> (z & 31));
  const unsigned clamped = (z & 63) < 32 ? z & 63 : 32;
  o.funnelLc = clamped == 32 ? x : uint32_t(both << clamped >> 32);
  o.umul64hi = uint64_t((unsigned __int128)w * v >> 64);
  o.mul64hi = int64_t((__int128)int64_t(w) * int64_t(v) >> 64);
  return o;
}

int main() {
#define CHECK(...) do { if (cudaError_t e = (__VA_ARGS__)) { std::fprintf(stderr, "%d: %s\n", __LINE__, cudaGetErrorString(e)); return 1; } } while (0)
  std::vector<uint32_t> a, b, c;
  const uint32_t special[] = {0, 1, 0x80000000u, 0xffffffffu, 0x7fffffffu, 0x00ffffffu, 0x01000000u, 0x80808080u};
  for (uint32_t x : special)
    for (uint32_t y : special) a.push_back(x), b.push_back(y), c.push_back(x * 3 + y + 0x3210);
  uint64_t s = 88172645463325252ull;
  for (int i = 0; i < 900; ++i) {
    s ^= s << 13, s ^= s >> 7, s ^= s << 17;
    a.push_back(uint32_t(s) >> (i % 3 * 9));
    b.push_back(uint32_t(s >> 32));
    c.push_back(uint32_t(s >> 16) ^ i);
  }
  const int n = int(a.size());
  uint32_t *da, *db, *dc;
  Bits* dout;
  CHECK(cudaMalloc(&da, n * 4));
  CHECK(cudaMalloc(&db, n * 4));
  CHECK(cudaMalloc(&dc, n * 4));
  CHECK(cudaMalloc(&dout, n * sizeof(Bits)));
  CHECK(cudaMemcpy(da, a.data(), n * 4, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(db, b.data(), n * 4, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(dc, c.data(), n * 4, cudaMemcpyHostToDevice));
  device<<<(n + 63) / 64, 64>>>(da, db, dc, dout, n);
  CHECK(cudaGetLastError());
  std::vector<Bits> got(n);
  CHECK(cudaMemcpy(got.data(), dout, n * sizeof(Bits), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(da));
  CHECK(cudaFree(db));
  CHECK(cudaFree(dc));
  CHECK(cudaFree(dout));
  for (int i = 0; i < n; ++i) {
    const Bits want = host(a[i], b[i], c[i]);
#define SAME(field)                                                                                                               \
  if (got[i].field != want.field) {                                                                                               \
    std::printf("integer_intrinsics: " #field " of element %d (%08x %08x %08x): expected %llx, got %llx\n", i, a[i], b[i], c[i],   \
                (unsigned long long)want.field, (unsigned long long)got[i].field);                                                \
    return 1;                                                                                                                     \
  }
    SAME(clz) SAME(clzll) SAME(ffs) SAME(ffsll) SAME(popc) SAME(popcll) SAME(mul24) SAME(mulhi) SAME(dp4a) SAME(sad) SAME(hadd)
    SAME(brev) SAME(perm) SAME(umulhi) SAME(funnelL) SAME(funnelR) SAME(funnelLc) SAME(udp4a) SAME(usad) SAME(umul24) SAME(rhadd)
    SAME(vadd) SAME(vmax) SAME(cmp) SAME(brevll) SAME(umul64hi) SAME(mul64hi)
  }
  std::printf("integer_intrinsics: ok\n");
  return 0;
}
