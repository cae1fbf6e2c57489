// Thrust's vectors, pointers, iterators, tuples and random numbers.
#include <cuda_runtime.h>
#include <thrust/complex.h>
#include <thrust/copy.h>
#include <thrust/device_free.h>
#include <thrust/device_malloc.h>
#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
#include <thrust/for_each.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/pair.h>
#include <thrust/random.h>
#include <thrust/reduce.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/system/cuda/execution_policy.h>
#include <thrust/system_error.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/tuple.h>
#include <thrust/universal_vector.h>
#include <thrust/version.h>

#include "expect.h"

struct square {
  __host__ __device__ int operator()(int a) const { return a * a; }
};
struct weighted {
  template <typename Tuple>
  __host__ __device__ void operator()(Tuple t) const {
    thrust::get<2>(t) = thrust::get<0>(t) + 10 * thrust::get<1>(t);
  }
};
struct dot {
  __host__ __device__ float operator()(const thrust::tuple<float, float>& t) const {
    return thrust::get<0>(t) * thrust::get<1>(t);
  }
};
struct point {
  float x, y;
};
struct norm2 {
  __host__ __device__ float operator()(const point& p) const { return p.x * p.x + p.y * p.y; }
};
// The classic estimate: each index has a generator of its own.
struct inside_circle {
  unsigned samples;
  __host__ __device__ float operator()(unsigned index) const {
    thrust::default_random_engine engine;
    engine.discard(2ull * samples * index);
    thrust::uniform_real_distribution<float> uniform(0, 1);
    unsigned hits = 0;
    for (unsigned i = 0; i < samples; ++i) {
      const float x = uniform(engine), y = uniform(engine);
      if (x * x + y * y < 1) ++hits;
    }
    return 4.0f * hits / samples;
  }
};

void test_vectors() {
  thrust::host_vector<int> h(4);
  for (int i = 0; i < 4; ++i) h[i] = 10 * i;
  thrust::device_vector<int> d = h;
  d.push_back(99);
  d[1] = 7;
  d[2] += 5;
  ++d[3];
  EXPECT(d.size() == 5 && d[0] == 0 && d[1] == 7 && d[2] == 25 && d[3] == 31 && d.back() == 99);
  const int first = d.front();
  EXPECT(first == 0 && !d.empty());
  d.insert(d.begin() + 1, 42);
  d.insert(d.end(), h.begin(), h.end());
  EXPECT(d.size() == 10 && d[1] == 42 && d[2] == 7 && d[6] == 0 && d[9] == 30);
  d.erase(d.begin());
  d.erase(d.begin() + 1, d.begin() + 5);
  EXPECT(d.size() == 5 && d[0] == 42 && d[1] == 0 && d[4] == 30);
  h = d;
  EXPECT(h == d && h[0] == 42);
  d.resize(8);
  EXPECT(d[7] == 0);
  d.resize(2);
  d.assign(3, 6);
  EXPECT(d.size() == 3 && d[2] == 6);
  thrust::device_vector<float> f(std::vector<int>{1, 2, 3});
  EXPECT(f[2] == 3.0f);
  thrust::device_vector<int> moved = std::move(d), other{4, 5};
  moved.swap(other);
  EXPECT(moved.size() == 2 && other.size() == 3 && moved[1] == 5);
  thrust::device_vector<point> points(3, point{1, 2});
  points[1] = point{3, 4};
  const point p = points[1];
  EXPECT(p.y == 4 && thrust::transform_reduce(points.begin(), points.end(), norm2(), 0.0f, thrust::plus<float>()) == 35);
  thrust::universal_vector<int> u(3);
  u[1] = 5;
  EXPECT(thrust::reduce(u.begin(), u.end()) == 5);
  moved.clear();
  moved.shrink_to_fit();
  EXPECT(moved.empty());
}

__global__ void twice(thrust::device_ptr<int> values, int count) {
  const int i = threadIdx.x;
  if (i < count) values[i] = values[i] * 2;
}

void test_pointers() {
  thrust::device_ptr<int> p = thrust::device_malloc<int>(10);
  thrust::sequence(p, p + 10, 1);
  twice<<<1, 32>>>(p, 10);
  CUDA_OK(cudaDeviceSynchronize());
  EXPECT(p[0] == 2 && *(p + 9) == 20 && (p + 9) - p == 9);
  int* raw = thrust::raw_pointer_cast(p);
  thrust::device_ptr<int> wrapped = thrust::device_pointer_cast(raw + 3);
  EXPECT(*wrapped == 8 && wrapped.get() == raw + 3 && wrapped > p);
  thrust::device_ptr<int> same(raw);
  EXPECT(thrust::reduce(same, same + 10) == 110 && thrust::reduce(thrust::device, raw, raw + 10) == 110);
  EXPECT(thrust::raw_pointer_cast(&p[2]) == raw + 2);
  thrust::device_free(p);
}

