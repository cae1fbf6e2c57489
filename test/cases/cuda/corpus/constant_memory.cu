// Ray casting of spheres: the scene is a struct array in constant memory, with initialised constants next to it and
// a constant that only some translation of names reaches (a static member of a namespace, an array of structs).
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>

struct Sphere {
  float r, g, b;
  float radius;
  float x, y, z;
#define INF 2e10f
  __host__ __device__ float hit(float ox, float oy, float *n) const {
    float dx = ox - x;
    float dy = oy - y;
    if (dx * dx + dy * dy < radius * radius) {
      float dz = sqrtf(radius * radius - dx * dx - dy * dy);
      *n = dz / radius;
      return dz + z;
    }
    return -INF;
  }
};

constexpr int SPHERES = 15;
constexpr int DIM = 72;

__constant__ Sphere s[SPHERES];
__constant__ float ambient = 0.125f;

namespace palette {
__constant__ unsigned char levels[4] = {0, 85, 170, 255};
static __constant__ int shift = 6;
}  // namespace palette

__global__ void kernel(unsigned char *out, float *depth) {
  int x = threadIdx.x + blockIdx.x * blockDim.x;
  int y = threadIdx.y + blockIdx.y * blockDim.y;
  if (x >= DIM || y >= DIM) return;
  float ox = x - DIM / 2, oy = y - DIM / 2;
  float shade = 0, maxz = -INF;
  for (int i = 0; i < SPHERES; i++) {
    float n, t = s[i].hit(ox, oy, &n);
    if (t > maxz) {
      shade = s[i].g * n;
      maxz = t;
    }
  }
  float v = fminf(shade + ambient, 1.f) * 255.f;
  depth[y * DIM + x] = maxz;
  out[y * DIM + x] = palette::levels[(int)v >> palette::shift];
}

#define HANDLE_ERROR(e) do { if ((e) != cudaSuccess) { fprintf(stderr, "error in line %d\n", __LINE__); return 1; } } while (0)

int main() {
  Sphere scene[SPHERES];
  unsigned state = 5;
  auto rnd = [&](float x) { state = state * 1103515245u + 12345u; return x * ((state >> 16) & 0x7fff) / 32768.f; };
  for (auto &sphere : scene)
    sphere = {rnd(1), rnd(1), rnd(1), rnd(15) + 3, rnd(70) - 35, rnd(70) - 35, rnd(70) - 35};

  unsigned char *d_out;
  float *d_depth;
  HANDLE_ERROR(cudaMalloc((void **)&d_out, DIM * DIM));
  HANDLE_ERROR(cudaMalloc((void **)&d_depth, DIM * DIM * sizeof(float)));
  HANDLE_ERROR(cudaMemcpyToSymbol(s, scene, sizeof(Sphere) * SPHERES));
  static unsigned char out[DIM * DIM];
  static float depth[DIM * DIM];
  for (int round = 0; round < 2; round++) {
    float light = 0.125f;
    if (round == 1) {
      light = 0.5f;
      HANDLE_ERROR(cudaMemcpyToSymbol(ambient, &light, sizeof light));
      float back = 0;
      HANDLE_ERROR(cudaMemcpyFromSymbol(&back, ambient, sizeof back));
      if (back != light) {
        printf("constant_memory: ambient: expected %g, got %g\n", light, back);
        return 1;
      }
    }
    kernel<<<dim3((DIM + 15) / 16, (DIM + 7) / 8), dim3(16, 8)>>>(d_out, d_depth);
    HANDLE_ERROR(cudaGetLastError());
    HANDLE_ERROR(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    HANDLE_ERROR(cudaMemcpy(depth, d_depth, sizeof depth, cudaMemcpyDeviceToHost));

    const int levels[4] = {0, 85, 170, 255};
    int hits = 0, edge = 0;
    for (int i = 0; i < DIM * DIM; i++) {
      float shade = 0, maxz = -INF;
      for (const Sphere &sphere : scene) {
        float n = 0, t = sphere.hit(i % DIM - DIM / 2, i / DIM - DIM / 2, &n);
        if (t > maxz) shade = sphere.g * n, maxz = t;
      }
      hits += maxz > -INF;
      float v = fminf(shade + light, 1.f) * 255.f;
      int want = levels[(int)v >> 6];
      bool near = fabsf(v / 64 - roundf(v / 64)) < 1e-4f;  // rounding may put it on either side
      edge += near;
      if (!(fabsf(depth[i] - maxz) <= 1e-2f) || (out[i] != want && !near)) {
        printf("constant_memory: pixel %d: expected %d at %g, got %d at %g\n", i, want, maxz, out[i], depth[i]);
        return 1;
      }
    }
    if (hits < 500 || edge > 50) {
      printf("constant_memory: expected most pixels to count, got %d hits, %d on an edge\n", hits, edge);
      return 1;
    }
  }
  HANDLE_ERROR(cudaFree(d_out));
  HANDLE_ERROR(cudaFree(d_depth));
  printf("constant_memory: ok\n");
  return 0;
}
