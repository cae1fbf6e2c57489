// Launches in every place where one can stand. A comment with k<<<1, 2>>>(x); is none, nor is "k<<<1,1>>>()".
#include <cstdio>
#include <utility>
#include <vector>
#include <type_traits>
using namespace std;

#define CHECK(call) do { cudaError_t e_ = (call); if (e_ != cudaSuccess) { printf("%s\n", cudaGetErrorString(e_)); return 1; } } while (0)
#define LAUNCH(kernel, g, b, ...) kernel<<<g, b>>>(__VA_ARGS__)
#define LAUNCH_TYPED(name, type, n, ...) name##_##type<<<((n) + 63) / 64, 64>>>(__VA_ARGS__)
#define FOR_BOTH(op, n, p) \
  do {                     \
    op##_int<<<1, 32>>>    \
        (p, n);            \
    op##_int               \
    <<<                    \
      1, 32                \
    >>>(p, n);             \
  } while (0)

__global__ void add_int(int *p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] += 1; }
__global__ void sub_int(int *p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] -= 1; }

template <typename A, typename B> struct Pair { static constexpr int value = sizeof(A) + sizeof(B); };
template <typename P, int N> __global__ void add_size(int *p, int n) { int i = threadIdx.x; if (i < n) p[i] += P::value * N; }
template <int N> __global__ void addN(int *p, int n) { int i = threadIdx.x; if (i < n) p[i] += N; }

template <template <typename, typename> class C> __global__ void add_of(int *p, int n) { int i = threadIdx.x; if (i < n) p[i] += C<char, char>::value; }

namespace outer { namespace { __global__ void hidden(int *p, int n) { int i = threadIdx.x; if (i < n) p[i] += 5; } }
namespace inner { inline namespace v1 { template <class T> __global__ void deep(T *p, int n) { int i = threadIdx.x; if (i < n) p[i] += 7; } } }
inline void call(int *p, int n) { hidden<<<1, 32>>>(p, n); inner::deep<<<1, 32>>>(p, n); }
}

template <class T> class Solver {
 public:
  explicit Solver(int n) : n_(n) {}
  void step(T *p) const;
  static void once(T *p, int n);
  int n_;
};
template <class T> __global__ void solverKernel(T *p, int n, T by);
template <class T> void Solver<T>::step(T *p) const { solverKernel<T><<<dim3((n_ + 31) / 32), dim3(32)>>>(p, this->n_, T(3)); }
template <class T> void Solver<T>::once(T *p, int n) { ::solverKernel<<<1, n>>>(p, n, T{2}); }
template <class T> __global__ void solverKernel(T *p, int n, T by) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] += by; }

class Counter {
  int by;
 public:
  Counter(int b) : by(b) {}
  friend __global__ void friendly(int *p, int n, Counter c);
};
__global__ void friendly(int *p, int n, Counter c) { int i = threadIdx.x; if (i < n) p[i] += c.by; }

typedef void (*kernel_t)(int *, int);
static kernel_t table[] = {add_int, sub_int};
struct Ops { kernel_t up; void (*down)(int *, int); };

template <typename F> void apply(F *kernel, int *p, int n) { kernel<<<1, 32>>>(p, n); }
template <void (*K)(int *, int)> void applyK(int *p, int n) { K<<<1, 32>>>(p, n); }

int main() {
  const int n = 32;
  const int big = 1'000'000 / 1'000'000;
  int *p;
  CHECK(cudaMalloc(&p, n * sizeof(int)));
  CHECK(cudaMemset(p, 0, n * sizeof(int)));
  int want = 0;
  LAUNCH(add_int, 1, 32, p, n); want += 1;
  LAUNCH_TYPED(add, int, n, p, n); want += 1;
  FOR_BOTH(add, n, p); want += 2;
  add_size<Pair<int, Pair<int, int>>, 2><<<1, 32>>>(p, n); want += (4 + 1) * 2;
  add_size<Pair<int, pair<int, int> >, (8 >> 1)><<<1, 64 >> 1>>>(p, n); want += (4 + 8) * 4;
  addN<(3 > 2)><<<1, 32>>>(p, n); want += 1;
  addN<sizeof(Pair<int, int>)><<< 1 , (n > 16) ? 32 : 16 >>>(p, n); want += 1;
  add_of<Pair><<<1, n>>>(p, n); want += 2;
  outer::call(p, n); want += 12;
  Solver<int> s(n); s.step(p); Solver<int>::once(p, n); want += 5;
  friendly<<<1, n>>>(p, n, Counter(4)); want += 4;
  table[0]<<<1, 32>>>(p, n); table[1]<<<1, 32>>>(p, n);
  Ops ops = {add_int, sub_int}, *at = &ops;
  ops.up<<<1, 32>>>(p, n); at->down<<<1, 32>>>(p, n); (at->up)<<<1, 32>>>(p, n); want += 1;
  (*table[0])<<<1, 32>>>(p, n); want += 1;
  apply(add_int, p, n); applyK<add_int>(p, n); want += 2;
  for (int i = 0; i < 3; add_int<<<1, 32>>>(p, n), ++i) want += 1;
  want > 0 ? add_int<<<1, 32>>>(p, n) : sub_int<<<1, 32>>>(p, n); want += 1;
  if (want > 0) add_int<<<1, 32>>>(p, n); else sub_int<<<1, 32>>>(p, n);
  want += 1;
  auto go = [=](int times) { while (times--) add_int<<<big, 32>>>(p, n); };
  go(2); want += 2;
  add_int      // first the grid
      <<<      /* one block */ 1,
         32,   // and 32 threads: a "quote"
         0, 0  /* >>> */
      >>>      // then the arguments
      (p,      /* <<< */
       n);
  want += 1;
  switch (n) { case 32: add_int<<<1, dim3{32, 1, 1}>>>(p, n); want += 1; break; default: break; }
  const char *text = "add_int<<<1, 32>>>(p, n);";
  const char *raw = R"x(add_int<<<1, 32>>>(p, n);)x";
  if (text[7] != '<' || raw[7] != '<') return 1;
  vector<vector<int>> rows(2, vector<int>(n));
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(rows[0].data(), p, n * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i)
    if (rows[0][i] != want) { printf("element %d: expected %d, got %d\n", i, want, rows[0][i]); return 1; }
  CHECK(cudaFree(p));
  printf("launch_shapes: ok\n");
}
