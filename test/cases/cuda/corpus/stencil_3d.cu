// Seven-point stencil: a block marches along z with a plane in shared memory and its neighbours in registers.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define DIMX 12
#define DIMY 6

template <typename real>
__global__ void laplace(const real *in, real *out, int nx, int ny, int nz)
{
  __shared__ real plane[DIMY + 2][DIMX + 2];

  const int x = blockIdx.x * DIMX + threadIdx.x + 1;
  const int y = blockIdx.y * DIMY + threadIdx.y + 1;
  const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  const size_t stride = (size_t)nx * ny;
  const bool active = x < nx - 1 && y < ny - 1;
  size_t at = (size_t)y * nx + x;

  real behind = 0, current = 0, ahead = 0;
  if (active) {
    current = in[at];
    ahead = in[at + stride];
  }
  for (int z = 1; z < nz - 1; ++z) {
    behind = current;
    current = ahead;
    at += stride;
    if (active) ahead = in[at + stride];

    __syncthreads();  // the plane before was read by all
    if (active) {
      plane[ty][tx] = current;
      if (tx == 1) plane[ty][0] = in[at - 1];
      if (tx == DIMX || x == nx - 2) plane[ty][tx + 1] = in[at + 1];
      if (ty == 1) plane[0][tx] = in[at - nx];
      if (ty == DIMY || y == ny - 2) plane[ty + 1][tx] = in[at + nx];
    }
    __syncthreads();
    if (active)
      out[at] = plane[ty][tx - 1] + plane[ty][tx + 1] + plane[ty - 1][tx] + plane[ty + 1][tx] + behind + ahead - 6 * current;
  }
}

static void expectSuccess(cudaError_t status, const char *call)
{
  if (status == cudaSuccess) return;
  fprintf(stderr, "%s: %s\n", call, cudaGetErrorName(status));
  exit(1);
}
#define CALL(f, ...) expectSuccess(f(__VA_ARGS__), #f)

int main()
{
  const int nx = 31, ny = 21, nz = 9, n = nx * ny * nz;
  std::vector<double> in(n), out(n);
  for (int i = 0; i < n; ++i) in[i] = (i * 101 % 257) * 0.5;  // exact

  double *a, *b;
  CALL(cudaMalloc, (void **)&a, n * sizeof(double));
  CALL(cudaMalloc, (void **)&b, n * sizeof(double));
  CALL(cudaMemcpy, a, in.data(), n * sizeof(double), cudaMemcpyHostToDevice);
  CALL(cudaMemcpy, b, a, n * sizeof(double), cudaMemcpyDeviceToDevice);

  dim3 block(DIMX, DIMY), grid((nx - 2 + DIMX - 1) / DIMX, (ny - 2 + DIMY - 1) / DIMY);
  laplace<double><<<grid, block>>>(a, b, nx, ny, nz);
  CALL(cudaGetLastError);
  CALL(cudaMemcpy, out.data(), b, n * sizeof(double), cudaMemcpyDeviceToHost);
  CALL(cudaFree, a);
  CALL(cudaFree, b);

  for (int z = 0; z < nz; ++z)
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x) {
        int i = (z * ny + y) * nx + x;
        double want = in[i];  // faces keep what they had
        if (x > 0 && y > 0 && z > 0 && x < nx - 1 && y < ny - 1 && z < nz - 1)
          want = in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + in[i - nx * ny] + in[i + nx * ny] - 6 * in[i];
        if (!(out[i] == want)) {
          printf("stencil_3d: element %d (%d, %d, %d): expected %g, got %g\n", i, x, y, z, want, out[i]);
          return 1;
        }
      }
  printf("stencil_3d: ok\n");
  return 0;
}
