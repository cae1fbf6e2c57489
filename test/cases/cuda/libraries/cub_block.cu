// Collectives of blocks and warps, in blocks of whole and of broken warps.
#include <cub/block/block_shuffle.cuh>
#include <cub/cub.cuh>

#include "expect.h"

struct larger {
  template <typename T>
  __host__ __device__ T operator()(const T& a, const T& b) const {
    return a < b ? b : a;
  }
};

struct running_prefix {
  int total;
  __device__ int operator()(int block_aggregate) {
    const int old = total;
    total += block_aggregate;
    return old;
  }
};

template <int Threads, cub::BlockReduceAlgorithm Algorithm>
__global__ void reduce_block(const int* in, int* out, int valid) {
  using Reduce = cub::BlockReduce<int, Threads, Algorithm>;
  __shared__ typename Reduce::TempStorage storage;
  const int value = in[blockIdx.x * Threads + threadIdx.x];
  const int sum = Reduce(storage).Sum(value);
  __syncthreads();
  const int most = Reduce(storage).Reduce(value, larger());
  __syncthreads();
  const int some = Reduce(storage).Sum(value, valid);
  __syncthreads();
  int two[2] = {value, 2 * value};
  const int both = Reduce(storage).Sum(two);
  if (threadIdx.x == 0) {
    out[blockIdx.x * 4] = sum;
    out[blockIdx.x * 4 + 1] = most;
    out[blockIdx.x * 4 + 2] = some;
    out[blockIdx.x * 4 + 3] = both;
  }
}

template <int Threads, cub::BlockReduceAlgorithm Algorithm>
void test_reduce(const std::vector<int>& values) {
  device_array<int> in(values), out(8);
  const int valid = Threads * 2 / 3;
  reduce_block<Threads, Algorithm><<<2, Threads>>>(in.data, out.data, valid);
  const auto got = out.host();
  for (int block = 0; block < 2; ++block) {
    int sum = 0, most = values[block * Threads], some = 0;
    for (int i = 0; i < Threads; ++i) {
      const int value = values[block * Threads + i];
      sum += value;
      most = value > most ? value : most;
      if (i < valid) some += value;
    }
    const int* row = got.data() + block * 4;
    EXPECT(row[0] == sum && row[1] == most && row[2] == some && row[3] == 3 * sum,
           "%d threads, block %d: %d %d %d %d", Threads, block, row[0], row[1], row[2], row[3]);
  }
}

template <int Threads, int Items>
__global__ void scan_block(const int* in, int* exclusive, int* inclusive, int* largest, int* prefixed,
                           int* total) {
  using Scan = cub::BlockScan<int, Threads>;
  __shared__ typename Scan::TempStorage storage;
  int items[Items], out[Items];
  const int first = threadIdx.x * Items;
  for (int i = 0; i < Items; ++i) items[i] = in[first + i];
  int aggregate;
  Scan(storage).ExclusiveSum(items, out, aggregate);
  for (int i = 0; i < Items; ++i) exclusive[first + i] = out[i];
  __syncthreads();
  Scan(storage).InclusiveSum(items, out);
  for (int i = 0; i < Items; ++i) inclusive[first + i] = out[i];
  __syncthreads();
  Scan(storage).ExclusiveScan(items, out, -5, larger());
  for (int i = 0; i < Items; ++i) largest[first + i] = out[i];
  running_prefix prefix{1000};
  for (int round = 0; round < 2; ++round) {
    __syncthreads();
    Scan(storage).ExclusiveSum(items, out, prefix);
    for (int i = 0; i < Items; ++i) prefixed[round * Threads * Items + first + i] = out[i];
  }
  if (threadIdx.x == 0) *total = aggregate;
}

template <int Threads, int Items>
void test_scan(const std::vector<int>& values) {
  constexpr int count = Threads * Items;
  device_array<int> in(values), a(count), b(count), c(count), d(2 * count), total(1);
  scan_block<Threads, Items><<<1, Threads>>>(in.data, a.data, b.data, c.data, d.data, total.data);
  const auto exclusive = a.host(), inclusive = b.host(), largest = c.host(), prefixed = d.host();
  int sum = 0, most = -5, all = 0;
  for (int i = 0; i < count; ++i) all += values[i];
  for (int i = 0; i < count; ++i) {
    EXPECT(exclusive[i] == sum && largest[i] == most, "%d of %d", i, count);
    EXPECT(prefixed[i] == 1000 + sum && prefixed[count + i] == 1000 + all + sum, "%d of %d", i, count);
    sum += values[i];
    most = values[i] > most ? values[i] : most;
    EXPECT(inclusive[i] == sum, "%d of %d", i, count);
  }
  EXPECT(total.host()[0] == all);
}

