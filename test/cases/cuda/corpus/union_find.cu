// Connected components by union-find: each edge hooks the larger root under the smaller one with atomicCAS, finds
// halve the paths, and a last kernel flattens the trees. The label of a component is its smallest node.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <vector>

namespace components {

using Node = int;

// Parents change while others read them: every access is atomic.
__device__ __forceinline__ Node load(Node* p) { return atomicOr(p, 0); }

__device__ Node find(Node* parents, Node v) {
  Node parent = load(&parents[v]);
  while (parent != v) {
    const Node grand = load(&parents[parent]);
    if (grand != parent) atomicMin(&parents[v], grand);
    v = parent;
    parent = grand == parent ? parent : load(&parents[parent]);
  }
  return v;
}

__global__ void makeSets(Node* parents, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) parents[i] = i;
}

__global__ void unite(Node* parents, const int2* edges, int m) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= m) return;
  Node a = edges[e].x, b = edges[e].y;
  for (;;) {
    a = find(parents, a);
    b = find(parents, b);
    if (a == b) return;
    if (a < b) {
      const Node t = a;
      a = b;
      b = t;
    }
    if (atomicCAS(&parents[a], a, b) == a) return;
  }
}

__global__ void flatten(Node* parents, Node* labels, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) labels[i] = find(parents, i);
}

}  // namespace components

static void operator||(cudaError_t e, const char* call) {
  if (e == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(e));
  std::exit(1);
}

int main() {
  using namespace components;
  const int n = 1500;
  std::vector<int2> edges;
  for (int i = 0; i < n; ++i) {
    if (i % 50 != 49 && i % 3) edges.push_back(make_int2(i, i + 1));
    if (i % 97 == 0) edges.push_back(make_int2(i, (i * 13 + 700) % n));
    if (i % 31 == 7) edges.push_back(make_int2(n - 1 - i, i));
  }
  const int m = static_cast<int>(edges.size());

  Node *parents, *labels;
  int2* deviceEdges;
  cudaMalloc(&parents, n * sizeof(Node)) || "parents";
  cudaMalloc(&labels, n * sizeof(Node)) || "labels";
  cudaMalloc(&deviceEdges, m * sizeof(int2)) || "edges";
  cudaMemcpy(deviceEdges, edges.data(), m * sizeof(int2), cudaMemcpyHostToDevice) || "copy of edges";
  makeSets<<<(n + 127) / 128, 128>>>(parents, n);
  cudaGetLastError() || "makeSets";
  unite<<<(m + 127) / 128, 128>>>(parents, deviceEdges, m);
  cudaGetLastError() || "unite";
  flatten<<<(n + 127) / 128, 128>>>(parents, labels, n);
  cudaGetLastError() || "flatten";
  std::vector<int> got(n), want(n);
  cudaMemcpy(got.data(), labels, n * sizeof(Node), cudaMemcpyDeviceToHost) || "copy of labels";
  cudaFree(parents) || "free";
  cudaFree(labels) || "free";
  cudaFree(deviceEdges) || "free";

  std::iota(want.begin(), want.end(), 0);
  std::function<int(int)> root = [&](int v) { return want[v] == v ? v : want[v] = root(want[v]); };
  for (int2 e : edges) {
    const int a = root(e.x), b = root(e.y);
    want[a > b ? a : b] = a > b ? b : a;
  }
  int sets = 0;
  for (int i = 0; i < n; ++i) {
    sets += root(i) == i;
    if (got[i] != root(i)) {
      std::printf("union_find: label of %d: expected %d, got %d\n", i, root(i), got[i]);
      return 1;
    }
  }
  if (sets < 10) {
    std::printf("union_find: expected many components, got %d\n", sets);
    return 1;
  }
  std::puts("union_find: ok");
}
