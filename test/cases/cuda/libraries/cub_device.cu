// Device-wide algorithms with the two calls that CUB asks for.
#include <cub/cub.cuh>

#include <algorithm>
#include <cfloat>

#include "expect.h"

// Calls an algorithm for the size of its storage, then with the storage.
template <typename Call>
void two_calls(Call call) {
  void* storage = nullptr;
  std::size_t bytes = 0;
  CUDA_OK(call(storage, bytes));
  EXPECT(bytes > 0);
  CUDA_OK(cudaMalloc(&storage, bytes));
  CUDA_OK(call(storage, bytes));
  CUDA_OK(cudaDeviceSynchronize());
  CUDA_OK(cudaFree(storage));
}

struct add {
  template <typename T>
  __host__ __device__ T operator()(const T& a, const T& b) const {
    return a + b;
  }
};
struct larger {
  template <typename T>
  __host__ __device__ T operator()(const T& a, const T& b) const {
    return a < b ? b : a;
  }
};
struct is_even {
  __host__ __device__ bool operator()(int a) const { return a % 2 == 0; }
};
struct last_digit_less {
  __host__ __device__ bool operator()(int a, int b) const { return a % 10 < b % 10; }
};
struct square {
  __host__ __device__ int operator()(int a) const { return a * a; }
};

constexpr int count = 5000;

std::vector<int> numbers(int limit) {
  std::vector<int> values(count);
  for (int i = 0; i < count; ++i) values[i] = static_cast<int>(scrambled(i) % limit);
  return values;
}

void test_reduce() {
  const auto values = numbers(1000);
  device_array<int> in(values), out(4);
  two_calls([&](void* s, std::size_t& n) { return cub::DeviceReduce::Sum(s, n, in.data, out.data, count); });
  two_calls([&](void* s, std::size_t& n) { return cub::DeviceReduce::Min(s, n, in.data, out.data + 1, count); });
  two_calls([&](void* s, std::size_t& n) { return cub::DeviceReduce::Max(s, n, in.data, out.data + 2, count); });
  two_calls([&](void* s, std::size_t& n) {
    return cub::DeviceReduce::Reduce(s, n, in.data, out.data + 3, count, larger(), 123456);
  });
  const auto got = out.host();
  int sum = 0;
  for (int value : values) sum += value;
  EXPECT(got[0] == sum);
  EXPECT(got[1] == *std::min_element(values.begin(), values.end()));
  EXPECT(got[2] == *std::max_element(values.begin(), values.end()));
  EXPECT(got[3] == 123456);

  // A float that adds ones one by one ends at 2 to the 24.
  const int many = (1 << 24) + 1024;
  device_array<float> ones(std::vector<float>(many, 1.0f)), total(1);
  two_calls([&](void* s, std::size_t& n) { return cub::DeviceReduce::Sum(s, n, ones.data, total.data, many); });
  EXPECT(total.host()[0] == static_cast<float>(many), "%f", total.host()[0]);

  using pair = cub::KeyValuePair<int, int>;
  device_array<pair> best(2);
#if CUDART_VERSION < 13000
  two_calls([&](void* s, std::size_t& n) { return cub::DeviceReduce::ArgMin(s, n, in.data, best.data, count); });
  two_calls([&](void* s, std::size_t& n) { return cub::DeviceReduce::ArgMax(s, n, in.data, best.data + 1, count); });
  const auto low = std::min_element(values.begin(), values.end());
  const auto high = std::max_element(values.begin(), values.end());
  EXPECT(best.host()[0].key == low - values.begin() && best.host()[0].value == *low);
  EXPECT(best.host()[1].key == high - values.begin() && best.host()[1].value == *high);
#endif

  std::vector<int> keys(count);
  for (int i = 0; i < count; ++i) keys[i] = i / 7 % 3;
  device_array<int> device_keys(keys), unique(count), totals(count), runs(1);
  two_calls([&](void* s, std::size_t& n) {
    return cub::DeviceReduce::ReduceByKey(s, n, device_keys.data, unique.data, in.data, totals.data,
                                          runs.data, add(), count);
  });
  const auto u = unique.host(), t = totals.host();
  int run = 0;
  for (int first = 0; first < count; first += 7, ++run) {
    int expected = 0;
    for (int i = first; i < first + 7 && i < count; ++i) expected += values[i];
    EXPECT(u[run] == keys[first] && t[run] == expected, "run %d", run);
  }
  EXPECT(runs.host()[0] == run);

  std::vector<int> offsets = {0, 10, 10, 700, 3000, count};
  device_array<int> segments(offsets), sums(5), most(5);
  two_calls([&](void* s, std::size_t& n) {
    return cub::DeviceSegmentedReduce::Sum(s, n, in.data, sums.data, 5, segments.data, segments.data + 1);
  });
  two_calls([&](void* s, std::size_t& n) {
    return cub::DeviceSegmentedReduce::Reduce(s, n, in.data, most.data, 5, segments.data,
                                              segments.data + 1, larger(), -7);
  });
  for (int i = 0; i < 5; ++i) {
    int a = 0, b = -7;
    for (int k = offsets[i]; k < offsets[i + 1]; ++k) {
      a += values[k];
      b = std::max(b, values[k]);
    }
    EXPECT(sums.host()[i] == a && most.host()[i] == b, "segment %d", i);
  }
}