void test_iterators() {
  thrust::counting_iterator<int> from(10);
  EXPECT(thrust::reduce(from, from + 5) == 60);
  EXPECT(thrust::reduce(thrust::make_constant_iterator(3), thrust::make_constant_iterator(3) + 7) == 21);
  thrust::device_vector<int> a(6), b(6), c(6);
  thrust::sequence(a.begin(), a.end());
  thrust::sequence(b.begin(), b.end(), 100);
  EXPECT(thrust::reduce(thrust::make_transform_iterator(a.begin(), square()),
                        thrust::make_transform_iterator(a.end(), square())) == 55);
  thrust::for_each(thrust::make_zip_iterator(thrust::make_tuple(a.begin(), b.begin(), c.begin())),
                   thrust::make_zip_iterator(thrust::make_tuple(a.end(), b.end(), c.end())), weighted());
  for (int i = 0; i < 6; ++i) EXPECT(c[i] == i + 10 * (100 + i), "item %d", i);
  thrust::device_vector<float> x(4, 1.5f), y(4, 2.0f);
  EXPECT(thrust::transform_reduce(thrust::make_zip_iterator(thrust::make_tuple(x.begin(), y.begin())),
                                  thrust::make_zip_iterator(thrust::make_tuple(x.end(), y.end())), dot(), 0.0f,
                                  thrust::plus<float>()) == 12);
  thrust::device_vector<int> map(3);
  map[0] = 5;
  map[1] = 1;
  map[2] = 3;
  auto permuted = thrust::make_permutation_iterator(a.begin(), map.begin());
  EXPECT(thrust::reduce(permuted, permuted + 3) == 9 && permuted[0] == 5);
  thrust::copy(thrust::make_reverse_iterator(a.end()), thrust::make_reverse_iterator(a.begin()), c.begin());
  EXPECT(c[0] == 5 && c[5] == 0);
  thrust::copy(a.rbegin(), a.rend(), c.begin());
  EXPECT(c[1] == 4);
  thrust::copy(a.begin(), a.end(), thrust::make_transform_output_iterator(c.begin(), square()));
  EXPECT(c[5] == 25);
  auto end = thrust::reduce_by_key(thrust::make_constant_iterator(1), thrust::make_constant_iterator(1) + 6, a.begin(),
                                   thrust::make_discard_iterator(), c.begin());
  EXPECT(end.second - c.begin() == 1 && c[0] == 15);

  // Pairs are sorted by key, then by value.
  thrust::device_vector<int> k(5), v(5);
  const int keys[] = {3, 1, 3, 0, 1}, values[] = {9, 8, 2, 5, 4};
  thrust::copy(keys, keys + 5, k.begin());
  thrust::copy(values, values + 5, v.begin());
  auto zipped = thrust::make_zip_iterator(thrust::make_tuple(k.begin(), v.begin()));
  thrust::sort(zipped, zipped + 5);
  const int sorted[] = {5, 4, 8, 2, 9};
  for (int i = 0; i < 5; ++i) EXPECT(v[i] == sorted[i], "item %d", i);
  const thrust::tuple<int, int> front = *zipped;
  EXPECT(thrust::get<0>(front) == 0 && thrust::get<1>(front) == 5);
}

void test_random() {
  thrust::minstd_rand engine;
  for (int i = 0; i < 9999; ++i) engine();
  EXPECT(engine() == 399268537u);  // the C++ standard's own check
  thrust::minstd_rand skipped;
  skipped.discard(9999);
  EXPECT(skipped() == 399268537u);
  thrust::counting_iterator<unsigned> first(0);
  const float pi = thrust::transform_reduce(thrust::device, first, first + 200, inside_circle{1000}, 0.0f,
                                            thrust::plus<float>()) / 200;
  EXPECT(std::fabs(pi - 3.14159f) < 0.02f, "%f", pi);
  thrust::uniform_int_distribution<int> dice(1, 6);
  thrust::normal_distribution<double> normal(5, 2);
  int counts[7] = {};
  double sum = 0, squares = 0;
  for (int i = 0; i < 60000; ++i) {
    const int face = dice(engine);
    EXPECT(face >= 1 && face <= 6);
    ++counts[face];
    const double value = normal(engine);
    sum += value;
    squares += value * value;
  }
  for (int face = 1; face <= 6; ++face) EXPECT(std::abs(counts[face] - 10000) < 500, "face %d", face);
  const double mean = sum / 60000, deviation = std::sqrt(squares / 60000 - mean * mean);
  EXPECT(std::fabs(mean - 5) < 0.05 && std::fabs(deviation - 2) < 0.05, "%f %f", mean, deviation);
}

int main() {
  test_vectors();
  test_pointers();
  test_iterators();
  test_random();
  thrust::complex<float> z(3, 4);
  EXPECT(thrust::abs(z) == 5 && thrust::norm(z * z) == 625 && (z + thrust::conj(z)).real() == 6);
  try {
    thrust::device_vector<char> huge(std::size_t(1) << 60);
    EXPECT(false, "an allocation of 2^60 bytes did not fail");
  } catch (const std::bad_alloc&) {
  }
  std::printf("thrust_vectors: ok\n");
}
