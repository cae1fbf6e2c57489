// cuda::atomic, atomic_ref, and names of cuda::std in kernels.
#include <cuda/atomic>
#include <cuda/cmath>
#include <cuda/functional>
#include <cuda/semaphore>
#include <cuda/std/array>
#include <cuda/std/atomic>
#include <cuda/std/cstdint>
#include <cuda/std/limits>
#include <cuda/std/optional>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda/std/utility>
#include <cuda_runtime.h>

#include "expect.h"

constexpr int threads = 128, blocks = 4;

struct counters {
  cuda::atomic<int, cuda::thread_scope_device> sum;
  cuda::atomic<unsigned, cuda::thread_scope_system> most;
  cuda::std::atomic<unsigned long long> bits;
  cuda::atomic<float, cuda::thread_scope_device> total;
};

__global__ void count(counters* all, int* plain, int* least) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  all->sum.fetch_add(at, cuda::memory_order_relaxed);
  all->most.fetch_max(static_cast<unsigned>(at * 7 % 501));
  all->bits.fetch_or(1ull << (at % 64));
  all->total.fetch_add(0.5f, cuda::std::memory_order_relaxed);
  cuda::atomic_ref<int, cuda::thread_scope_device> counter(*plain);
  ++counter;
  counter += 2;
  cuda::atomic_ref<int>(*least).fetch_min(at);
}

// One block gives a value to the next: release and acquire.
__global__ void chain(cuda::atomic<int, cuda::thread_scope_device>* turn, int* value) {
  if (threadIdx.x != 0) return;
  while (turn->load(cuda::memory_order_acquire) != static_cast<int>(blockIdx.x)) {
  }
  *value = *value * 3 + static_cast<int>(blockIdx.x);
  turn->store(static_cast<int>(blockIdx.x) + 1, cuda::memory_order_release);
}

// A lock of one atomic, by all threads of all blocks.
__global__ void locked(cuda::atomic<int, cuda::thread_scope_device>* lock, long long* value) {
  bool done = false;
  while (!done) {
    int free = 0;
    if (lock->compare_exchange_strong(free, 1, cuda::memory_order_acquire)) {
      *value = *value + threadIdx.x;
      lock->store(0, cuda::memory_order_release);
      done = true;
    }
  }
}

__global__ void limited(cuda::binary_semaphore<cuda::thread_scope_device>* gate, int* value) {
  if (threadIdx.x % 32 == 0) {
    gate->acquire();
    *value = *value + 1;
    gate->release();
  }
}

__global__ void make_gate(cuda::binary_semaphore<cuda::thread_scope_device>* gate) {
  new (gate) cuda::binary_semaphore<cuda::thread_scope_device>(1);
}

__global__ void names(int* out) {
  cuda::std::array<int, 3> three = {4, 5, 6};
  cuda::std::tuple<int, float> pair(7, 0.5f);
  cuda::std::optional<int> maybe = 8;
  out[0] = three[1];
  out[1] = cuda::std::get<0>(pair);
  out[2] = maybe.value_or(1);
  out[3] = cuda::std::numeric_limits<int>::max();
  out[4] = cuda::maximum<int>()(3, 9) + cuda::minimum<>()(3, 9);
  out[5] = cuda::ceil_div(7, 2);
  out[6] = cuda::std::is_same_v<cuda::std::remove_cv_t<const int>, int>;
  cuda::std::swap(three[0], three[2]);
  out[7] = three[0];
}

int main() {
  counters* all;
  int* plain;
  CUDA_OK(cudaMallocManaged(&all, sizeof(counters)));
  CUDA_OK(cudaMallocManaged(&plain, 2 * sizeof(int)));
  new (all) counters{{0}, {0}, {0}, {0}};
  plain[0] = 0;
  plain[1] = 1000;
  count<<<blocks, threads>>>(all, plain, plain + 1);
  CUDA_OK(cudaDeviceSynchronize());
  constexpr int n = blocks * threads;
  unsigned most = 0;
  for (int i = 0; i < n; ++i) most = i * 7u % 501 > most ? i * 7u % 501 : most;
  EXPECT(all->sum.load() == n * (n - 1) / 2);
  EXPECT(all->most.load() == most && all->bits.load() == ~0ull && all->total.load() == n * 0.5f);
  EXPECT(plain[0] == 3 * n && plain[1] == 0);

  cuda::atomic<int, cuda::thread_scope_device>* turn;
  CUDA_OK(cudaMalloc(&turn, sizeof(*turn)));
  CUDA_OK(cudaMemset(turn, 0, sizeof(*turn)));
  device_array<int> value(1);
  chain<<<8, 32>>>(turn, value.data);
  int expected = 0;
  for (int i = 0; i < 8; ++i) expected = expected * 3 + i;
  EXPECT(value.host()[0] == expected, "%d", value.host()[0]);

  CUDA_OK(cudaMemset(turn, 0, sizeof(*turn)));
  device_array<long long> sum(1);
  locked<<<blocks, 64>>>(turn, sum.data);
  EXPECT(sum.host()[0] == blocks * 64 * 63 / 2);
  CUDA_OK(cudaFree(turn));

  cuda::binary_semaphore<cuda::thread_scope_device>* gate;
  CUDA_OK(cudaMalloc(&gate, sizeof(*gate)));
  make_gate<<<1, 1>>>(gate);
  device_array<int> passed(1);
  limited<<<blocks, threads>>>(gate, passed.data);
  EXPECT(passed.host()[0] == blocks * threads / 32);
  CUDA_OK(cudaFree(gate));

  device_array<int> out(8);
  names<<<1, 1>>>(out.data);
  EXPECT(out.host() == (std::vector<int>{5, 7, 8, 2147483647, 12, 4, 1, 6}));
  CUDA_OK(cudaFree(all));
  CUDA_OK(cudaFree(plain));
  std::printf("cuda_atomic: ok\n");
}
