// Conway's game on a torus, cells as bytes; and the same with 32 cells in a word, counted by bitwise adders.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#define SAFE_CALL(err)  __safeCall(err, __FILE__, __LINE__)
inline void __safeCall(cudaError_t err, const char *file, const int line) {
  if (cudaSuccess != err) {
    fprintf(stderr, "safeCall() at %s:%i : %s\n", file, line, cudaGetErrorString(err));
    exit(-1);
  }
}

__global__ void lifeBytes(const uint8_t *now, uint8_t *next, int w, int h) {
  for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < w * h; cell += blockDim.x * gridDim.x) {
    int x = cell % w, y = cell - x;  // y is the start of the row
    int left = (x + w - 1) % w, right = (x + 1) % w;
    int up = (y + w * h - w) % (w * h), down = (y + w) % (w * h);
    int alive = now[left + up] + now[x + up] + now[right + up] + now[left + y] + now[right + y] + now[left + down] +
                now[x + down] + now[right + down];
    next[x + y] = alive == 3 || (alive == 2 && now[x + y]) ? 1 : 0;
  }
}

// a + b + c as two bits in each place
__device__ inline void add3(uint32_t a, uint32_t b, uint32_t c, uint32_t &low, uint32_t &high) {
  low = a ^ b ^ c;
  high = (a & b) | (c & (a ^ b));
}

__global__ void lifeBits(const uint32_t *now, uint32_t *next, int words, int h) {
  const int wx = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (wx >= words || y >= h) return;
  uint32_t low[3], high[3], middleLow = 0, middleHigh = 0, centre = 0;
  for (int r = 0; r < 3; ++r) {
    const uint32_t *row = now + (y + r + h - 1) % h * words;
    const uint32_t here = row[wx], before = row[(wx + words - 1) % words], after = row[(wx + 1) % words];
    const uint32_t left = __funnelshift_l(before, here, 1), right = __funnelshift_r(here, after, 1);
    if (r == 1) {
      centre = here;
      middleLow = left ^ right;
      middleHigh = left & right;
      low[1] = middleLow, high[1] = middleHigh;
    } else {
      add3(left, here, right, low[r], high[r]);
    }
  }
  uint32_t ones, carry, twos, fours;
  add3(low[0], low[1], low[2], ones, carry);
  const uint32_t t0 = high[0] ^ high[1], c0 = high[0] & high[1];
  const uint32_t t1 = high[2] ^ carry, c1 = high[2] & carry;
  twos = t0 ^ t1;
  fours = c0 | c1 | (t0 & t1);
  next[y * words + wx] = twos & ~fours & (ones | centre);
}

int main() {
  const int words = 3, w = words * 32, h = 50, generations = 7;
  std::vector<uint8_t> bytes(w * h), gotBytes(w * h);
  std::vector<uint32_t> bits(words * h), gotBits(words * h);
  uint32_t s = 2463534242u;
  for (int i = 0; i < w * h; ++i) {
    s ^= s << 13, s ^= s >> 17, s ^= s << 5;
    bytes[i] = s % 3 == 0;
    bits[i / 32] |= uint32_t(bytes[i]) << (i % 32);
  }
  uint8_t *b0, *b1;
  uint32_t *w0, *w1;
  SAFE_CALL(cudaMalloc(&b0, w * h));
  SAFE_CALL(cudaMalloc(&b1, w * h));
  SAFE_CALL(cudaMalloc(&w0, words * h * 4));
  SAFE_CALL(cudaMalloc(&w1, words * h * 4));
  SAFE_CALL(cudaMemcpy(b0, bytes.data(), w * h, cudaMemcpyHostToDevice));
  SAFE_CALL(cudaMemcpy(w0, bits.data(), words * h * 4, cudaMemcpyHostToDevice));
  for (int g = 0; g < generations; ++g) {
    lifeBytes<<<10, 128>>>(b0, b1, w, h);
    SAFE_CALL(cudaGetLastError());
    lifeBits<<<dim3(1, (h + 15) / 16), dim3(4, 16)>>>(w0, w1, words, h);
    SAFE_CALL(cudaGetLastError());
    std::swap(b0, b1);
    std::swap(w0, w1);
  }
  SAFE_CALL(cudaMemcpy(gotBytes.data(), b0, w * h, cudaMemcpyDeviceToHost));
  SAFE_CALL(cudaMemcpy(gotBits.data(), w0, words * h * 4, cudaMemcpyDeviceToHost));
  SAFE_CALL(cudaFree(b0));
  SAFE_CALL(cudaFree(b1));
  SAFE_CALL(cudaFree(w0));
  SAFE_CALL(cudaFree(w1));

  int alive = 0;
  for (int g = 0; g < generations; ++g) {
    std::vector<uint8_t> next(w * h);
    for (int y = 0; y < h; ++y)
      for (int x = 0; x < w; ++x) {
        int n = 0;
        for (int dy = -1; dy <= 1; ++dy)
          for (int dx = -1; dx <= 1; ++dx)
            if (dx || dy) n += bytes[(y + dy + h) % h * w + (x + dx + w) % w];
        next[y * w + x] = n == 3 || (n == 2 && bytes[y * w + x]);
      }
    bytes = next;
  }
  for (int i = 0; i < w * h; ++i) {
    int bit = gotBits[i / 32] >> (i % 32) & 1;
    alive += bytes[i];
    if (gotBytes[i] != bytes[i] || bit != bytes[i]) {
      printf("game_of_life: cell %d: expected %d, got %d and %d\n", i, bytes[i], gotBytes[i], bit);
      return 1;
    }
  }
  if (alive < 50) {
    printf("game_of_life: expected a board that lives, got %d cells\n", alive);
    return 1;
  }
  printf("game_of_life: ok\n");
  return 0;
}