void test_scan() {
  const auto values = numbers(100);
  device_array<int> in(values), a(count), b(count), c(count), d(values);
  two_calls([&](void* s, std::size_t& n) { return cub::DeviceScan::ExclusiveSum(s, n, in.data, a.data, count); });
  two_calls([&](void* s, std::size_t& n) { return cub::DeviceScan::InclusiveSum(s, n, in.data, b.data, count); });
  two_calls([&](void* s, std::size_t& n) {
    return cub::DeviceScan::ExclusiveScan(s, n, in.data, c.data, larger(), 3, count);
  });
  two_calls([&](void* s, std::size_t& n) { return cub::DeviceScan::InclusiveScan(s, n, in.data, in.data, larger(), count); });
  two_calls([&](void* s, std::size_t& n) { return cub::DeviceScan::ExclusiveSum(s, n, d.data, d.data, count); });
  const auto ra = a.host(), rb = b.host(), rc = c.host(), rd = d.host(), most = in.host();
  int sum = 0, high = 3, largest = values[0];
  for (int i = 0; i < count; ++i) {
    EXPECT(ra[i] == sum && rd[i] == sum && rc[i] == high, "item %d", i);
    sum += values[i];
    high = std::max(high, values[i]);
    largest = std::max(largest, values[i]);
    EXPECT(rb[i] == sum && most[i] == largest, "item %d", i);
  }

  std::vector<int> keys(count);
  for (int i = 0; i < count; ++i) keys[i] = i / 11;
  device_array<int> device_keys(keys), values2(values), by_key(count), before(count);
  two_calls([&](void* s, std::size_t& n) {
    return cub::DeviceScan::InclusiveSumByKey(s, n, device_keys.data, values2.data, by_key.data, count);
  });
  two_calls([&](void* s, std::size_t& n) {
    return cub::DeviceScan::ExclusiveSumByKey(s, n, device_keys.data, values2.data, before.data, count);
  });
  const auto old = before.host(), now = by_key.host();
  for (int i = 0, running = 0; i < count; ++i) {
    if (i % 11 == 0) running = 0;
    EXPECT(old[i] == running, "item %d", i);
    running += values[i];
    EXPECT(now[i] == running, "item %d", i);
  }
}

void test_select() {
  const auto values = numbers(30);
  std::vector<char> flags(count);
  for (int i = 0; i < count; ++i) flags[i] = scrambled(i + 9) % 3 == 0;
  device_array<int> in(values), out(count), selected(1);
  device_array<char> device_flags(flags);

  two_calls([&](void* s, std::size_t& n) {
    return cub::DeviceSelect::If(s, n, in.data, out.data, selected.data, count, is_even());
  });
  std::vector<int> expected;
  for (int value : values) {
    if (value % 2 == 0) expected.push_back(value);
  }
  auto got = out.host();
  EXPECT(selected.host()[0] == static_cast<int>(expected.size()));
  EXPECT(std::equal(expected.begin(), expected.end(), got.begin()));

  two_calls([&](void* s, std::size_t& n) {
    return cub::DeviceSelect::Flagged(s, n, in.data, device_flags.data, out.data, selected.data, count);
  });
  expected.clear();
  for (int i = 0; i < count; ++i) {
    if (flags[i]) expected.push_back(values[i]);
  }
  got = out.host();
  EXPECT(selected.host()[0] == static_cast<int>(expected.size()));
  EXPECT(std::equal(expected.begin(), expected.end(), got.begin()));

  std::vector<int> runs(values);
  std::sort(runs.begin(), runs.end());
  device_array<int> sorted(runs), lengths(count);
  two_calls([&](void* s, std::size_t& n) {
    return cub::DeviceSelect::Unique(s, n, sorted.data, out.data, selected.data, count);
  });
  expected = runs;
  expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
  got = out.host();
  EXPECT(selected.host()[0] == static_cast<int>(expected.size()));
  EXPECT(std::equal(expected.begin(), expected.end(), got.begin()));

  two_calls([&](void* s, std::size_t& n) {
    return cub::DeviceRunLengthEncode::Encode(s, n, sorted.data, out.data, lengths.data, selected.data, count);
  });
  got = out.host();
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT(got[i] == expected[i]);
    EXPECT(lengths.host()[i] == std::count(runs.begin(), runs.end(), expected[i]), "run %d", (int)i);
  }

  two_calls([&](void* s, std::size_t& n) {
    return cub::DevicePartition::If(s, n, in.data, out.data, selected.data, count, is_even());
  });
  expected.clear();
  for (int value : values) {
    if (value % 2 == 0) expected.push_back(value);
  }
  EXPECT(selected.host()[0] == static_cast<int>(expected.size()));
  for (int i = count - 1; i >= 0; --i) {
    if (values[i] % 2 != 0) expected.push_back(values[i]);
  }
  EXPECT(out.host() == expected);
}

