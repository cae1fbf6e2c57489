#include <cmath>
#include <cuda_runtime.h>
#include "suite_common.h"
int main(int argc, char **argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 48;
  matrix_t *a = create_matrix(n, n, 1), *b = create_matrix(n, n, 2), *c = create_matrix(n, n, 3);
  double begin = dsecnd();
  run_on_device(a, b, c);
  int count = 0; cudaGetDeviceCount(&count);
  int bad = count < 1 || dsecnd() < begin;
  for (int i = 0; i < n && !bad; i++) for (int j = 0; j < n; j++) {
    float want = 0;
    for (int k = 0; k < n; k++) want -= a->data[i * n + k] * b->data[k * n + j];
    if (fabs(want - c->data[i * n + j]) > 1e-3) { printf("at %d, %d: expected %f, got %f\n", i, j, want, c->data[i * n + j]); bad = 1; break; }
  }
  free_matrix(a); free_matrix(b); free_matrix(c);
  if (bad) return 1;
  printf("layered: ok\n");
}
