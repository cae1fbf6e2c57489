// Functions by pointer on the device, arrays of pointers, recursion through a table.
#include <cstdio>
#include <cstdlib>
#include <cassert>
typedef float (*op_t)(float, float);
__device__ float add(float a, float b) { return a + b; }
__device__ float mul(float a, float b) { return a * b; }
__device__ float sub(float a, float b) { return a - b; }
__device__ op_t p_add = add;
__device__ op_t p_mul = &mul;
static __device__ op_t ops[3] = { add, mul, sub };
__constant__ op_t c_op;

__global__ void apply(const float *a, const float *b, float *c, int n, op_t f) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i >= n) return;
  c[i] = f(a[i], b[i]);
}
__global__ void each(float **rows, int w, int h) {
  int x = threadIdx.x, y = blockIdx.x;
  if (x < w && y < h) rows[y][x] = ops[(x + y) % 3](rows[y][x], c_op(x, y));
}
struct Node { int value; Node *next; };
__global__ void walk(Node *const *heads, int *sums, int n) {
  int i = threadIdx.x;
  if (i >= n) return;
  int sum = 0;
  for (const Node *at = heads[i]; at; at = at->next) sum += at->value;
  sums[i] = sum;
}
#define gpuErrchk(ans) { gpuAssert((ans), __FILE__, __LINE__); }
inline void gpuAssert(cudaError_t code, const char *file, int line, bool abort = true) {
  if (code != cudaSuccess) {
    fprintf(stderr, "GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line);
    if (abort) exit(code);
  }
}
int main(int argc, char *argv[]) {
  const int n = 100, w = 20, h = 5;
  float a[n], b[n], c[n];
  for (int i = 0; i < n; i++) { a[i] = i; b[i] = i % 7; }
  float *da, *db, *dc;
  gpuErrchk(cudaMalloc(&da, sizeof(a))); gpuErrchk(cudaMalloc(&db, sizeof(b))); gpuErrchk(cudaMalloc(&dc, sizeof(c)));
  gpuErrchk(cudaMemcpy(da, a, sizeof(a), cudaMemcpyHostToDevice));
  gpuErrchk(cudaMemcpy(db, b, sizeof(b), cudaMemcpyHostToDevice));
  op_t h_add, h_mul;
  gpuErrchk(cudaMemcpyFromSymbol(&h_add, p_add, sizeof(op_t)));
  gpuErrchk(cudaMemcpyFromSymbol(&h_mul, p_mul, sizeof(op_t), 0, cudaMemcpyDeviceToHost));
  gpuErrchk(cudaMemcpyToSymbol(c_op, &h_add, sizeof(op_t)));
  int bad = 0;
  apply<<<(n + 31) / 32, 32>>>(da, db, dc, n, h_mul);
  gpuErrchk(cudaPeekAtLastError());
  gpuErrchk(cudaMemcpy(c, dc, sizeof(c), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++) if (c[i] != a[i] * b[i] && !bad++) printf("element %d: expected %f, got %f\n", i, a[i] * b[i], c[i]);
  // Rows, each an allocation of its own.
  float *rows[h], **d_rows, row[w];
  gpuErrchk(cudaMalloc((void ***)&d_rows, h * sizeof(float *)));
  for (int y = 0; y < h; y++) {
    for (int x = 0; x < w; x++) row[x] = 2 * x + y;
    gpuErrchk(cudaMalloc((void **)&rows[y], w * sizeof(float)));
    gpuErrchk(cudaMemcpy(rows[y], row, sizeof row, cudaMemcpyHostToDevice));
  }
  gpuErrchk(cudaMemcpy(d_rows, rows, sizeof rows, cudaMemcpyHostToDevice));
  each<<<h, 32>>>(d_rows, w, h);
  for (int y = 0; y < h; y++) {
    gpuErrchk(cudaMemcpy(row, rows[y], sizeof row, cudaMemcpyDeviceToHost));
    for (int x = 0; x < w; x++) {
      float v = 2 * x + y, o = x + y, k = (x + y) % 3, want = k == 0 ? v + o : k == 1 ? v * o : v - o;
      if (row[x] != want && !bad++) printf("row %d, column %d: expected %f, got %f\n", y, x, want, row[x]);
    }
    gpuErrchk(cudaFree(rows[y]));
  }
  // Lists whose links are device addresses, made on the host.
  Node nodes[30], *d_nodes, *heads[3], **d_heads; int sums[3], *d_sums;
  gpuErrchk(cudaMalloc(&d_nodes, sizeof nodes));
  for (int i = 0; i < 30; i++) { nodes[i].value = i; nodes[i].next = i + 3 < 30 ? d_nodes + i + 3 : NULL; }
  for (int i = 0; i < 3; i++) heads[i] = d_nodes + i;
  gpuErrchk(cudaMalloc(&d_heads, sizeof heads)); gpuErrchk(cudaMalloc(&d_sums, sizeof sums));
  gpuErrchk(cudaMemcpy(d_nodes, nodes, sizeof nodes, cudaMemcpyHostToDevice));
  gpuErrchk(cudaMemcpy(d_heads, heads, sizeof heads, cudaMemcpyHostToDevice));
  walk<<<1, 32>>>(d_heads, d_sums, 3);
  gpuErrchk(cudaMemcpy(sums, d_sums, sizeof sums, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 3; i++) if (sums[i] != 135 + 10 * i && !bad++) printf("list %d: expected %d, got %d\n", i, 135 + 10 * i, sums[i]);
  gpuErrchk(cudaFree(da)); gpuErrchk(cudaFree(db)); gpuErrchk(cudaFree(dc)); gpuErrchk(cudaFree(d_rows));
  gpuErrchk(cudaFree(d_nodes)); gpuErrchk(cudaFree(d_heads)); gpuErrchk(cudaFree(d_sums));
  assert(argc >= 1 && argv);
  if (bad) return 1;
  printf("device_pointers: ok\n");
  return 0;
}
