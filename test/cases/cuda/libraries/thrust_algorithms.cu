// Thrust's algorithms on device memory, compared with the standard library on the host.
#include <cuda_runtime.h>
#include <thrust/adjacent_difference.h>
#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/equal.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/fill.h>
#include <thrust/find.h>
#include <thrust/for_each.h>
#include <thrust/functional.h>
#include <thrust/gather.h>
#include <thrust/generate.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/logical.h>
#include <thrust/merge.h>
#include <thrust/mismatch.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/replace.h>
#include <thrust/reverse.h>
#include <thrust/scan.h>
#include <thrust/scatter.h>
#include <thrust/sequence.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/swap.h>
#include <thrust/tabulate.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/transform_scan.h>
#include <thrust/unique.h>

#include <algorithm>
#include <numeric>

#include "expect.h"

struct is_even {
  __host__ __device__ bool operator()(int a) const { return a % 2 == 0; }
};
struct square {
  __host__ __device__ int operator()(int a) const { return a * a; }
};
struct saxpy {
  float a;
  __host__ __device__ float operator()(float x, float y) const { return a * x + y; }
};
struct add_to {
  int* sums;
  __device__ void operator()(int a) const { atomicAdd(sums + a % 4, a); }
};
struct last_digit_less {
  __host__ __device__ bool operator()(int a, int b) const { return a % 10 < b % 10; }
};

constexpr int count = 3000;

std::vector<int> numbers(int limit, int seed = 0) {
  std::vector<int> values(count);
  for (int i = 0; i < count; ++i) values[i] = static_cast<int>(scrambled(i + seed) % limit);
  return values;
}

template <typename Vector>
std::vector<int> host(const Vector& values) {
  std::vector<int> result(values.size());
  thrust::copy(values.begin(), values.end(), result.begin());
  return result;
}

void test_transform() {
  const auto a = numbers(100), b = numbers(100, 7);
  thrust::device_vector<int> x(a.begin(), a.end()), y(b.begin(), b.end()), z(count);
  thrust::transform(x.begin(), x.end(), z.begin(), square());
  auto got = host(z);
  for (int i = 0; i < count; ++i) EXPECT(got[i] == a[i] * a[i], "item %d", i);
  thrust::transform(thrust::device, x.begin(), x.end(), y.begin(), z.begin(), thrust::multiplies<int>());
  got = host(z);
  for (int i = 0; i < count; ++i) EXPECT(got[i] == a[i] * b[i], "item %d", i);
  using namespace thrust::placeholders;
  thrust::transform(x.begin(), x.end(), y.begin(), z.begin(), 2 * _1 + _2 - 3);
  got = host(z);
  for (int i = 0; i < count; ++i) EXPECT(got[i] == 2 * a[i] + b[i] - 3, "item %d", i);
  thrust::fill(z.begin(), z.end(), -1);
  thrust::transform_if(x.begin(), x.end(), z.begin(), square(), is_even());
  got = host(z);
  for (int i = 0; i < count; ++i) EXPECT(got[i] == (a[i] % 2 == 0 ? a[i] * a[i] : -1), "item %d", i);
  thrust::device_vector<float> fx(x.begin(), x.end()), fy(y.begin(), y.end());
  thrust::transform(fx.begin(), fx.end(), fy.begin(), fy.begin(), saxpy{2.5f});
  thrust::host_vector<float> hf = fy;
  for (int i = 0; i < count; ++i) EXPECT(hf[i] == 2.5f * a[i] + b[i], "item %d", i);
  thrust::adjacent_difference(x.begin(), x.end(), z.begin());
  std::vector<int> expected(count);
  std::adjacent_difference(a.begin(), a.end(), expected.begin());
  EXPECT(host(z) == expected);
  thrust::replace(x.begin(), x.end(), 5, 1000);
  expected = a;
  std::replace(expected.begin(), expected.end(), 5, 1000);
  EXPECT(host(x) == expected);

  thrust::device_vector<int> sums(4, 0);
  thrust::for_each(thrust::device, y.begin(), y.end(), add_to{thrust::raw_pointer_cast(sums.data())});
  int remainders[4] = {};
  for (int value : b) remainders[value % 4] += value;
  for (int i = 0; i < 4; ++i) EXPECT(sums[i] == remainders[i], "remainder %d", i);
}

