/* Single-source shortest paths after Bellman and Ford: every edge is relaxed with atomicMin, until a round changes
   nothing. One thread an edge; weights are whole numbers. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#define NODES 600
#define DEGREE 5
#define EDGES (NODES * DEGREE)
#define FAR (INT_MAX / 2)

struct edge { int from, to, weight; };

__device__ int relaxations;

__global__ void init(int *dist, int source)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < NODES)
        dist[i] = i == source ? 0 : FAR;
}

__global__ void relax(const struct edge *edges, int *dist, int *changed)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= EDGES)
        return;
    struct edge e = edges[i];
    int d = atomicMin(&dist[e.from], INT_MAX); /* reads: nothing is larger */
    if (d == FAR)
        return;
    if (atomicMin(&dist[e.to], d + e.weight) > d + e.weight) {
        atomicExch(changed, 1);
        atomicAdd(&relaxations, 1);
    }
}

#define E(x) do { cudaError_t r = (x); if (r) { fprintf(stderr, "%s\n", cudaGetErrorString(r)); return 1; } } while (0)

int main(void)
{
    static struct edge edges[EDGES];
    static int want[NODES], got[NODES];
    struct edge *d_edges;
    int *d_dist, *d_changed, changed, rounds = 0, count = 0, i;
    unsigned s = 42;

    for (i = 0; i < EDGES; i++) {
        s = s * 1664525u + 1013904223u;
        edges[i].from = i / DEGREE;
        /* mostly near neighbours, so that paths are long; the last 20 nodes have edges out only */
        edges[i].to = (i / DEGREE + (s >> 28) + 1) % (NODES - 20);
        edges[i].weight = 1 + (s >> 8) % 100;
    }

    E(cudaMalloc(&d_edges, sizeof edges));
    E(cudaMalloc(&d_dist, sizeof got));
    E(cudaMalloc(&d_changed, sizeof(int)));
    E(cudaMemcpy(d_edges, edges, sizeof edges, cudaMemcpyHostToDevice));
    E(cudaMemcpyToSymbol(relaxations, &count, sizeof count));
    init<<<(NODES + 127) / 128, 128>>>(d_dist, 3);
    E(cudaGetLastError());
    do {
        E(cudaMemset(d_changed, 0, sizeof(int)));
        relax<<<(EDGES + 127) / 128, 128>>>(d_edges, d_dist, d_changed);
        E(cudaGetLastError());
        E(cudaMemcpy(&changed, d_changed, sizeof(int), cudaMemcpyDeviceToHost));
        rounds++;
    } while (changed && rounds <= NODES);
    E(cudaMemcpy(got, d_dist, sizeof got, cudaMemcpyDeviceToHost));
    E(cudaMemcpyFromSymbol(&count, relaxations, sizeof count));
    E(cudaFree(d_edges));
    E(cudaFree(d_dist));
    E(cudaFree(d_changed));

    for (i = 0; i < NODES; i++)
        want[i] = i == 3 ? 0 : FAR;
    for (int round = 0, moved = 1; moved; round++) {
        moved = 0;
        for (i = 0; i < EDGES; i++)
            if (want[edges[i].from] != FAR && want[edges[i].from] + edges[i].weight < want[edges[i].to]) {
                want[edges[i].to] = want[edges[i].from] + edges[i].weight;
                moved = 1;
            }
    }
    int reached = 0;
    for (i = 0; i < NODES; i++) {
        reached += want[i] != FAR;
        if (got[i] != want[i]) {
            printf("sssp: node %d: expected %d, got %d\n", i, want[i], got[i]);
            return 1;
        }
    }
    if (count < reached - 1 || rounds > NODES) {
        printf("sssp: expected at least %d relaxations and at most %d rounds, got %d and %d\n", reached - 1, NODES, count, rounds);
        return 1;
    }
    printf("sssp: ok\n");
    return 0;
}
