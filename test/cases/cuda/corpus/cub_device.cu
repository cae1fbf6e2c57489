// CUB on the whole device, each call twice: once for the size of its temporary memory, once for the work.
#include <cub/cub.cuh>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

static void* temporary = nullptr;
static size_t temporaryBytes = 0;

static void stop(cudaError_t e, int line) {
  if (e == cudaSuccess) return;
  std::fprintf(stderr, "cub_device.cu:%d: %s\n", line, cudaGetErrorString(e));
  std::exit(1);
}
#define DO(call) stop((call), __LINE__)

#define CUB(function, ...)                                                  \
  do {                                                                      \
    size_t needed = 0;                                                      \
    DO(function(nullptr, needed, __VA_ARGS__));                             \
    if (needed > temporaryBytes) {                                          \
      DO(cudaFree(temporary));                                              \
      DO(cudaMalloc(&temporary, needed));                                   \
      temporaryBytes = needed;                                              \
    }                                                                       \
    DO(function(temporary, needed, __VA_ARGS__));                           \
  } while (0)

template <typename T>
T* device(const std::vector<T>& v) {
  T* p;
  DO(cudaMalloc(&p, v.size() * sizeof(T)));
  DO(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
  return p;
}

template <typename T>
int wrong(const char* what, const T* p, const std::vector<T>& want) {
  std::vector<T> got(want.size());
  DO(cudaMemcpy(got.data(), p, got.size() * sizeof(T), cudaMemcpyDeviceToHost));
  for (size_t i = 0; i < want.size(); ++i)
    if (!(got[i] == want[i])) {
      std::printf("cub_device: %s %zu: expected %g, got %g\n", what, i, (double)want[i], (double)got[i]);
      return 1;
    }
  return 0;
}

struct Product { template <typename T> __host__ __device__ T operator()(const T& a, const T& b) const { return a * b; } };
struct Small { __host__ __device__ bool operator()(int v) const { return v < 100; } };

int main() {
  const int n = 10007;
  std::vector<int> in(n);
  for (int i = 0; i < n; ++i) in[i] = int((i * 2654435761u) >> 22) - 200;
  int *dIn = device(in), *dOut = device(in), *dOne = device(std::vector<int>(1));

  CUB(cub::DeviceReduce::Sum, dIn, dOne, n);
  if (wrong("sum", dOne, {std::accumulate(in.begin(), in.end(), 0)})) return 1;
  CUB(cub::DeviceReduce::Max, dIn, dOne, n);
  if (wrong("maximum", dOne, {*std::max_element(in.begin(), in.end())})) return 1;
  std::vector<unsigned> odd(n);
  unsigned product = 1;
  for (int i = 0; i < n; ++i) product *= odd[i] = 2 * i + 1;
  unsigned *dOdd = device(odd), *dProduct = device(std::vector<unsigned>(1));
  CUB(cub::DeviceReduce::Reduce, dOdd, dProduct, n, Product(), 1u);
  if (wrong("product", dProduct, {product})) return 1;

  std::vector<int> want(n);
  CUB(cub::DeviceScan::ExclusiveSum, dIn, dOut, n);
  for (int i = 1; i < n; ++i) want[i] = want[i - 1] + in[i - 1];
  if (wrong("exclusive sum", dOut, want)) return 1;
  CUB(cub::DeviceScan::InclusiveSum, dIn, dOut, n);
  std::partial_sum(in.begin(), in.end(), want.begin());
  if (wrong("inclusive sum", dOut, want)) return 1;

  // keys in eleven bits only, values with them; then floats, negative ones too, downward
  std::vector<uint32_t> keys(n);
  std::vector<int> order(n);
  for (int i = 0; i < n; ++i) keys[i] = i * 40503u % 65521u;
  std::iota(order.begin(), order.end(), 0);
  uint32_t *dKeys = device(keys), *dKeysOut = device(keys);
  int* dOrder = device(order);
  CUB(cub::DeviceRadixSort::SortPairs, dKeys, dKeysOut, dOrder, dOut, n, 3, 14);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return (keys[a] >> 3 & 2047) < (keys[b] >> 3 & 2047); });
  std::vector<uint32_t> sorted(n);
  for (int i = 0; i < n; ++i) sorted[i] = keys[order[i]];
  if (wrong("sorted value", dOut, order) || wrong("sorted key", dKeysOut, sorted)) return 1;
  std::vector<float> floats(n);
  for (int i = 0; i < n; ++i) floats[i] = in[i] * 0.125f + 0.0625f;
  float *dFloats = device(floats), *dFloatsOut = device(floats);
  CUB(cub::DeviceRadixSort::SortKeysDescending, dFloats, dFloatsOut, n);
  std::sort(floats.rbegin(), floats.rend());
  if (wrong("sorted float", dFloatsOut, floats)) return 1;

  // what is kept, and runs of equal values
  CUB(cub::DeviceSelect::If, dIn, dOut, dOne, n, Small());
  std::vector<int> kept;
  std::copy_if(in.begin(), in.end(), std::back_inserter(kept), Small());
  if (wrong("number kept", dOne, {(int)kept.size()}) || wrong("kept", dOut, kept)) return 1;
  std::vector<int> runs(n), values, lengths;
  for (int i = 0; i < n; ++i) runs[i] = i * i / 30000;
  for (int i = 0; i < n; ++i) {
    if (i && runs[i] == runs[i - 1]) ++lengths.back();
    else values.push_back(runs[i]), lengths.push_back(1);
  }
  int *dRuns = device(runs), *dLengths = device(runs);
  CUB(cub::DeviceRunLengthEncode::Encode, dRuns, dOut, dLengths, dOne, n);
  if (wrong("runs", dOne, {(int)values.size()}) || wrong("value of run", dOut, values) || wrong("length of run", dLengths, lengths)) return 1;

  std::vector<int> histogram(20);
  int* dHistogram = device(histogram);
  CUB(cub::DeviceHistogram::HistogramEven, dIn, dHistogram, 21, -200, 800, n);
  for (int v : in) if (v >= -200 && v < 800) ++histogram[(v + 200) / 50];
  if (wrong("bin", dHistogram, histogram)) return 1;

  for (void* p : {(void*)dIn, (void*)dOut, (void*)dOne, (void*)dOdd, (void*)dProduct, (void*)dKeys, (void*)dKeysOut, (void*)dOrder,
                  (void*)dFloats, (void*)dFloatsOut, (void*)dRuns, (void*)dLengths, (void*)dHistogram, temporary})
    DO(cudaFree(p));
  std::printf("cub_device: ok\n");
  return 0;
}
