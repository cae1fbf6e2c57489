// The other end: C++17, if constexpr, lambdas on the device, managed memory, prefetching, occupancy, streams in loops, events, chrono.
#include <array>
#include <chrono>
#include <functional>
#include <iostream>
#include <memory>
#include <numeric>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>
#include <cuda_runtime.h>
using namespace std::chrono_literals;
inline void check(cudaError_t status, std::string_view what, int line) {
  if (status != cudaSuccess) { std::cerr << what << ':' << line << ' ' << cudaGetErrorString(status) << '\n'; std::exit(3); }
}
#define CK(...) check((__VA_ARGS__), #__VA_ARGS__, __LINE__)
template <typename T> struct DeviceDeleter { void operator()(T *p) const { CK(cudaFree(p)); } };
template <typename T> using device_ptr = std::unique_ptr<T[], DeviceDeleter<T>>;
template <typename T> device_ptr<T> make_device(std::size_t n) { T *p{}; CK(cudaMalloc(&p, n * sizeof(T))); return device_ptr<T>{p}; }
template <typename F> __global__ void forEach(std::size_t n, F f) {
  for (auto i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += std::size_t{blockDim.x} * gridDim.x) f(i);
}
enum class Op { add, scale };
template <Op op, class T, int... Is> __global__ void transform(T *p, int n, T by, std::integer_sequence<int, Is...>) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if constexpr (op == Op::add) p[i] += by; else p[i] *= by;
  if constexpr (std::is_floating_point_v<T>) p[i] += (T(Is) + ... + T(0));
}
template <class T> __device__ constexpr T poly(T x) { return x * x - x + T{1}; }
struct Stepper {
  int n; int *data;
  void run(int by) const {
    auto d = data; auto kernel = [=] __device__(std::size_t i) { d[i] += by + static_cast<int>(i); };
    forEach<<<4, 64>>>(n, kernel);
  }
};
int main() {
  constexpr int n = 1'000, streams = 4;
  int bad = 0;
  int block = 0, grid = 0;
  CK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, transform<Op::add, float, 1, 2>, 0, 0));
  int per = 0; CK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per, transform<Op::scale, int>, 128, 0));
  if (block < 32 || grid < 1 || per < 1) ++bad;
  int *managed; CK(cudaMallocManaged(&managed, n * sizeof *managed));
  std::iota(managed, managed + n, 0);
  CK(cudaMemAdvise(managed, n * sizeof(int), cudaMemAdviseSetReadMostly, 0));
  CK(cudaMemPrefetchAsync(managed, n * sizeof(int), 0));
  Stepper{n, managed}.run(5);
  CK(cudaMemPrefetchAsync(managed, n * sizeof(int), cudaCpuDeviceId));
  CK(cudaDeviceSynchronize());
  for (int i = 0; i < n; ++i) if (managed[i] != 2 * i + 5 && !bad++) std::cout << "managed " << i << ": " << managed[i] << '\n';
  std::array<cudaStream_t, streams> s; cudaEvent_t start, stop;
  CK(cudaEventCreate(&start)); CK(cudaEventCreate(&stop));
  for (auto &one : s) CK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
  float *host; CK(cudaMallocHost(&host, n * sizeof(float)));
  for (int i = 0; i < n; ++i) host[i] = i;
  auto device = make_device<float>(n);
  const auto t0 = std::chrono::high_resolution_clock::now();
  CK(cudaEventRecord(start, s[0]));
  const int part = n / streams;
  for (int k = 0; k < streams; ++k) {
    float *at = device.get() + k * part;
    CK(cudaMemcpyAsync(at, host + k * part, part * sizeof(float), cudaMemcpyHostToDevice, s[k]));
    for (int round = 0; round < 2; ++round) transform<Op::add><<<(part + 127) / 128, 128, 0, s[k]>>>(at, part, 1.5f, std::integer_sequence<int, 1, 2>{});
    transform<Op::scale, float><<<dim3(2u), 128u, 0, s[k]>>>(at, part, 2.f, std::make_integer_sequence<int, 3>());
    CK(cudaMemcpyAsync(host + k * part, at, part * sizeof(float), cudaMemcpyDeviceToHost, s[k]));
  }
  for (auto one : s) CK(cudaStreamSynchronize(one));
  CK(cudaEventRecord(stop, s[0])); CK(cudaEventSynchronize(stop));
  float ms = -1; CK(cudaEventElapsedTime(&ms, start, stop));
  if (ms < 0 || std::chrono::duration<double>(std::chrono::high_resolution_clock::now() - t0) < 0s) ++bad;
  for (int i = 0; i < n; ++i) if (host[i] != (i + 9.f) * 2 + 3 && !bad++) std::cout << "stream " << i << ": expected " << (i + 9.f) * 2 + 3 << ", got " << host[i] << '\n';
  auto *p = managed;
  forEach<<<2, 32>>>(n, [p] __device__(auto i) { p[i] = poly(static_cast<int>(i)); });
  CK(cudaGetLastError()); CK(cudaDeviceSynchronize());
  for (int i = 0; i < n; ++i) if (managed[i] != i * i - i + 1 && !bad++) std::cout << "poly " << i << '\n';
  for (auto one : s) CK(cudaStreamDestroy(one));
  CK(cudaEventDestroy(start)); CK(cudaEventDestroy(stop)); CK(cudaFreeHost(host)); CK(cudaFree(managed));
  if (bad) return 1;
  std::cout << "modern_streams: ok" << std::endl;
}
