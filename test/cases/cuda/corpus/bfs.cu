// Breadth-first search, level by level. The frontier is a queue whose places come from an atomic counter; a node
// enters it once, because atomicCAS lets only one thread set its level.
#include <cuda_runtime.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <queue>
#include <vector>

#define CUDA_ERR(e) if ((e) != cudaSuccess) { fprintf(stderr, "bfs.cu:%d: %s\n", __LINE__, cudaGetErrorString(cudaGetLastError())); exit(1); }

struct Graph { std::vector<int> offsets, edges; };

// A ring with chords, a tree that hangs from it, and nodes that no edge reaches.
static Graph makeGraph(int nodes)
{
  std::vector<std::vector<int>> adjacent(nodes);
  auto link = [&](int a, int b) { adjacent[a].push_back(b); adjacent[b].push_back(a); };
  int ring = nodes / 3, tree = nodes * 9 / 10;
  for (int i = 0; i < ring; ++i) {
    link(i, (i + 1) % ring);
    if (i % 17 == 0) link(i, (i * 5 + 3) % ring);
  }
  for (int i = ring; i < tree; ++i) link(i, i % 2 ? i / 2 : i - ring);
  Graph g;
  g.offsets.push_back(0);
  for (auto& list : adjacent) {
    g.edges.insert(g.edges.end(), list.begin(), list.end());
    g.offsets.push_back((int)g.edges.size());
  }
  return g;
}

__global__ void expand(const int* __restrict__ offsets, const int* __restrict__ edges, const int* frontier, int size,
                       int* levels, int level, int* next, int* nextSize)
{
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= size) return;
  int node = frontier[t];
  for (int e = offsets[node]; e < offsets[node + 1]; ++e) {
    int to = edges[e];
    if (atomicCAS(&levels[to], -1, level) == -1) next[atomicAdd(nextSize, 1)] = to;
  }
}

// The other usual form: one thread a node, all nodes in each level, and a flag. Levels are read through an atomic,
// since others set them in the same launch.
__global__ void sweep(const int* offsets, const int* edges, int nodes, int* levels, int level, int* changed)
{
  for (int node = blockIdx.x * blockDim.x + threadIdx.x; node < nodes; node += gridDim.x * blockDim.x) {
    if (atomicAdd(&levels[node], 0) != level - 1) continue;
    for (int e = offsets[node]; e < offsets[node + 1]; ++e)
      if (atomicCAS(&levels[edges[e]], -1, level) == -1) atomicExch(changed, 1);
  }
}

int main()
{
  const int nodes = 2017, source = 5;
  Graph g = makeGraph(nodes);
  std::vector<int> want(nodes, -1);
  std::queue<int> q;
  want[source] = 0;
  for (q.push(source); !q.empty(); q.pop())
    for (int e = g.offsets[q.front()]; e < g.offsets[q.front() + 1]; ++e)
      if (want[g.edges[e]] < 0) want[g.edges[e]] = want[q.front()] + 1, q.push(g.edges[e]);

  int *offsets, *edges, *levels, *queue[2], *size;
  CUDA_ERR(cudaMalloc(&offsets, g.offsets.size() * sizeof(int)));
  CUDA_ERR(cudaMalloc(&edges, g.edges.size() * sizeof(int)));
  CUDA_ERR(cudaMalloc(&levels, nodes * sizeof(int)));
  CUDA_ERR(cudaMalloc(&queue[0], nodes * sizeof(int)));
  CUDA_ERR(cudaMalloc(&queue[1], nodes * sizeof(int)));
  CUDA_ERR(cudaMalloc(&size, sizeof(int)));
  CUDA_ERR(cudaMemcpy(offsets, g.offsets.data(), g.offsets.size() * sizeof(int), cudaMemcpyHostToDevice));
  CUDA_ERR(cudaMemcpy(edges, g.edges.data(), g.edges.size() * sizeof(int), cudaMemcpyHostToDevice));

  for (int form = 0; form < 2; ++form) {
    const int zero = 0;
    CUDA_ERR(cudaMemset(levels, 0xff, nodes * sizeof(int)));
    CUDA_ERR(cudaMemcpy(levels + source, &zero, sizeof(int), cudaMemcpyHostToDevice));
    CUDA_ERR(cudaMemcpy(queue[0], &source, sizeof(int), cudaMemcpyHostToDevice));
    int level = 1;
    for (int count = 1; count > 0; ++level) {
      CUDA_ERR(cudaMemset(size, 0, sizeof(int)));
      if (form == 0) {
        expand<<<(count + 63) / 64, 64>>>(offsets, edges, queue[(level - 1) % 2], count, levels, level, queue[level % 2], size);
      } else {
        sweep<<<4, 64>>>(offsets, edges, nodes, levels, level, size);
      }
      CUDA_ERR(cudaGetLastError());
      CUDA_ERR(cudaMemcpy(&count, size, sizeof(int), cudaMemcpyDeviceToHost));
    }
    std::vector<int> got(nodes);
    CUDA_ERR(cudaMemcpy(got.data(), levels, nodes * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < nodes; ++i)
      if (got[i] != want[i]) {
        printf("bfs: form %d: level of node %d: expected %d, got %d\n", form, i, want[i], got[i]);
        return 1;
      }
    int deepest = *std::max_element(want.begin(), want.end());
    if (level != deepest + 2) {
      printf("bfs: form %d: levels: expected %d, got %d\n", form, deepest + 2, level);
      return 1;
    }
  }
  for (int* p : {offsets, edges, levels, queue[0], queue[1], size}) CUDA_ERR(cudaFree(p));
  printf("bfs: ok\n");
  return 0;
}
