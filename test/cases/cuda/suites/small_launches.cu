// Many small launches, as a solver's host loop makes them: elimination by columns, and a flag that stops a loop.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
__global__ void Fan1(double *m, double *a, int size, int t) { int i = threadIdx.x + blockIdx.x * blockDim.x; if (i >= size - 1 - t) return; *(m + size * (i + t + 1) + t) = *(a + size * (i + t + 1) + t) / *(a + size * t + t); }
__global__ void Fan2(double *m, double *a, double *b, int size, int j1, int t) {
  if (threadIdx.x + blockIdx.x * blockDim.x >= size - 1 - t) return;
  if (threadIdx.y + blockIdx.y * blockDim.y >= size - t) return;
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  a[size * (x + 1 + t) + (y + t)] -= m[size * (x + 1 + t) + t] * a[size * t + (y + t)];
  if (y == 0) b[x + 1 + t] -= m[size * (x + 1 + t) + (y + t)] * b[t];
}
__global__ void relax(const double *in, double *out, int n, int *changed) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double v = i == 0 || i == n - 1 ? in[i] : floor((in[i - 1] + in[i + 1]) / 2);
  out[i] = v; if (v != in[i]) atomicExch(changed, 1);
}
int main() {
  const int n = 33; int bad = 0;
  std::vector<double> a(n * n), b(n), x(n), keep;
  for (int i = 0; i < n; i++) { b[i] = i % 5; for (int j = 0; j < n; j++) a[i * n + j] = i == j ? n + 2 : 10 * exp(-0.3 * abs(i - j)); }
  keep = a; double *da, *db, *dm;
  cudaMalloc(&da, n * n * 8); cudaMalloc(&dm, n * n * 8); cudaMalloc(&db, n * 8);
  cudaMemcpy(da, a.data(), n * n * 8, cudaMemcpyHostToDevice); cudaMemcpy(db, b.data(), n * 8, cudaMemcpyHostToDevice); cudaMemset(dm, 0, n * n * 8);
  dim3 block2(4, 4), grid2((n + 3) / 4, (n + 3) / 4);
  for (int t = 0; t < n - 1; t++) { Fan1<<<(n + 31) / 32, 32>>>(dm, da, n, t); Fan2<<<grid2, block2>>>(dm, da, db, n, n - t, t); }
  cudaMemcpy(a.data(), da, n * n * 8, cudaMemcpyDeviceToHost); cudaMemcpy(x.data(), db, n * 8, cudaMemcpyDeviceToHost);
  for (int i = n - 1; i >= 0; i--) { for (int j = i + 1; j < n; j++) x[i] -= a[i * n + j] * x[j]; x[i] /= a[i * n + i]; }
  for (int i = 0; i < n; i++) { double s = 0; for (int j = 0; j < n; j++) s += keep[i * n + j] * x[j]; if (fabs(s - b[i]) > 1e-9 && !bad++) printf("row %d: expected %f, got %f\n", i, b[i], s); }
  const int w = 64; double line[w], want[w], *d[2]; int *dc, changed = 1, rounds = 0, cpu = 0;
  for (int i = 0; i < w; i++) want[i] = line[i] = i * 7919 % 100;
  cudaMalloc(&d[0], sizeof line); cudaMalloc(&d[1], sizeof line); cudaMalloc(&dc, sizeof(int)); cudaMemcpy(d[0], line, sizeof line, cudaMemcpyHostToDevice);
  for (; changed && rounds < 300; rounds++) { cudaMemset(dc, 0, sizeof(int)); relax<<<1, w>>>(d[rounds & 1], d[1 - (rounds & 1)], w, dc); cudaMemcpy(&changed, dc, sizeof(int), cudaMemcpyDeviceToHost); }
  for (bool again = true; again && cpu < 300; cpu++) { again = false; double next[w]; for (int i = 0; i < w; i++) { next[i] = i == 0 || i == w - 1 ? want[i] : floor((want[i - 1] + want[i + 1]) / 2); again |= next[i] != want[i]; } for (int i = 0; i < w; i++) want[i] = next[i]; }
  cudaMemcpy(line, d[rounds & 1], sizeof line, cudaMemcpyDeviceToHost);
  if (cpu != rounds) printf("rounds: expected %d, got %d\n", cpu, rounds), bad++;
  for (int i = 0; i < w; i++) if (line[i] != want[i] && !bad++) printf("cell %d: expected %f, got %f\n", i, want[i], line[i]);
  cudaFree(da); cudaFree(db); cudaFree(dm); cudaFree(d[0]); cudaFree(d[1]); cudaFree(dc);
  if (bad) return 1;
  printf("small_launches: ok\n");
}
