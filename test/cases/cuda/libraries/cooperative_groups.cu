// Groups of threads: ranks, shuffles, votes, partitions, reductions, scans, copies.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_runtime.h>

#include "expect.h"

namespace cg = cooperative_groups;

constexpr int threads = 96;

__global__ void ranks(int* out) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
  auto half = cg::tiled_partition<4>(cg::tiled_partition<8>(block));
  cg::thread_group any = cg::tiled_partition(block, 16);
  cg::grid_group grid = cg::this_grid();
  const int at = static_cast<int>(grid.thread_rank());
  int* row = out + at * 10;
  row[0] = block.thread_rank();
  row[1] = tile.thread_rank();
  row[2] = tile.meta_group_rank();
  row[3] = tile.meta_group_size();
  row[4] = half.meta_group_rank();
  row[5] = half.meta_group_size();
  row[6] = static_cast<int>(any.thread_rank());
  row[7] = static_cast<int>(any.size());
  row[8] = static_cast<int>(grid.num_threads());
  row[9] = block.group_index().x * 1000 + block.thread_index().x + block.dim_threads().y * 100;
  any.sync();
  tile.sync();
}

__global__ void shuffles(const int* in, int* out) {
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<16>(block);
  const int at = block.thread_rank();
  const int value = in[at];
  int* row = out + at * 8;
  row[0] = tile.shfl(value, 3);
  row[1] = tile.shfl_up(value, 2);
  row[2] = tile.shfl_down(value, 5);
  row[3] = tile.shfl_xor(value, 7);
  row[4] = static_cast<int>(tile.ballot(value % 3 == 0));
  row[5] = tile.any(value % 3 == 0) * 2 + tile.all(value >= 0);
  row[6] = static_cast<int>(tile.match_any(value % 4));
  int same = 0;
  tile.match_all(tile.meta_group_rank(), same);
  row[7] = same;
}

struct wide {
  double a;
  int b;
  short c;
};

__global__ void wide_shuffle(wide* out) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  const int rank = tile.thread_rank();
  wide mine{rank * 0.5, rank, static_cast<short>(rank * 3)};
  out[cg::this_thread_block().thread_rank()] = tile.shfl_down(mine, 1);
}

__global__ void reductions(const int* in, int* out, float* sums) {
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<32>(block);
  const int at = block.thread_rank();
  const int value = in[at];
  int* row = out + at * 10;
  row[0] = cg::reduce(tile, value, cg::plus<int>());
  row[1] = cg::reduce(tile, value, cg::less<int>());
  row[2] = cg::reduce(tile, value, cg::greater<int>());
  row[3] = cg::reduce(tile, value, cg::bit_and<int>());
  row[4] = cg::reduce(tile, value, cg::bit_or<int>());
  row[5] = cg::reduce(tile, value, cg::bit_xor<int>());
  row[6] = cg::inclusive_scan(tile, value);
  row[7] = cg::exclusive_scan(tile, value, cg::plus<int>());
  row[8] = cg::inclusive_scan(tile, value, cg::greater<int>());
  row[9] = cg::reduce(cg::tiled_partition<4>(block), value, [](int a, int b) { return a + b; });
  sums[at] = cg::reduce(tile, static_cast<float>(value), cg::plus<float>());
}

__global__ void partitions(const int* in, int* out) {
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<32>(block);
  const int at = block.thread_rank();
  const int label = in[at] % 5;
  cg::coalesced_group mates = cg::labeled_partition(tile, label);
  int* row = out + at * 7;
  row[0] = mates.size();
  row[1] = mates.thread_rank();
  row[2] = mates.meta_group_size();
  row[3] = cg::reduce(mates, in[at], cg::plus<int>());
  cg::coalesced_group side = cg::binary_partition(tile, in[at] % 2 == 0);
  row[4] = side.size();
  row[5] = cg::exclusive_scan(side, in[at]);
  row[6] = side.shfl(in[at], side.size() - 1);
}

// One atomic for all threads that are together.
__global__ void aggregated(const int* in, int* counter, int* places) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (in[at] % 3 == 0) {
    cg::coalesced_group active = cg::coalesced_threads();
    int base = 0;
    if (active.thread_rank() == 0) base = atomicAdd(counter, static_cast<int>(active.size()));
    places[active.shfl(base, 0) + active.thread_rank()] = in[at];
  }
}

__global__ void copies(const int* in, int* out, int count) {
  extern __shared__ int staged[];
  auto block = cg::this_thread_block();
  cg::memcpy_async(block, staged, in, sizeof(int) * count);
  cg::wait(block);
  for (int at = block.thread_rank(); at < count; at += block.size()) {
    out[at] = staged[count - 1 - at];
  }
}

__global__ void once(int* out) {
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  cg::invoke_one(tile, [&] { atomicAdd(out, 1); });
  const int value = cg::invoke_one_broadcast(tile, [&] { return 40 + (int)tile.meta_group_rank(); });
  atomicAdd(out + 1, value);
}