template <int Threads>
__global__ void scan_one(const int* in, int* out) {
  using Scan = cub::BlockScan<int, Threads, cub::BLOCK_SCAN_WARP_SCANS>;
  __shared__ typename Scan::TempStorage storage;
  int before, with;
  Scan(storage).ExclusiveSum(in[threadIdx.x], before);
  __syncthreads();
  Scan(storage).InclusiveScan(in[threadIdx.x], with, larger());
  out[threadIdx.x * 2] = before;
  out[threadIdx.x * 2 + 1] = with;
}

template <int Threads>
void test_scan_one(const std::vector<int>& values) {
  device_array<int> in(values), out(2 * Threads);
  scan_one<Threads><<<1, Threads>>>(in.data, out.data);
  const auto got = out.host();
  int sum = 0, most = values[0];
  for (int i = 0; i < Threads; ++i) {
    EXPECT(got[2 * i] == sum, "thread %d", i);
    sum += values[i];
    most = values[i] > most ? values[i] : most;
    EXPECT(got[2 * i + 1] == most, "thread %d", i);
  }
}

template <typename Key, int Threads, int Items, bool Descending>
__global__ void sort_block(Key* keys, int* values) {
  using Load = cub::BlockLoad<Key, Threads, Items, cub::BLOCK_LOAD_TRANSPOSE>;
  using LoadValues = cub::BlockLoad<int, Threads, Items, cub::BLOCK_LOAD_VECTORIZE>;
  using Sort = cub::BlockRadixSort<Key, Threads, Items, int>;
  using Store = cub::BlockStore<Key, Threads, Items, cub::BLOCK_STORE_WARP_TRANSPOSE>;
  __shared__ union {
    typename Load::TempStorage load;
    typename LoadValues::TempStorage load_values;
    typename Sort::TempStorage sort;
    typename Store::TempStorage store;
  } storage;
  Key mine[Items];
  int places[Items];
  Load(storage.load).Load(keys, mine);
  __syncthreads();
  LoadValues(storage.load_values).Load(values, places);
  __syncthreads();
  if (Descending) {
    Sort(storage.sort).SortDescending(mine, places);
  } else {
    Sort(storage.sort).Sort(mine, places);
  }
  __syncthreads();
  Store(storage.store).Store(keys, mine);
  cub::StoreDirectBlocked(threadIdx.x, values, places);
}

template <typename Key, int Threads, int Items, bool Descending>
void test_sort(Key (*make)(int)) {
  constexpr int count = Threads * Items;
  std::vector<Key> keys(count);
  std::vector<int> places(count);
  for (int i = 0; i < count; ++i) {
    keys[i] = make(i);
    places[i] = i;
  }
  device_array<Key> device_keys(keys);
  device_array<int> device_places(places);
  sort_block<Key, Threads, Items, Descending><<<1, Threads>>>(device_keys.data, device_places.data);
  const auto sorted = device_keys.host();
  const auto from = device_places.host();
  std::vector<bool> seen(count);
  for (int i = 0; i < count; ++i) {
    EXPECT(!seen[from[i]] && sorted[i] == keys[from[i]], "item %d", i);
    seen[from[i]] = true;
    if (i == 0) continue;
    const bool in_order = Descending ? !(sorted[i - 1] < sorted[i]) : !(sorted[i] < sorted[i - 1]);
    EXPECT(in_order, "item %d", i);
    EXPECT(sorted[i - 1] < sorted[i] || sorted[i] < sorted[i - 1] || from[i - 1] < from[i],
           "item %d is not stable", i);
  }
}

struct greater {
  __device__ bool operator()(int a, int b) const { return a > b; }
};

template <int Threads, int Items>
__global__ void merge_sort_block(int* keys, int* values, int valid) {
  using Sort = cub::BlockMergeSort<int, Threads, Items, int>;
  __shared__ typename Sort::TempStorage storage;
  int mine[Items], places[Items];
  for (int i = 0; i < Items; ++i) {
    const int at = threadIdx.x * Items + i;
    mine[i] = at < valid ? keys[at] : 0;
    places[i] = values[at];
  }
  Sort(storage).StableSort(mine, places, greater(), valid, -1000);
  for (int i = 0; i < Items; ++i) {
    keys[threadIdx.x * Items + i] = mine[i];
    values[threadIdx.x * Items + i] = places[i];
  }
}