template <typename Key>
void test_radix_sort(Key (*make)(int), int begin_bit, int end_bit) {
  std::vector<Key> keys(count);
  std::vector<int> places(count);
  for (int i = 0; i < count; ++i) {
    keys[i] = make(i);
    places[i] = i;
  }
  const bool all_bits = begin_bit == 0 && end_bit == static_cast<int>(sizeof(Key) * 8);
  const auto part = [&](Key key) {
    return all_bits ? key : static_cast<Key>((static_cast<long long>(key) >> begin_bit) & ((1ll << (end_bit - begin_bit)) - 1));
  };
  device_array<Key> in(keys), out(count), spare(count);
  device_array<int> in_places(places), out_places(count), spare_places(count);
  for (bool descending : {false, true}) {
    std::vector<int> order(places);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
      return descending ? part(keys[b]) < part(keys[a]) : part(keys[a]) < part(keys[b]);
    });
    two_calls([&](void* s, std::size_t& n) {
      return descending ? cub::DeviceRadixSort::SortPairsDescending(s, n, in.data, out.data, in_places.data, out_places.data, count, begin_bit, end_bit)
                        : cub::DeviceRadixSort::SortPairs(s, n, in.data, out.data, in_places.data, out_places.data, count, begin_bit, end_bit);
    });
    auto sorted = out.host();
    EXPECT(out_places.host() == order);
    for (int i = 0; i < count; ++i) EXPECT(sorted[i] == keys[order[i]], "item %d", i);

    CUDA_OK(cudaMemcpy(spare.data, in.data, count * sizeof(Key), cudaMemcpyDeviceToDevice));
    cub::DoubleBuffer<Key> buffer(spare.data, out.data);
    two_calls([&](void* s, std::size_t& n) {
      return descending ? cub::DeviceRadixSort::SortKeysDescending(s, n, buffer, count, begin_bit, end_bit)
                        : cub::DeviceRadixSort::SortKeys(s, n, buffer, count, begin_bit, end_bit);
    });
    CUDA_OK(cudaMemcpy(sorted.data(), buffer.Current(), count * sizeof(Key), cudaMemcpyDeviceToHost));
    for (int i = 0; i < count; ++i) EXPECT(sorted[i] == keys[order[i]], "item %d", i);
  }
}

void test_other_sorts() {
  auto values = numbers(1000);
  std::vector<int> places(count);
  for (int i = 0; i < count; ++i) places[i] = i;
  device_array<int> keys(values), items(places);
  two_calls([&](void* s, std::size_t& n) {
    return cub::DeviceMergeSort::StableSortPairs(s, n, keys.data, items.data, count, last_digit_less());
  });
  std::vector<int> order(places);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return values[a] % 10 < values[b] % 10; });
  EXPECT(items.host() == order);
  const auto sorted = keys.host();
  for (int i = 0; i < count; ++i) EXPECT(sorted[i] == values[order[i]], "item %d", i);

  std::vector<int> offsets = {0, 100, 101, 101, 2500, count};
  device_array<int> in(values), out(count), segments(offsets);
  two_calls([&](void* s, std::size_t& n) {
    return cub::DeviceSegmentedRadixSort::SortKeysDescending(s, n, in.data, out.data, count, 5, segments.data, segments.data + 1);
  });
  std::vector<int> expected(values);
  for (int i = 0; i < 5; ++i) {
    std::sort(expected.begin() + offsets[i], expected.begin() + offsets[i + 1], [](int a, int b) { return a > b; });
  }
  EXPECT(out.host() == expected);
  two_calls([&](void* s, std::size_t& n) {
    return cub::DeviceSegmentedSort::SortKeys(s, n, in.data, out.data, count, 5, segments.data, segments.data + 1);
  });
  for (int i = 0; i < 5; ++i) std::sort(expected.begin() + offsets[i], expected.begin() + offsets[i + 1]);
  EXPECT(out.host() == expected);
}

