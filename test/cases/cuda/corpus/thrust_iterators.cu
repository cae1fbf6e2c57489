// Thrust with counting, transform, permutation, zip and constant iterators, device lambdas, sort_by_key,
// stable_sort_by_key, reduce_by_key, gather, scatter, tabulate, and lower_bound: a histogram by sorting.
#include <thrust/binary_search.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/for_each.h>
#include <thrust/gather.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scatter.h>
#include <thrust/sort.h>
#include <thrust/tabulate.h>
#include <thrust/transform.h>
#include <thrust/tuple.h>
#include <algorithm>
#include <iostream>
#include <map>
#include <numeric>
#include <string>
#include <vector>

template <typename D, typename T>
void expect(const std::string& what, const D& device, const std::vector<T>& want) {
  std::vector<T> got(device.size());
  thrust::copy(device.begin(), device.end(), got.begin());
  if (got.size() != want.size()) throw what + ": expected " + std::to_string(want.size()) + " elements, got " + std::to_string(got.size());
  for (size_t i = 0; i < want.size(); ++i)
    if (!(got[i] == want[i])) throw what + " " + std::to_string(i) + ": expected " + std::to_string(want[i]) + ", got " + std::to_string(got[i]);
}

struct Mod {
  int m;
  __host__ __device__ int operator()(int v) const { return v * v % m; }
};

void run() {
  const int n = 2049, kinds = 37;
  std::vector<int> keys(n), order(n);
  for (int i = 0; i < n; ++i) keys[i] = i * i % kinds;
  std::iota(order.begin(), order.end(), 0);

  auto first = thrust::make_counting_iterator(0);
  thrust::device_vector<int> deviceKeys(n), deviceOrder(first, first + n);
  thrust::tabulate(deviceKeys.begin(), deviceKeys.end(), Mod{kinds});
  expect("tabulate", deviceKeys, keys);

  thrust::stable_sort_by_key(deviceKeys.begin(), deviceKeys.end(), deviceOrder.begin());
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return keys[a] < keys[b]; });
  expect("stable_sort_by_key", deviceOrder, order);

  // how many of each key, two ways
  std::map<int, int> counts;
  for (int k : keys) ++counts[k];
  std::vector<int> wantKeys, wantCounts;
  for (auto [k, c] : counts) wantKeys.push_back(k), wantCounts.push_back(c);
  thrust::device_vector<int> outKeys(kinds), outCounts(kinds);
  auto ends = thrust::reduce_by_key(deviceKeys.begin(), deviceKeys.end(), thrust::make_constant_iterator(1), outKeys.begin(), outCounts.begin());
  outKeys.resize(ends.first - outKeys.begin());
  outCounts.resize(ends.second - outCounts.begin());
  expect("keys of reduce_by_key", outKeys, wantKeys);
  expect("counts of reduce_by_key", outCounts, wantCounts);
  thrust::device_vector<int> bounds(kinds);
  thrust::lower_bound(deviceKeys.begin(), deviceKeys.end(), first, first + kinds, bounds.begin());
  std::vector<int> sorted = keys, wantBounds(kinds);
  std::sort(sorted.begin(), sorted.end());
  for (int k = 0; k < kinds; ++k) wantBounds[k] = std::lower_bound(sorted.begin(), sorted.end(), k) - sorted.begin();
  expect("lower_bound", bounds, wantBounds);

  // sums over iterators that hold nothing
  const auto squares = thrust::make_transform_iterator(first, [] __host__ __device__(int v) { return (long long)v * v; });
  const long long sum = thrust::reduce(squares, squares + n, 0LL);
  if (sum != (long long)(n - 1) * n * (2 * n - 1) / 6) throw std::string("sum of squares: got ") + std::to_string(sum);

  thrust::device_vector<int> values(keys.begin(), keys.end()), gathered(n), scattered(n, -1);
  const auto permuted = thrust::make_permutation_iterator(values.begin(), deviceOrder.begin());
  if (thrust::reduce(permuted, permuted + 100) != std::accumulate(sorted.begin(), sorted.begin() + 100, 0)) throw std::string("permutation");
  thrust::gather(deviceOrder.begin(), deviceOrder.end(), values.begin(), gathered.begin());
  expect("gather", gathered, sorted);
  thrust::scatter(gathered.begin(), gathered.end(), deviceOrder.begin(), scattered.begin());
  expect("scatter", scattered, keys);

  thrust::device_vector<float> a(n), b(n), c(n);
  thrust::transform(thrust::device, first, first + n, a.begin(), [] __device__(int i) { return i * 0.5f; });
  thrust::transform(first, first + n, b.begin(), [=] __device__(int i) { return float(n - i); });
  auto zipped = thrust::make_zip_iterator(thrust::make_tuple(a.begin(), b.begin(), c.begin()));
  thrust::for_each(zipped, zipped + n, [] __device__(thrust::tuple<float&, float&, float&> t) {
    thrust::get<2>(t) = thrust::get<0>(t) * 2 + thrust::get<1>(t);
  });
  float* raw = thrust::raw_pointer_cast(c.data());
  thrust::for_each_n(thrust::device, first, n, [raw] __device__(int i) { if (i % 3 == 0) raw[i] = -raw[i]; });
  std::vector<float> wantC(n);
  for (int i = 0; i < n; ++i) wantC[i] = (i % 3 == 0 ? -1.0f : 1.0f) * n;
  expect("zip", c, wantC);

  std::vector<double> doubleKeys(n);
  for (int i = 0; i < n; ++i) doubleKeys[i] = (i * 517 % n) * 0.25 - 100;  // all different
  thrust::device_vector<double> dk(doubleKeys.begin(), doubleKeys.end());
  thrust::device_vector<short> dv(n);
  thrust::transform(first, first + n, dv.begin(), [] __device__(int i) { return short(i); });
  thrust::sort_by_key(dk.begin(), dk.end(), dv.begin(), thrust::greater<double>());
  std::vector<short> wantShorts(n);
  std::iota(wantShorts.begin(), wantShorts.end(), 0);
  std::sort(wantShorts.begin(), wantShorts.end(), [&](short p, short q) { return doubleKeys[p] > doubleKeys[q]; });
  expect("sort_by_key", dv, wantShorts);
}

int main() {
  try {
    run();
  } catch (const std::string& difference) {
    std::cout << "thrust_iterators: " << difference << '\n';
    return 1;
  }
  std::cout << "thrust_iterators: ok\n";
}
