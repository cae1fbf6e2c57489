// Central differences of a scalar field in a box: 3-D blocks in a 3-D grid, one-sided at the faces.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define check(x) check_((x), #x, __LINE__)
static void check_(cudaError_t e, const char* what, int line) {
  if (e == cudaSuccess) return;
  std::fprintf(stderr, "line %d: %s -> %s (%s)\n", line, what, cudaGetErrorName(e), cudaGetErrorString(e));
  std::exit(2);
}

struct Extent {
  int nx, ny, nz;
  __host__ __device__ int at(int x, int y, int z) const { return (z * ny + y) * nx + x; }
  __host__ __device__ int size() const { return nx * ny * nz; }
};

__host__ __device__ inline float3 gradientAt(const float* f, Extent e, int x, int y, int z) {
  int x0 = x > 0 ? x - 1 : x, x1 = x < e.nx - 1 ? x + 1 : x;
  int y0 = y > 0 ? y - 1 : y, y1 = y < e.ny - 1 ? y + 1 : y;
  int z0 = z > 0 ? z - 1 : z, z1 = z < e.nz - 1 ? z + 1 : z;
  return make_float3((f[e.at(x1, y, z)] - f[e.at(x0, y, z)]) / (x1 - x0),
                     (f[e.at(x, y1, z)] - f[e.at(x, y0, z)]) / (y1 - y0),
                     (f[e.at(x, y, z1)] - f[e.at(x, y, z0)]) / (z1 - z0));
}

__global__ void gradient(const float* f, float3* g, Extent e) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= e.nx || y >= e.ny || z >= e.nz) return;
  g[e.at(x, y, z)] = gradientAt(f, e, x, y, z);
}

// Writes which block and thread came here, to see that all three axes are counted as CUDA counts them.
__global__ void whoami(uint3* blocks, uint3* threads, Extent e) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < e.nx && y < e.ny && z < e.nz) {
    blocks[e.at(x, y, z)] = blockIdx;
    threads[e.at(x, y, z)] = threadIdx;
  }
}

int main() {
  Extent e{29, 18, 11};
  std::vector<float> f(e.size());
  for (int z = 0; z < e.nz; ++z)
    for (int y = 0; y < e.ny; ++y)
      for (int x = 0; x < e.nx; ++x) f[e.at(x, y, z)] = std::sin(0.3f * x) + 0.5f * y * z - 0.01f * z * z * z;

  float* df;
  float3* dg;
  uint3 *db, *dt;
  check(cudaMalloc(&df, e.size() * sizeof *df));
  check(cudaMalloc(&dg, e.size() * sizeof *dg));
  check(cudaMalloc(&db, e.size() * sizeof *db));
  check(cudaMalloc(&dt, e.size() * sizeof *dt));
  check(cudaMemcpy(df, f.data(), e.size() * sizeof *df, cudaMemcpyHostToDevice));

  dim3 block(8, 4, 3);
  dim3 grid((e.nx + block.x - 1) / block.x, (e.ny + block.y - 1) / block.y, (e.nz + block.z - 1) / block.z);
  gradient<<<grid, block>>>(df, dg, e);
  check(cudaGetLastError());
  whoami<<<grid, block>>>(db, dt, e);
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());

  std::vector<float3> g(e.size());
  std::vector<uint3> b(e.size()), t(e.size());
  check(cudaMemcpy(g.data(), dg, e.size() * sizeof *dg, cudaMemcpyDeviceToHost));
  check(cudaMemcpy(b.data(), db, e.size() * sizeof *db, cudaMemcpyDeviceToHost));
  check(cudaMemcpy(t.data(), dt, e.size() * sizeof *dt, cudaMemcpyDeviceToHost));
  check(cudaFree(df));
  check(cudaFree(dg));
  check(cudaFree(db));
  check(cudaFree(dt));

  for (int z = 0; z < e.nz; ++z)
    for (int y = 0; y < e.ny; ++y)
      for (int x = 0; x < e.nx; ++x) {
        int i = e.at(x, y, z);
        float3 w = gradientAt(f.data(), e, x, y, z);
        float worst = std::fmax(std::fabs(w.x - g[i].x), std::fmax(std::fabs(w.y - g[i].y), std::fabs(w.z - g[i].z)));
        bool numbers = g[i].x == g[i].x && g[i].y == g[i].y && g[i].z == g[i].z;
        if (!numbers || worst > 1e-5f) {
          std::printf("gradient_3d: element %d: expected (%g, %g, %g), got (%g, %g, %g)\n", i, w.x, w.y, w.z, g[i].x,
                      g[i].y, g[i].z);
          return 1;
        }
        if (b[i].x != x / 8u || b[i].y != y / 4u || b[i].z != z / 3u || t[i].x != x % 8u || t[i].y != y % 4u ||
            t[i].z != z % 3u) {
          std::printf("gradient_3d: element %d: expected block (%d, %d, %d), got block (%u, %u, %u) thread (%u, %u, %u)\n",
                      i, x / 8, y / 4, z / 3, b[i].x, b[i].y, b[i].z, t[i].x, t[i].y, t[i].z);
          return 1;
        }
      }
  std::printf("gradient_3d: ok\n");
  return 0;
}