template <int Threads, int Items>
void test_merge_sort(int valid) {
  constexpr int count = Threads * Items;
  std::vector<int> keys(count), places(count);
  for (int i = 0; i < count; ++i) {
    keys[i] = static_cast<int>(scrambled(i) % 50);
    places[i] = i;
  }
  device_array<int> a(keys), b(places);
  merge_sort_block<Threads, Items><<<1, Threads>>>(a.data, b.data, valid);
  const auto sorted = a.host(), from = b.host();
  for (int i = 0; i < count; ++i) {
    if (i >= valid) {
      EXPECT(sorted[i] == -1000, "item %d", i);
      continue;
    }
    EXPECT(from[i] < valid && sorted[i] == keys[from[i]], "item %d", i);
    if (i == 0) continue;
    EXPECT(sorted[i - 1] > sorted[i] || (sorted[i - 1] == sorted[i] && from[i - 1] < from[i]),
           "item %d", i);
  }
}

__global__ void warp_sort(int* keys) {
  using Sort = cub::WarpMergeSort<int, 4, 16>;
  __shared__ Sort::TempStorage storage[4];
  int mine[4];
  for (int i = 0; i < 4; ++i) mine[i] = keys[threadIdx.x * 4 + i];
  Sort(storage[threadIdx.x / 16]).Sort(mine, greater());
  for (int i = 0; i < 4; ++i) keys[threadIdx.x * 4 + i] = mine[i];
}

__global__ void warps(const int* in, int* out) {
  using Reduce = cub::WarpReduce<int, 16>;
  using Scan = cub::WarpScan<int>;
  __shared__ typename Reduce::TempStorage reduce[4];
  __shared__ typename Scan::TempStorage scan[2];
  const int t = threadIdx.x;
  const int value = in[t];
  int* row = out + t * 7;
  row[0] = Reduce(reduce[t / 16]).Sum(value);
  row[1] = Reduce(reduce[t / 16]).Reduce(value, larger());
  row[2] = Reduce(reduce[t / 16]).HeadSegmentedSum(value, t % 5 == 0);
  row[3] = Reduce(reduce[t / 16]).TailSegmentedSum(value, t % 5 == 4);
  int with, before, total;
  Scan(scan[t / 32]).InclusiveSum(value, with);
  Scan(scan[t / 32]).ExclusiveSum(value, before, total);
  row[4] = with;
  row[5] = before;
  row[6] = total;
}

template <int Threads>
__global__ void neighbours(const int* in, int* heads, int* tails, int* differences, int* shifted) {
  using Discontinuity = cub::BlockDiscontinuity<int, Threads>;
  using Difference = cub::BlockAdjacentDifference<int, Threads>;
  using Shuffle = cub::BlockShuffle<int, Threads>;
  __shared__ union {
    typename Discontinuity::TempStorage discontinuity;
    typename Difference::TempStorage difference;
    typename Shuffle::TempStorage shuffle;
  } storage;
  int items[2], first[2], last[2], left[2];
  for (int i = 0; i < 2; ++i) items[i] = in[threadIdx.x * 2 + i];
  const auto differ = [](int a, int b) { return a != b; };
  Discontinuity(storage.discontinuity).FlagHeadsAndTails(first, last, items, differ);
  __syncthreads();
  Difference(storage.difference).SubtractLeft(items, left, [](int a, int b) { return a - b; });
  __syncthreads();
  int rotated = 0;
  Shuffle(storage.shuffle).Rotate(items[0], rotated, 3);
  for (int i = 0; i < 2; ++i) {
    heads[threadIdx.x * 2 + i] = first[i];
    tails[threadIdx.x * 2 + i] = last[i];
    differences[threadIdx.x * 2 + i] = left[i];
  }
  shifted[threadIdx.x] = rotated;
}

template <int Threads>
__global__ void exchange_and_count(const int* in, int* out, int* bins) {
  using Exchange = cub::BlockExchange<int, Threads, 3>;
  using Histogram = cub::BlockHistogram<int, Threads, 3, 8, cub::BLOCK_HISTO_ATOMIC>;
  __shared__ typename Exchange::TempStorage exchange;
  __shared__ typename Histogram::TempStorage histogram;
  __shared__ int counts[8];
  int items[3];
  cub::LoadDirectBlocked(threadIdx.x, in, items);
  Exchange(exchange).BlockedToStriped(items, items);
  cub::StoreDirectBlocked(threadIdx.x, out, items);
  __syncthreads();
  Exchange(exchange).StripedToBlocked(items, items);
  for (int& item : items) item %= 8;
  Histogram(histogram).Histogram(items, counts);
  __syncthreads();
  if (threadIdx.x < 8) bins[threadIdx.x] = counts[threadIdx.x];
}

