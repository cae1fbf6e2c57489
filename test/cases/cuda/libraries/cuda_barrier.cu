// Barriers of shared memory, copies that they order, latches and pipelines.
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include "expect.h"

namespace cg = cooperative_groups;

constexpr int threads = 64;

// Many phases: each thread reads what its neighbour wrote in the phase before.
__global__ void phases(int* out, int rounds) {
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  __shared__ int values[2][threads];
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  values[0][threadIdx.x] = threadIdx.x;
  barrier.arrive_and_wait();
  for (int round = 0; round < rounds; ++round) {
    values[(round + 1) % 2][threadIdx.x] = values[round % 2][(threadIdx.x + 1) % threads] + 1;
    auto token = barrier.arrive();
    // The phase before the loop was 0.
    if (round % 2 == 0) {
      barrier.wait(std::move(token));
    } else {
      barrier.wait_parity((round + 1) % 2);
    }
  }
  out[threadIdx.x] = values[rounds % 2][threadIdx.x];
}

// Half of the threads produce, the others consume.
__global__ void hand_over(const int* in, int* out, int tiles) {
  __shared__ cuda::barrier<cuda::thread_scope_block> ready, free;
  __shared__ int tile[threads / 2];
  if (threadIdx.x == 0) {
    init(&ready, threads);
    init(&free, threads);
  }
  __syncthreads();
  const int rank = threadIdx.x % (threads / 2);
  for (int i = 0; i < tiles; ++i) {
    if (threadIdx.x < threads / 2) {
      if (i > 0) free.arrive_and_wait();
      tile[rank] = in[i * threads / 2 + rank] * 10;
      static_cast<void>(ready.arrive());
    } else {
      ready.arrive_and_wait();
      out[i * threads / 2 + rank] = tile[threads / 2 - 1 - rank];
      if (i + 1 < tiles) static_cast<void>(free.arrive());
    }
  }
}

__global__ void copied(const int* in, int* out, int count) {
  extern __shared__ int staged[];
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&barrier, block.size());
  block.sync();
  cuda::memcpy_async(block, staged, in, sizeof(int) * count, barrier);
  barrier.arrive_and_wait();
  for (int i = block.thread_rank(); i < count; i += block.size()) out[i] = staged[count - 1 - i];
}

__global__ void latched(int* out) {
  __shared__ alignas(cuda::latch<cuda::thread_scope_block>) char memory[sizeof(cuda::latch<cuda::thread_scope_block>)];
  auto* latch = reinterpret_cast<cuda::latch<cuda::thread_scope_block>*>(memory);
  __shared__ int value;
  if (threadIdx.x == 0) new (latch) cuda::latch<cuda::thread_scope_block>(1);
  __syncthreads();
  if (threadIdx.x == 40) {
    value = 17;
    latch->count_down();
  }
  latch->wait();
  out[threadIdx.x] = value;
}

// Two stages: the next tile is copied while this one is summed.
template <bool SplitRoles>
__global__ void staged(const int* in, int* out, int tiles) {
  constexpr int stages = 2;
  __shared__ int buffer[stages][threads];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
  auto block = cg::this_thread_block();
  const int rank = block.thread_rank();
  if constexpr (SplitRoles) {
    const auto role = rank < threads / 2 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
    auto pipeline = cuda::make_pipeline(block, &state, role);
    const int half = rank % (threads / 2);
    for (int tile = 0; tile < tiles; ++tile) {
      if (role == cuda::pipeline_role::producer) {
        pipeline.producer_acquire();
        for (int i = half; i < threads; i += threads / 2) {
          cuda::memcpy_async(&buffer[tile % stages][i], in + tile * threads + i, sizeof(int), pipeline);
        }
        pipeline.producer_commit();
      } else {
        pipeline.consumer_wait();
        for (int i = half; i < threads; i += threads / 2) {
          out[tile * threads + i] = buffer[tile % stages][threads - 1 - i] + tile;
        }
        pipeline.consumer_release();
      }
    }
  } else {
    auto pipeline = cuda::make_pipeline(block, &state);
    for (int tile = 0, fetched = 0; tile < tiles; ++tile) {
      for (; fetched < tiles && fetched < tile + stages; ++fetched) {
        pipeline.producer_acquire();
        cuda::memcpy_async(block, buffer[fetched % stages], in + fetched * threads, sizeof(int) * threads, pipeline);
        pipeline.producer_commit();
      }
      pipeline.consumer_wait();
      out[tile * threads + rank] = buffer[tile % stages][threads - 1 - rank] + tile;
      pipeline.consumer_release();
    }
  }
}

__global__ void primitives(const int4* in, int4* out) {
  __shared__ int4 buffer[threads];
  __pipeline_memcpy_async(&buffer[threadIdx.x], &in[threadIdx.x], sizeof(int4));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[threadIdx.x] = buffer[threads - 1 - threadIdx.x];
}

int main() {
  device_array<int> out(threads);
  phases<<<1, threads>>>(out.data, 10);
  auto got = out.host();
  for (int i = 0; i < threads; ++i) EXPECT(got[i] == (i + 10) % threads + 10, "thread %d: %d", i, got[i]);

  constexpr int tiles = 7, count = tiles * threads;
  std::vector<int> values(count);
  for (int i = 0; i < count; ++i) values[i] = static_cast<int>(scrambled(i) % 1000);
  device_array<int> in(values), result(count);
  hand_over<<<1, threads>>>(in.data, result.data, tiles);
  got = result.host();
  for (int i = 0; i < tiles * threads / 2; ++i) {
    const int half = threads / 2, first = i / half * half;
    EXPECT(got[i] == values[first + half - 1 - i % half] * 10, "item %d", i);
  }
  for (int items : {count, 129, 3}) {
    copied<<<1, threads, items * sizeof(int)>>>(in.data, result.data, items);
    got = result.host();
    for (int i = 0; i < items; ++i) EXPECT(got[i] == values[items - 1 - i], "item %d", i);
  }
  latched<<<1, threads>>>(out.data);
  for (int value : out.host()) EXPECT(value == 17);

  for (bool split : {false, true}) {
    CUDA_OK(cudaMemset(result.data, 0, count * sizeof(int)));
    if (split) {
      staged<true><<<1, threads>>>(in.data, result.data, tiles);
    } else {
      staged<false><<<1, threads>>>(in.data, result.data, tiles);
    }
    got = result.host();
    for (int i = 0; i < count; ++i) {
      const int tile = i / threads;
      EXPECT(got[i] == values[tile * threads + threads - 1 - i % threads] + tile, "item %d", i);
    }
  }
  device_array<int4> wide(threads), reversed(threads);
  CUDA_OK(cudaMemcpy(wide.data, values.data(), sizeof(int4) * threads, cudaMemcpyHostToDevice));
  primitives<<<1, threads>>>(wide.data, reversed.data);
  const auto fours = reversed.host();
  for (int i = 0; i < threads; ++i) EXPECT(fours[i].z == values[4 * (threads - 1 - i) + 2], "thread %d", i);
  std::printf("cuda_barrier: ok\n");
}