int main() {
  std::vector<int> values(threads);
  for (int i = 0; i < threads; ++i) values[i] = static_cast<int>(scrambled(i) % 1000);
  device_array<int> in(values);

  {
    device_array<int> out(2 * threads * 10);
    ranks<<<2, dim3(48, 2)>>>(out.data);
    const auto got = out.host();
    for (int i = 0; i < 2 * threads; ++i) {
      const int* row = got.data() + i * 10;
      const int t = i % threads;
      EXPECT(row[0] == t && row[1] == t % 8 && row[2] == t / 8 && row[3] == 12, "thread %d", i);
      EXPECT(row[4] == t % 8 / 4 && row[5] == 2, "thread %d", i);
      EXPECT(row[6] == t % 16 && row[7] == 16 && row[8] == 2 * threads, "thread %d", i);
      EXPECT(row[9] == i / threads * 1000 + t % 48 + 200, "thread %d", i);
    }
  }
  {
    device_array<int> out(threads * 8);
    shuffles<<<1, threads>>>(in.data, out.data);
    const auto got = out.host();
    for (int i = 0; i < threads; ++i) {
      const int* row = got.data() + i * 8;
      const int first = i / 16 * 16, rank = i % 16;
      EXPECT(row[0] == values[first + 3], "thread %d", i);
      EXPECT(row[1] == values[rank >= 2 ? i - 2 : i], "thread %d", i);
      EXPECT(row[2] == values[rank + 5 < 16 ? i + 5 : i], "thread %d", i);
      EXPECT(row[3] == values[first + (rank ^ 7)], "thread %d", i);
      unsigned thirds = 0, same = 0;
      for (int k = 0; k < 16; ++k) {
        if (values[first + k] % 3 == 0) thirds |= 1u << k;
        if (values[first + k] % 4 == values[i] % 4) same |= 1u << k;
      }
      EXPECT(static_cast<unsigned>(row[4]) == thirds, "thread %d", i);
      EXPECT(row[5] == (thirds != 0) * 2 + 1, "thread %d", i);
      EXPECT(static_cast<unsigned>(row[6]) == same, "thread %d", i);
      EXPECT(row[7] == 1, "thread %d", i);
    }
  }
  {
    device_array<wide> out(64);
    wide_shuffle<<<1, 64>>>(out.data);
    const auto got = out.host();
    for (int i = 0; i < 64; ++i) {
      const int from = i % 32 == 31 ? 31 : i % 32 + 1;
      EXPECT(got[i].a == from * 0.5 && got[i].b == from && got[i].c == from * 3, "thread %d", i);
    }
  }
  {
    device_array<int> out(threads * 10);
    device_array<float> sums(threads);
    reductions<<<1, threads>>>(in.data, out.data, sums.data);
    const auto got = out.host();
    const auto floats = sums.host();
    for (int i = 0; i < threads; ++i) {
      const int first = i / 32 * 32;
      int sum = 0, low = values[first], high = low, all = ~0, some = 0, odd = 0;
      int before = 0, most = values[first], four = 0;
      for (int k = first; k < first + 32; ++k) {
        sum += values[k];
        low = values[k] < low ? values[k] : low;
        high = values[k] > high ? values[k] : high;
        all &= values[k];
        some |= values[k];
        odd ^= values[k];
        if (k < i) before += values[k];
        if (k <= i && values[k] > most) most = values[k];
        if (k / 4 == i / 4) four += values[k];
      }
      const int* row = got.data() + i * 10;
      EXPECT(row[0] == sum && row[1] == low && row[2] == high, "thread %d", i);
      EXPECT(row[3] == all && row[4] == some && row[5] == odd, "thread %d", i);
      EXPECT(row[6] == before + values[i] && row[7] == before && row[8] == most, "thread %d", i);
      EXPECT(row[9] == four && floats[i] == static_cast<float>(sum), "thread %d", i);
    }
  }
  {
    device_array<int> out(threads * 7);
    partitions<<<1, threads>>>(in.data, out.data);
    const auto got = out.host();
    for (int i = 0; i < threads; ++i) {
      const int first = i / 32 * 32;
      int mates = 0, rank = 0, sum = 0, labels = 0, side = 0, before = 0, last = 0;
      bool seen[5] = {};
      for (int k = first; k < first + 32; ++k) {
        if (!seen[values[k] % 5]) ++labels;
        seen[values[k] % 5] = true;
        if (values[k] % 5 == values[i] % 5) {
          ++mates;
          sum += values[k];
          if (k < i) ++rank;
        }
        if (values[k] % 2 == values[i] % 2) {
          ++side;
          last = values[k];
          if (k < i) before += values[k];
        }
      }
      const int* row = got.data() + i * 7;
      EXPECT(row[0] == mates && row[1] == rank && row[2] == labels && row[3] == sum, "thread %d", i);
      EXPECT(row[4] == side && row[5] == before && row[6] == last, "thread %d", i);
    }
  }
  {
    device_array<int> counter(1), places(threads);
    aggregated<<<3, 32>>>(in.data, counter.data, places.data);
    int count = 0;
    long sum = 0, got = 0;
    for (int value : values) {
      if (value % 3 == 0) {
        ++count;
        sum += value;
      }
    }
    EXPECT(counter.host()[0] == count);
    for (int place : places.host()) got += place;
    EXPECT(got == sum);
  }
  for (int count : {96, 93, 7}) {
    device_array<int> out(count);
    copies<<<1, 32, count * sizeof(int)>>>(in.data, out.data, count);
    const auto got = out.host();
    for (int i = 0; i < count; ++i) EXPECT(got[i] == values[count - 1 - i], "element %d", i);
  }
  {
    device_array<int> out(2);
    once<<<1, 32>>>(out.data);
    EXPECT(out.host()[0] == 4);
    EXPECT(out.host()[1] == 8 * (40 + 41 + 42 + 43));
  }
  std::printf("cooperative_groups: ok\n");
}