int main() {
  std::vector<int> values(2048);
  for (int i = 0; i < 2048; ++i) values[i] = static_cast<int>(scrambled(i) % 100) - 50;

  test_reduce<128, cub::BLOCK_REDUCE_WARP_REDUCTIONS>(values);
  test_reduce<128, cub::BLOCK_REDUCE_RAKING>(values);
  test_reduce<96, cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY>(values);
  test_reduce<50, cub::BLOCK_REDUCE_WARP_REDUCTIONS>(values);
  test_reduce<17, cub::BLOCK_REDUCE_WARP_REDUCTIONS>(values);
  test_scan<128, 4>(values);
  test_scan<70, 3>(values);
  test_scan<20, 2>(values);
  test_scan_one<128>(values);
  test_scan_one<77>(values);

  test_sort<unsigned, 64, 5, false>([](int i) { return scrambled(i) % 100; });
  test_sort<int, 64, 4, true>([](int i) { return static_cast<int>(scrambled(i) % 100) - 50; });
  test_sort<float, 32, 3, false>([](int i) { return scrambled(i) % 60 * 0.5f - 15; });
  test_sort<double, 32, 2, true>([](int i) { return scrambled(i) % 60 * 0.5 - 15; });
  test_sort<unsigned char, 32, 4, false>([](int i) { return (unsigned char)scrambled(i); });
  test_sort<long long, 32, 4, true>([](int i) { return (long long)scrambled(i) - (1ll << 31); });
  test_merge_sort<32, 4>(128);
  test_merge_sort<128, 3>(128 * 3);
  test_merge_sort<64, 3>(101);

  {
    std::vector<int> keys(256);
    for (int i = 0; i < 256; ++i) keys[i] = static_cast<int>(scrambled(i) % 1000);
    device_array<int> sorted(keys);
    warp_sort<<<1, 64>>>(sorted.data);
    const auto got = sorted.host();
    long sum = 0;
    for (int i = 0; i < 256; ++i) {
      EXPECT(i % 64 == 0 || got[i - 1] >= got[i], "item %d", i);
      sum += got[i] - keys[i];
    }
    EXPECT(sum == 0);
  }
  {
    device_array<int> in(values), out(64 * 7);
    warps<<<1, 64>>>(in.data, out.data);
    const auto got = out.host();
    for (int t = 0; t < 64; ++t) {
      const int first = t / 16 * 16, warp = t / 32 * 32;
      int sum = 0, most = values[first], before = 0, total = 0;
      for (int k = first; k < first + 16; ++k) {
        sum += values[k];
        most = values[k] > most ? values[k] : most;
      }
      for (int k = warp; k < warp + 32; ++k) {
        if (k < t) before += values[k];
        total += values[k];
      }
      int head = values[t], tail = 0;
      for (int k = t + 1; k < first + 16 && k % 5 != 0; ++k) head += values[k];
      for (int k = t; k < first + 16; ++k) {
        tail += values[k];
        if (k % 5 == 4) break;
      }
      const int* row = got.data() + t * 7;
      if (t % 16 == 0) EXPECT(row[0] == sum && row[1] == most, "thread %d", t);
      if (t % 16 == 0 || t % 5 == 0) EXPECT(row[2] == head && row[3] == tail, "thread %d", t);
      EXPECT(row[4] == before + values[t] && row[5] == before && row[6] == total, "thread %d", t);
    }
  }
  {
    constexpr int threads = 48, count = 96;
    std::vector<int> runs(count);
    for (int i = 0; i < count; ++i) runs[i] = i / 3 % 7;
    device_array<int> in(runs), heads(count), tails(count), differences(count), shifted(threads);
    neighbours<threads><<<1, threads>>>(in.data, heads.data, tails.data, differences.data, shifted.data);
    const auto h = heads.host(), t = tails.host(), d = differences.host(), s = shifted.host();
    for (int i = 0; i < count; ++i) {
      EXPECT(h[i] == (i == 0 || runs[i - 1] != runs[i]), "item %d", i);
      EXPECT(t[i] == (i == count - 1 || runs[i + 1] != runs[i]), "item %d", i);
      EXPECT(d[i] == (i == 0 ? runs[0] : runs[i] - runs[i - 1]), "item %d", i);
    }
    for (int i = 0; i < threads; ++i) EXPECT(s[i] == runs[(i + 3) % threads * 2], "thread %d", i);
  }
  {
    constexpr int threads = 40, count = 120;
    std::vector<int> numbers(count);
    for (int i = 0; i < count; ++i) numbers[i] = static_cast<int>(scrambled(i) % 1000);
    device_array<int> in(numbers), out(count), bins(8);
    exchange_and_count<threads><<<1, threads>>>(in.data, out.data, bins.data);
    const auto got = out.host(), counts = bins.host();
    int expected[8] = {};
    for (int i = 0; i < count; ++i) {
      ++expected[numbers[i] % 8];
      EXPECT(got[i] == numbers[i % 3 * threads + i / 3], "item %d", i);
    }
    for (int i = 0; i < 8; ++i) EXPECT(counts[i] == expected[i], "bin %d", i);
  }
  std::printf("cub_block: ok\n");
}
