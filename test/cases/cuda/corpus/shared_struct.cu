// Structs that host and device share: methods on both sides, nested arrays, padding, alignment by __align__, bit-fields,
// unions, enums, a std::array-like class, and big kernel parameters by value.
#include <cuda_runtime.h>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#ifdef __CUDACC__
#define HD __host__ __device__
#else
#define HD
#endif

enum class Kind : uint8_t { Sphere = 1, Box = 2, Plane = 7 };

template <typename T, int N>
class Vec {
 public:
  Vec() = default;
  HD explicit Vec(T v) { for (T& x : v_) x = v; }
  HD T& operator[](int i) { return v_[i]; }
  HD const T& operator[](int i) const { return v_[i]; }
  HD static constexpr int size() { return N; }
  HD T dot(const Vec& o) const {
    T s = 0;
    for (int i = 0; i < N; ++i) s += v_[i] * o.v_[i];
    return s;
  }
  HD friend Vec operator-(const Vec& a, const Vec& b) {
    Vec r;
    for (int i = 0; i < N; ++i) r.v_[i] = a.v_[i] - b.v_[i];
    return r;
  }

 private:
  T v_[N];
};
using Vec3 = Vec<float, 3>;

struct __align__(16) Shape {
  Kind kind;
  unsigned visible : 1, layer : 5, id : 20;
  Vec3 centre;
  union {
    float radius;
    float sides[3];
  };
  double weight;

  HD float distance(const Vec3& p) const {
    const Vec3 d = p - centre;
    switch (kind) {
      case Kind::Sphere: return sqrtf(d.dot(d)) - radius;
      case Kind::Box: return fmaxf(fabsf(d[0]) - sides[0], fmaxf(fabsf(d[1]) - sides[1], fabsf(d[2]) - sides[2]));
      default: return d[2];
    }
  }
};
static_assert(alignof(Shape) == 16 && sizeof(Shape) % 16 == 0, "as in device code");

// As large as a scene that is passed by value: 16 shapes
struct Scene {
  int count;
  Shape shapes[16];
};

struct Hit {
  float distance;
  int layer;
  double weight;
};

HD inline Hit nearest(const Scene& scene, const Vec3& p) {
  Hit h{1e9f, -1, 0.0};
  for (int i = 0; i < scene.count; ++i) {
    const Shape& s = scene.shapes[i];
    if (!s.visible) continue;
    const float d = s.distance(p);
    if (d < h.distance) h = Hit{d, int(s.layer), s.weight * s.id};
  }
  return h;
}

__global__ void cast(const Scene scene, const Vec3* points, Hit* hits, int n, size_t* layout) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) {
    layout[0] = sizeof(Shape);
    layout[1] = offsetof(Shape, centre);
    layout[2] = offsetof(Shape, weight);
    layout[3] = sizeof(Scene);
  }
  if (i < n) hits[i] = nearest(scene, points[i]);
}

#define CHECK(call) if (cudaError_t status = (call); status != cudaSuccess) { std::fprintf(stderr, "shared_struct.cu:%d: %s\n", __LINE__, cudaGetErrorString(status)); return 1; }

int main() {
  const int n = 1200;
  Scene scene = {};
  scene.count = 16;
  for (int i = 0; i < 16; ++i) {
    Shape& s = scene.shapes[i];
    s.kind = i % 3 == 0 ? Kind::Sphere : i % 3 == 1 ? Kind::Box : Kind::Plane;
    s.visible = i % 5 != 2;
    s.layer = i * 2 + 1;
    s.id = 100000 + i;
    s.centre[0] = i - 8.f;
    s.centre[1] = i * 3 % 7 - 3.f;
    s.centre[2] = s.kind == Kind::Plane ? -5.f - i : i % 4;
    if (s.kind == Kind::Sphere) s.radius = 1.5f;
    else s.sides[0] = 0.5f, s.sides[1] = 1.f, s.sides[2] = 2.f;
    s.weight = i * 0.125;
  }
  std::vector<Vec3> points(n, Vec3(0.f));
  for (int i = 0; i < n; ++i) points[i][0] = i % 20 - 10.f, points[i][1] = i / 20 % 9 - 4.f, points[i][2] = i / 180 - 3.f;

  Vec3* dPoints;
  Hit* dHits;
  size_t *dLayout, layout[4];
  CHECK(cudaMalloc(&dPoints, n * sizeof(Vec3)));
  CHECK(cudaMalloc(&dHits, n * sizeof(Hit)));
  CHECK(cudaMalloc(&dLayout, sizeof layout));
  CHECK(cudaMemcpy(dPoints, points.data(), n * sizeof(Vec3), cudaMemcpyHostToDevice));
  cast<<<(n + 127) / 128, 128>>>(scene, dPoints, dHits, n, dLayout);
  CHECK(cudaGetLastError());
  scene.count = 0;  // the kernel has its own copy
  std::vector<Hit> hits(n);
  CHECK(cudaMemcpy(hits.data(), dHits, n * sizeof(Hit), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(layout, dLayout, sizeof layout, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(dPoints));
  CHECK(cudaFree(dHits));
  CHECK(cudaFree(dLayout));
  scene.count = 16;

  const size_t here[4] = {sizeof(Shape), offsetof(Shape, centre), offsetof(Shape, weight), sizeof(Scene)};
  for (int k = 0; k < 4; ++k)
    if (layout[k] != here[k]) {
      std::printf("shared_struct: layout %d: expected %zu, got %zu\n", k, here[k], layout[k]);
      return 1;
    }
  for (int i = 0; i < n; ++i) {
    const Hit want = nearest(scene, points[i]);
    // two shapes may be equally near but for rounding: then the distance alone counts
    const bool same = hits[i].layer == want.layer && hits[i].weight == want.weight;
    bool tie = false;
    for (const Shape& s : scene.shapes)
      tie = tie || (s.visible && int(s.layer) == hits[i].layer && s.weight * s.id == hits[i].weight && std::fabs(s.distance(points[i]) - want.distance) < 1e-5f);
    if (!(std::fabs(hits[i].distance - want.distance) <= 1e-5f) || !(same || tie)) {
      std::printf("shared_struct: point %d: expected %g %d %g, got %g %d %g\n", i, want.distance, want.layer, want.weight,
                  hits[i].distance, hits[i].layer, hits[i].weight);
      return 1;
    }
  }
  std::printf("shared_struct: ok\n");
  return 0;
}