void test_histogram() {
  std::vector<float> samples(count);
  for (int i = 0; i < count; ++i) samples[i] = scrambled(i) % 1200 * 0.01f - 1.0f;
  device_array<float> in(samples);
  device_array<int> even(8), ranges(3);
  two_calls([&](void* s, std::size_t& n) {
    return cub::DeviceHistogram::HistogramEven(s, n, in.data, even.data, 9, 0.0f, 8.0f, count);
  });
  device_array<float> levels(std::vector<float>{0.0f, 0.5f, 4.0f, 7.25f});
  two_calls([&](void* s, std::size_t& n) {
    return cub::DeviceHistogram::HistogramRange(s, n, in.data, ranges.data, 4, levels.data, count);
  });
  int a[8] = {}, b[3] = {};
  for (float sample : samples) {
    if (sample >= 0 && sample < 8) ++a[static_cast<int>(sample)];
    if (sample >= 0 && sample < 7.25f) ++b[sample < 0.5f ? 0 : sample < 4.0f ? 1 : 2];
  }
  for (int i = 0; i < 8; ++i) EXPECT(even.host()[i] == a[i], "bin %d", i);
  for (int i = 0; i < 3; ++i) EXPECT(ranges.host()[i] == b[i], "bin %d", i);

  std::vector<unsigned char> pixels(4 * 300);
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = (unsigned char)scrambled(i);
  device_array<unsigned char> image(pixels);
  device_array<int> red(256), green(256), blue(256);
  int* histograms[3] = {red.data, green.data, blue.data};
  int num_levels[3] = {257, 257, 257};
  int lower[3] = {0, 0, 0}, upper[3] = {256, 256, 256};
  two_calls([&](void* s, std::size_t& n) {
    return cub::DeviceHistogram::MultiHistogramEven<4, 3>(s, n, image.data, histograms, num_levels, lower, upper, 300);
  });
  int g[256] = {};
  for (int i = 0; i < 300; ++i) ++g[pixels[4 * i + 1]];
  for (int i = 0; i < 256; ++i) EXPECT(green.host()[i] == g[i], "bin %d", i);
}

#if CUDART_VERSION < 13000
// What CUB 3 leaves to libcu++ and Thrust.
void test_old_names() {
  const auto values = numbers(100);
  device_array<int> in(values), out(1);
  cub::TransformInputIterator<int, square, int*> squares(in.data, square());
  two_calls([&](void* s, std::size_t& n) { return cub::DeviceReduce::Reduce(s, n, squares, out.data, count, cub::Sum(), 0); });
  int sum = 0;
  for (int value : values) sum += value * value;
  EXPECT(out.host()[0] == sum);
  cub::CountingInputIterator<int> from_five(5);
  two_calls([&](void* s, std::size_t& n) { return cub::DeviceReduce::Sum(s, n, from_five, out.data, 10); });
  EXPECT(out.host()[0] == 95);
  cub::ConstantInputIterator<int> sevens(7);
  two_calls([&](void* s, std::size_t& n) { return cub::DeviceReduce::Max(s, n, sevens, out.data, 10); });
  EXPECT(out.host()[0] == 7);
  cub::CachingDeviceAllocator allocator(true);
  void* memory = nullptr;
  CUDA_OK(allocator.DeviceAllocate(&memory, 1000));
  CUDA_OK(allocator.DeviceFree(memory));
  EXPECT(CUB_MAX(2, 3) == 3 && CUB_MIN(2, 3) == 2 && cub::DivideAndRoundUp(7, 2) == 4);
}
#endif

int main() {
  test_reduce();
  test_scan();
  test_select();
  test_radix_sort<unsigned>([](int i) { return scrambled(i); }, 0, 32);
  test_radix_sort<unsigned>([](int i) { return scrambled(i); }, 5, 17);
  test_radix_sort<int>([](int i) { return static_cast<int>(scrambled(i)); }, 0, 32);
  test_radix_sort<float>([](int i) { return static_cast<float>(static_cast<int>(scrambled(i))) * 1e-3f; }, 0, 32);
  test_radix_sort<double>([](int i) { return static_cast<int>(scrambled(i)) * 1e-3; }, 0, 64);
  test_radix_sort<long long>([](int i) { return (long long)scrambled(i) * scrambled(i + 1) - (1ll << 40); }, 0, 64);
  test_radix_sort<unsigned char>([](int i) { return (unsigned char)scrambled(i); }, 0, 8);
  test_other_sorts();
  test_histogram();
#if CUDART_VERSION < 13000
  test_old_names();
#endif
  std::printf("cub_device: ok\n");
}
