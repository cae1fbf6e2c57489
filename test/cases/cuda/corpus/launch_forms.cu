// All ways to launch: function pointers, cudaLaunchKernel with an array of arguments, cudaLaunchKernelEx, kernels in
// namespaces and as static members, launches in macros, templates, lambdas and conditional expressions, default
// arguments, and odd spacing in between.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#define GPU_CHECK(x) do { cudaError_t e__ = (x); if (e__ != cudaSuccess) { std::fprintf(stderr, "launch_forms.cu:%d: %s\n", __LINE__, cudaGetErrorString(e__)); std::exit(1); } } while (0)

#define LAUNCH(kernel, n, ...)                         \
  do {                                                 \
    const int threads_ = 64;                           \
    kernel<<<((n) + threads_ - 1) / threads_, threads_>>>(__VA_ARGS__); \
    GPU_CHECK(cudaGetLastError());                     \
  } while (0)

namespace outer {
namespace inner {
__global__ void add(int* data, int n, int value = 10, int factor = 1) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = data[i] * factor + value;
}
}  // namespace inner
template <typename T, typename Tag = void>
__global__ void set(T* data, int n, T value) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = value;
}
}  // namespace outer

namespace {
__global__ void hidden(int* data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] ^= 0xff;
}
}  // namespace

static __global__ void withStruct(int* data, int n, int2 by, const float scale) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += by.x - by.y + static_cast<int>(scale * i);
}

template <int A, bool Negative>
__global__ void constants(int* data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = Negative ? -A * i : A * i;
}

template <template <typename> class Op, typename T>
__global__ void transform(T* data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = Op<T>()(data[i]);
}
template <typename T> struct Triple { __device__ T operator()(T v) const { return v * 3; } };

template <typename T>
class Launcher {
 public:
  Launcher(T* data, int n) : data_(data), n_(n) {}
  void fill(T v) const { outer::set<T><<<blocks(), 32>>>(data_, n_, v); GPU_CHECK(cudaGetLastError()); }
  template <template <typename> class Op> void apply() const {
    transform<Op, T><<<blocks(), 32>>>(data_, n_);
    GPU_CHECK(cudaGetLastError());
  }

 private:
  int blocks() const { return (n_ + 31) / 32; }
  T* data_;
  int n_;
};

static int failures = 0;

int main() {
  const int n = 333;
  std::vector<int> got(n);
  int* d;
  GPU_CHECK(cudaMalloc(&d, n * sizeof(int)));
  auto expect = [&](const char* what, const std::function<int(int)>& want) {
    GPU_CHECK(cudaDeviceSynchronize());
    GPU_CHECK(cudaMemcpy(got.data(), d, n * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i)
      if (got[i] != want(i)) {
        std::printf("launch_forms: %s: element %d: expected %d, got %d\n", what, i, want(i), got[i]);
        ++failures;
        return;
      }
  };
  const dim3 grid((n + 63) / 64), block(64);

  outer::set<int><<<grid, block>>>(d, n, 5);
  GPU_CHECK(cudaGetLastError());
  outer::inner::add<<<grid, block>>>(d, n);  // both defaults
  GPU_CHECK(cudaGetLastError());
  expect("default arguments", [](int) { return 15; });
  ::outer::inner::add <<< grid , block , 0 , 0 >>> ( d , n , -1 );
  GPU_CHECK(cudaGetLastError());
  expect("one default argument", [](int) { return 14; });

  LAUNCH(hidden, n, d, n);
  LAUNCH((constants<7, (3 > 2)>), n, d, n);
  expect("template arguments in a macro", [](int i) { return -7 * i; });
  constants<1 << 2, false><<<n / 64 + 1, 1 << 6>>>(d, n);
  GPU_CHECK(cudaGetLastError());
  expect("shifts", [](int i) { return 4 * i; });

  // function pointers, one of them chosen at run time
  void (*pointer)(int*, int) = hidden;
  pointer<<<grid, block>>>(d, n);
  GPU_CHECK(cudaGetLastError());
  expect("a function pointer", [](int i) { return (4 * i) ^ 0xff; });
  using Kernel = void (*)(int*, int);
  const Kernel table[2] = {constants<2, true>, &constants<9, false>};
  for (int which = 0; which < 2; ++which) {
    table[which]<<<grid, block>>>(d, n);
    GPU_CHECK(cudaGetLastError());
    expect("a table of kernels", [&](int i) { return which ? 9 * i : -2 * i; });
  }
  (n > 5 ? table[0] : table[1])<<<grid, block>>>(d, n);
  GPU_CHECK(cudaGetLastError());
  expect("a conditional", [](int i) { return -2 * i; });

  int count = n;
  int2 by = {100, 1};
  float scale = 2.0f;
  void* arguments[] = {&d, &count, &by, &scale};
  GPU_CHECK(cudaLaunchKernel((const void*)withStruct, grid, block, arguments, 0, nullptr));
  by.x = -1000;  // arguments were copied
  expect("cudaLaunchKernel", [](int i) { return 99; });
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = block;
  GPU_CHECK(cudaLaunchKernelEx(&config, withStruct, d, n, make_int2(1, 0), 1.0f));
  expect("cudaLaunchKernelEx", [](int i) { return 100 + i; });

  const Launcher<int> launcher(d, n);
  launcher.fill(11);
  launcher.apply<Triple>();
  expect("members of a template", [](int) { return 33; });

  auto launch = [&](auto kernel, auto... rest) {
    kernel<<<grid, block>>>(d, n, rest...);
    return cudaGetLastError();
  };
  GPU_CHECK(launch(hidden));
  GPU_CHECK(launch(outer::inner::add, 1000, 2));
  expect("a generic lambda", [](int) { return (33 ^ 0xff) * 2 + 1000; });
  [&] { if (n) outer::set<int, std::integral_constant<int, (8 >> 1)>><<<grid, block>>>(d, n, -8); else hidden<<<1, 1>>>(d, 0); }();
  GPU_CHECK(cudaGetLastError());
  expect("branches without braces", [](int) { return -8; });

  cudaStream_t stream;
  GPU_CHECK(cudaStreamCreate(&stream));
  for (int i = 0; i < 3; ++i) outer::inner::add<<<dim3{6}, {64, 1, 1}, size_t(0), stream>>>(d, n, /* value */ i, 3 /* times */);
  GPU_CHECK(cudaGetLastError());
  GPU_CHECK(cudaStreamSynchronize(stream));
  GPU_CHECK(cudaStreamDestroy(stream));
  expect("a loop in a stream", [](int) { return ((-8 * 3 + 0) * 3 + 1) * 3 + 2; });

  GPU_CHECK(cudaFree(d));
  if (failures) return 1;
  std::printf("launch_forms: ok\n");
  return 0;
}
