#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

static bool failed = false;

static void record(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(status));
  failed = true;
}
#define CHECK(call) record((call), #call)

struct Best {
  int lock;
  int value;
  int index;
};

// The largest value of the block's part and its index, behind a lock. One thread a warp takes part.
__global__ void find_best(const int* in, Best* best) {
  if (threadIdx.x % 32 != 0) return;
  const int i = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  const int value = in[i];
  Best* mine = &best[blockIdx.x];
  while (atomicCAS(&mine->lock, 0, 1) != 0) {  // finds: deadlock
  }
  __threadfence();
  if (value <= mine->value) return;
  mine->value = value;
  mine->index = i;
  __threadfence();
  atomicExch(&mine->lock, 0);
}

int main() {
  const int blocks = 4, warps = 8;
  std::vector<int> in(blocks * warps);
  for (int i = 0; i < blocks * warps; ++i)
    in[i] = i * 11 % 32 - 100;
  // All values are below the start value 0 but the last one of each block.
  for (int b = 0; b < blocks; ++b)
    in[b * warps + warps - 1] = b + 1;
  std::vector<Best> best(blocks, Best{0, 0, -1});

  int* d_in = nullptr;
  Best* d_best = nullptr;
  CHECK(cudaMalloc(&d_in, in.size() * sizeof(int)));
  CHECK(cudaMalloc(&d_best, blocks * sizeof(Best)));
  CHECK(cudaMemcpy(d_in, in.data(), in.size() * sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_best, best.data(), blocks * sizeof(Best), cudaMemcpyHostToDevice));
  find_best<<<blocks, 32 * warps>>>(d_in, d_best);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  if (!failed) {
    CHECK(cudaMemcpy(best.data(), d_best, blocks * sizeof(Best), cudaMemcpyDeviceToHost));
  }
  CHECK(cudaFree(d_in));
  CHECK(cudaFree(d_best));
  for (int b = 0; b < blocks && !failed; ++b) {
    if (best[b].value != b + 1 || best[b].index != b * warps + warps - 1) {
      std::printf("block %d: %d at %d\n", b, best[b].value, best[b].index);
      failed = true;
    }
  }
  if (!failed) std::printf("ok\n");
  return failed ? 1 : 0;
}
