// Thrust: host and device vectors, sequence, transform, reduce, sort, scans, counts, unique, copy_if, and a kernel that
// works on a vector's raw pointer.
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/extrema.h>
#include <thrust/fill.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

struct Saxpy {
  float a;
  __host__ __device__ float operator()(const float& x, const float& y) const { return a * x + y; }
};
struct IsEven { __host__ __device__ bool operator()(int v) const { return v % 2 == 0; } };
struct Square { __host__ __device__ long long operator()(int v) const { return (long long)v * v; } };

__global__ void addIndex(int* data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += i;
}

template <typename V, typename W>
bool same(const char* what, const V& device, const W& want) {
  thrust::host_vector<typename W::value_type> got(device.begin(), device.end());
  if (got.size() != want.size()) {
    std::printf("thrust_basics: %s: expected %zu elements, got %zu\n", what, want.size(), got.size());
    return false;
  }
  for (size_t i = 0; i < got.size(); ++i)
    if (!(got[i] == want[i])) {
      std::printf("thrust_basics: %s %zu: expected %g, got %g\n", what, i, (double)want[i], (double)got[i]);
      return false;
    }
  return true;
}

template <typename T>
bool equal(const char* what, T got, T want) {
  if (got == want) return true;
  std::printf("thrust_basics: %s: expected %g, got %g\n", what, (double)want, (double)got);
  return false;
}

int main() {
  const int n = 3001;
  thrust::host_vector<int> h(n);
  for (int i = 0; i < n; ++i) h[i] = i * 7919 % 1009 - 300;
  std::vector<int> v(h.begin(), h.end());

  thrust::device_vector<int> d = h;
  addIndex<<<(n + 127) / 128, 128>>>(thrust::raw_pointer_cast(d.data()), (int)d.size());
  if (cudaError_t e = cudaGetLastError()) return std::printf("thrust_basics: %s\n", cudaGetErrorString(e)), 1;
  for (int i = 0; i < n; ++i) v[i] += i;
  if (!same("kernel", d, v)) return 1;

  if (!equal("sum", thrust::reduce(d.begin(), d.end()), std::accumulate(v.begin(), v.end(), 0)) ||
      !equal("maximum", thrust::reduce(d.begin(), d.end(), -1000000, thrust::maximum<int>()), *std::max_element(v.begin(), v.end())) ||
      !equal("squares", thrust::transform_reduce(d.begin(), d.end(), Square(), 0LL, thrust::plus<long long>()),
             std::accumulate(v.begin(), v.end(), 0LL, [](long long s, int x) { return s + (long long)x * x; })) ||
      !equal("even", (long)thrust::count_if(d.begin(), d.end(), IsEven()), (long)std::count_if(v.begin(), v.end(), IsEven())) ||
      !equal("position of the smallest", (long)(thrust::min_element(d.begin(), d.end()) - d.begin()),
             (long)(std::min_element(v.begin(), v.end()) - v.begin())))
    return 1;

  thrust::device_vector<int> scan(n);
  std::vector<int> want(n);
  thrust::exclusive_scan(d.begin(), d.end(), scan.begin(), 5);
  want[0] = 5;
  for (int i = 1; i < n; ++i) want[i] = want[i - 1] + v[i - 1];
  if (!same("exclusive scan", scan, want)) return 1;
  thrust::inclusive_scan(d.begin(), d.end(), scan.begin());
  std::partial_sum(v.begin(), v.end(), want.begin());
  if (!same("inclusive scan", scan, want)) return 1;
  thrust::inclusive_scan(d.begin(), d.end(), scan.begin(), thrust::maximum<int>());
  for (int i = 0; i < n; ++i) want[i] = i ? std::max(want[i - 1], v[i]) : v[0];
  if (!same("running maximum", scan, want)) return 1;

  thrust::device_vector<float> x(n), y(n, 0.5f);
  thrust::sequence(x.begin(), x.end(), 1.0f, 2.0f);
  thrust::transform(x.begin(), x.end(), y.begin(), y.begin(), Saxpy{4.0f});
  std::vector<float> wantY(n);
  for (int i = 0; i < n; ++i) wantY[i] = 4.0f * (1 + 2 * i) + 0.5f;
  if (!same("transform", y, wantY)) return 1;
  thrust::fill(x.begin() + 10, x.end() - 5, -2.0f);
  x[3] = 77.0f;
  std::vector<float> wantX(n, -2.0f);
  for (int i = 0; i < n; ++i) if (i < 10 || i >= n - 5) wantX[i] = i == 3 ? 77.0f : 1 + 2 * i;
  if (!same("fill", x, wantX)) return 1;

  thrust::device_vector<int> evens(n);
  evens.resize(thrust::copy_if(d.begin(), d.end(), evens.begin(), IsEven()) - evens.begin());
  std::vector<int> wantEvens;
  std::copy_if(v.begin(), v.end(), std::back_inserter(wantEvens), IsEven());
  if (!same("copy_if", evens, wantEvens)) return 1;

  thrust::sort(d.begin(), d.end());
  std::sort(v.begin(), v.end());
  if (!same("sort", d, v)) return 1;
  thrust::device_vector<int> down = d;
  thrust::sort(down.begin(), down.end(), thrust::greater<int>());
  if (!same("sort down", down, std::vector<int>(v.rbegin(), v.rend()))) return 1;
  d.erase(thrust::unique(d.begin(), d.end()), d.end());
  v.erase(std::unique(v.begin(), v.end()), v.end());
  if (!same("unique", d, v)) return 1;
  std::printf("thrust_basics: ok\n");
  return 0;
}