void test_fill() {
  thrust::device_vector<int> x(10);
  thrust::sequence(x.begin(), x.end());
  EXPECT(host(x) == (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  thrust::sequence(thrust::device, x.begin(), x.end(), 5, 3);
  EXPECT(host(x) == (std::vector<int>{5, 8, 11, 14, 17, 20, 23, 26, 29, 32}));
  thrust::fill_n(x.begin(), 4, 7);
  thrust::reverse(x.begin(), x.end());
  EXPECT(host(x) == (std::vector<int>{32, 29, 26, 23, 20, 17, 7, 7, 7, 7}));
  thrust::tabulate(x.begin(), x.end(), square());
  EXPECT(host(x) == (std::vector<int>{0, 1, 4, 9, 16, 25, 36, 49, 64, 81}));
  thrust::device_vector<int> y(10, 3);
  thrust::swap_ranges(x.begin(), x.begin() + 3, y.begin());
  EXPECT(x[0] == 3 && x[2] == 3 && y[2] == 4);
  thrust::host_vector<int> h(5);
  int next = 0;
  thrust::generate(h.begin(), h.end(), [&] { return next += 2; });
  EXPECT(h[0] == 2 && h[4] == 10);

  std::vector<int> map = {3, 1, 4, 0, 2};
  thrust::device_vector<int> d_map(map.begin(), map.end()), out(5), back(5);
  thrust::gather(d_map.begin(), d_map.end(), x.begin(), out.begin());
  EXPECT(host(out) == (std::vector<int>{9, 3, 16, 3, 3}));
  thrust::scatter(out.begin(), out.end(), d_map.begin(), back.begin());
  EXPECT(host(back) == (std::vector<int>{3, 3, 3, 9, 16}));
}

void test_reduce() {
  const auto a = numbers(1000), b = numbers(50, 3);
  thrust::device_vector<int> x(a.begin(), a.end()), y(b.begin(), b.end());
  EXPECT(thrust::reduce(x.begin(), x.end()) == std::accumulate(a.begin(), a.end(), 0));
  EXPECT(thrust::reduce(x.begin(), x.end(), 5, thrust::plus<int>()) == std::accumulate(a.begin(), a.end(), 5));
  EXPECT(thrust::reduce(thrust::device, x.begin(), x.end(), -1, thrust::maximum<int>()) == *std::max_element(a.begin(), a.end()));
  EXPECT(thrust::transform_reduce(x.begin(), x.end(), square(), 0ll, thrust::plus<long long>()) ==
         std::inner_product(a.begin(), a.end(), a.begin(), 0ll));
  EXPECT(thrust::inner_product(x.begin(), x.end(), y.begin(), 0) == std::inner_product(a.begin(), a.end(), b.begin(), 0));
  EXPECT(thrust::count(y.begin(), y.end(), 7) == std::count(b.begin(), b.end(), 7));
  EXPECT(thrust::count_if(x.begin(), x.end(), is_even()) == std::count_if(a.begin(), a.end(), is_even()));
  EXPECT(thrust::max_element(x.begin(), x.end()) - x.begin() == std::max_element(a.begin(), a.end()) - a.begin());
  EXPECT(thrust::min_element(x.begin(), x.end()) - x.begin() == std::min_element(a.begin(), a.end()) - a.begin());
  EXPECT(*thrust::minmax_element(x.begin(), x.end()).second == *std::max_element(a.begin(), a.end()));
  EXPECT(thrust::find(y.begin(), y.end(), 31) - y.begin() == std::find(b.begin(), b.end(), 31) - b.begin());
  EXPECT(thrust::find(y.begin(), y.end(), 50) == y.end());
  EXPECT(thrust::all_of(y.begin(), y.end(), [] __host__ __device__(int v) { return v < 50; }));
  EXPECT(!thrust::none_of(y.begin(), y.end(), is_even()));
  EXPECT(!thrust::equal(x.begin(), x.end(), y.begin()) && thrust::equal(x.begin(), x.end(), x.begin()));
  y = x;
  y[1234] = -1;
  EXPECT(thrust::mismatch(x.begin(), x.end(), y.begin()).first - x.begin() == 1234);

  const int many = (1 << 24) + 4096;
  thrust::device_vector<float> ones(many, 1.0f);
  EXPECT(thrust::reduce(ones.begin(), ones.end(), 0.0f) == static_cast<float>(many));

  std::vector<int> keys(count);
  for (int i = 0; i < count; ++i) keys[i] = i / 9 % 4;
  thrust::device_vector<int> d_keys(keys.begin(), keys.end()), out_keys(count), out_values(count);
  const auto ends = thrust::reduce_by_key(d_keys.begin(), d_keys.end(), x.begin(), out_keys.begin(), out_values.begin());
  EXPECT(ends.first - out_keys.begin() == (count + 8) / 9 && ends.second - out_values.begin() == (count + 8) / 9);
  const auto sums = host(out_values);
  for (int run = 0; run < (count + 8) / 9; ++run) {
    int sum = 0;
    for (int i = run * 9; i < run * 9 + 9 && i < count; ++i) sum += a[i];
    EXPECT(sums[run] == sum, "run %d", run);
  }
}

void test_scan() {
  const auto a = numbers(100);
  thrust::device_vector<int> x(a.begin(), a.end()), out(count);
  std::vector<int> expected(count);
  thrust::inclusive_scan(x.begin(), x.end(), out.begin());
  std::partial_sum(a.begin(), a.end(), expected.begin());
  EXPECT(host(out) == expected);
  thrust::exclusive_scan(x.begin(), x.end(), out.begin(), 10);
  for (int i = 0, sum = 10; i < count; sum += a[i++]) expected[i] = sum;
  EXPECT(host(out) == expected);
  thrust::inclusive_scan(thrust::device, x.begin(), x.end(), out.begin(), thrust::maximum<int>());
  std::partial_sum(a.begin(), a.end(), expected.begin(), [](int p, int q) { return std::max(p, q); });
  EXPECT(host(out) == expected);
  thrust::transform_exclusive_scan(x.begin(), x.end(), out.begin(), square(), 1, thrust::plus<int>());
  for (int i = 0, sum = 1; i < count; ++i) {
    expected[i] = sum;
    sum += a[i] * a[i];
  }
  EXPECT(host(out) == expected);
  std::vector<int> keys(count);
  for (int i = 0; i < count; ++i) keys[i] = i / 13;
  thrust::device_vector<int> d_keys(keys.begin(), keys.end());
  thrust::inclusive_scan_by_key(d_keys.begin(), d_keys.end(), x.begin(), out.begin());
  for (int i = 0; i < count; ++i) expected[i] = i % 13 == 0 ? a[i] : expected[i - 1] + a[i];
  EXPECT(host(out) == expected);
  thrust::exclusive_scan(x.begin(), x.end(), x.begin());
  for (int i = 0, sum = 0; i < count; sum += a[i++]) expected[i] = sum;
  EXPECT(host(x) == expected);
}

void test_sort() {
  auto a = numbers(500);
  thrust::device_vector<int> x(a.begin(), a.end()), places(count);
  thrust::sequence(places.begin(), places.end());
  thrust::stable_sort_by_key(x.begin(), x.end(), places.begin(), last_digit_less());
  std::vector<int> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int i, int j) { return a[i] % 10 < a[j] % 10; });
  EXPECT(host(places) == order);
  thrust::sort(thrust::device, x.begin(), x.end(), thrust::greater<int>());
  auto sorted = a;
  std::sort(sorted.begin(), sorted.end(), std::greater<int>());
  EXPECT(host(x) == sorted);
  EXPECT(thrust::is_sorted(x.begin(), x.end(), thrust::greater<int>()) && !thrust::is_sorted(x.begin(), x.end()));
  thrust::sort(x.begin(), x.end());
  std::sort(sorted.begin(), sorted.end());
  EXPECT(host(x) == sorted);

  thrust::device_vector<int> needles(std::vector<int>{-1, 0, 77, 250, 499, 1000}), found(6);
  thrust::lower_bound(x.begin(), x.end(), needles.begin(), needles.end(), found.begin());
  for (int i = 0; i < 6; ++i) {
    const int needle = needles[i];
    EXPECT(found[i] == std::lower_bound(sorted.begin(), sorted.end(), needle) - sorted.begin(), "needle %d", i);
    EXPECT(thrust::upper_bound(x.begin(), x.end(), needle) - x.begin() ==
           std::upper_bound(sorted.begin(), sorted.end(), needle) - sorted.begin(), "needle %d", i);
    EXPECT(thrust::binary_search(x.begin(), x.end(), needle) ==
           std::binary_search(sorted.begin(), sorted.end(), needle), "needle %d", i);
  }

  auto b = numbers(500, 99);
  std::sort(b.begin(), b.end());
  thrust::device_vector<int> y(b.begin(), b.end()), merged(2 * count);
  thrust::merge(x.begin(), x.end(), y.begin(), y.end(), merged.begin());
  std::vector<int> expected(2 * count);
  std::merge(sorted.begin(), sorted.end(), b.begin(), b.end(), expected.begin());
  EXPECT(host(merged) == expected);
  const auto check_set = [&](auto end, auto expected_end) {
    merged.resize(end - merged.begin());
    expected.resize(expected_end - expected.begin());
    EXPECT(host(merged) == expected);
    merged.resize(2 * count);
    expected.resize(2 * count);
  };
  check_set(thrust::set_union(x.begin(), x.end(), y.begin(), y.end(), merged.begin()),
            std::set_union(sorted.begin(), sorted.end(), b.begin(), b.end(), expected.begin()));
  check_set(thrust::set_intersection(x.begin(), x.end(), y.begin(), y.end(), merged.begin()),
            std::set_intersection(sorted.begin(), sorted.end(), b.begin(), b.end(), expected.begin()));
  check_set(thrust::set_difference(x.begin(), x.end(), y.begin(), y.end(), merged.begin()),
            std::set_difference(sorted.begin(), sorted.end(), b.begin(), b.end(), expected.begin()));
  check_set(thrust::set_symmetric_difference(x.begin(), x.end(), y.begin(), y.end(), merged.begin()),
            std::set_symmetric_difference(sorted.begin(), sorted.end(), b.begin(), b.end(), expected.begin()));

  x.erase(thrust::unique(x.begin(), x.end()), x.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  EXPECT(host(x) == sorted);
}

void test_select() {
  const auto a = numbers(100);
  thrust::device_vector<int> x(a.begin(), a.end()), out(count);
  std::vector<int> even, odd;
  for (int value : a) (value % 2 == 0 ? even : odd).push_back(value);
  out.resize(thrust::copy_if(x.begin(), x.end(), out.begin(), is_even()) - out.begin());
  EXPECT(host(out) == even);
  thrust::device_vector<int> y = x;
  y.erase(thrust::remove_if(y.begin(), y.end(), is_even()), y.end());
  EXPECT(host(y) == odd);
  y = x;
  const auto middle = thrust::stable_partition(y.begin(), y.end(), is_even());
  EXPECT(middle - y.begin() == static_cast<long>(even.size()));
  std::vector<int> both(even);
  both.insert(both.end(), odd.begin(), odd.end());
  EXPECT(host(y) == both);
  y = x;
  const auto end = thrust::partition(y.begin(), y.end(), is_even());
  EXPECT(thrust::all_of(y.begin(), end, is_even()) && thrust::none_of(end, y.end(), is_even()));
}

// Each thread works on its row. A kernel has no memory of the host: nothing here may need it.
__global__ void rows_in_kernel(int* values, int* keys, int* places, int* parted, int* sums, int* sizes, int rows,
                               int columns) {
  const int row = threadIdx.x;
  if (row >= rows) return;
  const int begin = row * columns, end = begin + columns;
  thrust::sort(thrust::seq, values + begin, values + end);
  thrust::stable_sort_by_key(thrust::seq, keys + begin, keys + end, places + begin, last_digit_less());
  sizes[row] = static_cast<int>(thrust::stable_partition(thrust::seq, parted + begin, parted + end, is_even()) -
                                (parted + begin));
  thrust::inclusive_scan(thrust::seq, sums + begin, sums + end, sums + begin);
}

void test_in_kernel() {
  constexpr int rows = 30, columns = 100;
  auto a = numbers(1000);
  std::vector<int> places(count);
  std::iota(places.begin(), places.end(), 0);
  thrust::device_vector<int> x(a.begin(), a.end()), keys = x, parted = x, sums = x, d_places(places.begin(), places.end());
  thrust::device_vector<int> sizes(rows);
  rows_in_kernel<<<1, 32>>>(thrust::raw_pointer_cast(x.data()), thrust::raw_pointer_cast(keys.data()),
                            thrust::raw_pointer_cast(d_places.data()), thrust::raw_pointer_cast(parted.data()),
                            thrust::raw_pointer_cast(sums.data()), thrust::raw_pointer_cast(sizes.data()), rows,
                            columns);
  CUDA_OK(cudaDeviceSynchronize());
  auto sorted = a, parts = a, scanned = a;
  for (int row = 0; row < rows; ++row) {
    const int begin = row * columns, end = begin + columns;
    std::sort(sorted.begin() + begin, sorted.begin() + end);
    std::stable_sort(places.begin() + begin, places.begin() + end,
                     [&](int i, int j) { return a[i] % 10 < a[j] % 10; });
    const auto middle = std::stable_partition(parts.begin() + begin, parts.begin() + end, is_even());
    EXPECT(sizes[row] == middle - parts.begin() - begin, "row %d", row);
    std::partial_sum(a.begin() + begin, a.begin() + end, scanned.begin() + begin);
  }
  EXPECT(host(x) == sorted && host(d_places) == places && host(parted) == parts && host(sums) == scanned);
}

void test_streams() {
  cudaStream_t stream;
  CUDA_OK(cudaStreamCreate(&stream));
  thrust::device_vector<int> x(100, 2);
  thrust::transform(thrust::cuda::par.on(stream), x.begin(), x.end(), x.begin(), square());
  EXPECT(thrust::reduce(thrust::cuda::par_nosync.on(stream), x.begin(), x.end()) == 400);
  CUDA_OK(cudaStreamDestroy(stream));
}

int main() {
  test_transform();
  test_fill();
  test_reduce();
  test_scan();
  test_sort();
  test_select();
  test_in_kernel();
  test_streams();
  std::printf("thrust_algorithms: ok\n");
}
