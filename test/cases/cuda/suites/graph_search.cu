// Breadth first search as Rodinia-like suites do: a graph read from a file, masks, a host loop until nothing changes.
#include <stdio.h>
#include <string.h>
#include <math.h>
#include <stdlib.h>
#define MAX_THREADS_PER_BLOCK 64
int no_of_nodes;
int edge_list_size;
FILE *fp;
struct Node { int starting; int no_of_edges; };
__global__ void Kernel(Node *g_graph_nodes, int *g_graph_edges, bool *g_graph_mask, bool *g_updating_graph_mask, bool *g_graph_visited, int *g_cost, int no_of_nodes) {
	int tid = blockIdx.x*MAX_THREADS_PER_BLOCK + threadIdx.x;
	if (tid < no_of_nodes && g_graph_mask[tid]) {
		g_graph_mask[tid] = false;
		for (int i = g_graph_nodes[tid].starting; i < (g_graph_nodes[tid].no_of_edges + g_graph_nodes[tid].starting); i++) {
			int id = g_graph_edges[i];
			if (!g_graph_visited[id]) {
				g_cost[id] = g_cost[tid] + 1;
				g_updating_graph_mask[id] = true;
			}
		}
	}
}
__global__ void Kernel2(bool *g_graph_mask, bool *g_updating_graph_mask, bool *g_graph_visited, bool *g_over, int no_of_nodes) {
	int tid = blockIdx.x*MAX_THREADS_PER_BLOCK + threadIdx.x;
	if (tid < no_of_nodes && g_updating_graph_mask[tid]) {
		g_graph_mask[tid] = true; g_graph_visited[tid] = true; *g_over = true; g_updating_graph_mask[tid] = false;
	}
}
static void write_graph(const char *name) {
	FILE *f = fopen(name, "w");
	fprintf(f, "%d\n", 300);
	for (int i = 0; i < 300; i++) fprintf(f, "%d %d\n", i * 3, 3);
	fprintf(f, "\n0\n%d\n", 900);
	for (int i = 0; i < 300; i++) fprintf(f, "%d 1 %d 1 %d 1\n", (i * 7 + 1) % 300, (i * i) % 300, (i + 3) % 300);
	fclose(f);
}
int main(int argc, char **argv) {
	char name[64]; sprintf(name, "graph_search_%d.txt", 300);
	write_graph(name);
	int source = 0;
	fp = fopen(name, "r");
	if (!fp) { printf("Error Reading graph file\n"); return 1; }
	if (fscanf(fp, "%d", &no_of_nodes) != 1) return 1;
	int num_of_blocks = 1, num_of_threads_per_block = no_of_nodes;
	if (no_of_nodes > MAX_THREADS_PER_BLOCK) { num_of_blocks = (int)ceil(no_of_nodes/(double)MAX_THREADS_PER_BLOCK); num_of_threads_per_block = MAX_THREADS_PER_BLOCK; }
	Node *h_nodes = (Node *)malloc(sizeof(Node)*no_of_nodes);
	bool *h_mask = (bool *)malloc(no_of_nodes), *h_up = (bool *)malloc(no_of_nodes), *h_visited = (bool *)malloc(no_of_nodes);
	int start, edgeno;
	for (unsigned int i = 0; i < no_of_nodes; i++) {
		if (fscanf(fp, "%d %d", &start, &edgeno) != 2) return 1;
		h_nodes[i].starting = start; h_nodes[i].no_of_edges = edgeno; h_mask[i] = h_up[i] = h_visited[i] = false;
	}
	if (fscanf(fp, "%d", &source) != 1 || fscanf(fp, "%d", &edge_list_size) != 1) return 1;
	int id, cost; int *h_edges = (int *)malloc(sizeof(int)*edge_list_size);
	for (int i = 0; i < edge_list_size; i++) { if (fscanf(fp, "%d", &id) != 1 || fscanf(fp, "%d", &cost) != 1) return 1; h_edges[i] = id; }
	fclose(fp); remove(name);
	h_mask[source] = true; h_visited[source] = true;
	int *h_cost = (int *)malloc(sizeof(int)*no_of_nodes), *want = (int *)malloc(sizeof(int)*no_of_nodes);
	for (int i = 0; i < no_of_nodes; i++) h_cost[i] = want[i] = -1;
	h_cost[source] = want[source] = 0;
	Node *d_nodes; int *d_edges, *d_cost; bool *d_mask, *d_up, *d_visited, *d_over;
	cudaMalloc((void **)&d_nodes, sizeof(Node)*no_of_nodes); cudaMemcpy(d_nodes, h_nodes, sizeof(Node)*no_of_nodes, cudaMemcpyHostToDevice);
	cudaMalloc((void **)&d_edges, sizeof(int)*edge_list_size); cudaMemcpy(d_edges, h_edges, sizeof(int)*edge_list_size, cudaMemcpyHostToDevice);
	cudaMalloc((void **)&d_mask, no_of_nodes); cudaMemcpy(d_mask, h_mask, no_of_nodes, cudaMemcpyHostToDevice);
	cudaMalloc((void **)&d_up, no_of_nodes); cudaMemcpy(d_up, h_up, no_of_nodes, cudaMemcpyHostToDevice);
	cudaMalloc((void **)&d_visited, no_of_nodes); cudaMemcpy(d_visited, h_visited, no_of_nodes, cudaMemcpyHostToDevice);
	cudaMalloc((void **)&d_cost, sizeof(int)*no_of_nodes); cudaMemcpy(d_cost, h_cost, sizeof(int)*no_of_nodes, cudaMemcpyHostToDevice);
	cudaMalloc((void **)&d_over, sizeof(bool));
	dim3 grid(num_of_blocks, 1, 1); dim3 threads(num_of_threads_per_block, 1, 1);
	int k = 0; bool stop;
	do {
		stop = false;
		cudaMemcpy(d_over, &stop, sizeof(bool), cudaMemcpyHostToDevice);
		Kernel<<< grid, threads, 0 >>>(d_nodes, d_edges, d_mask, d_up, d_visited, d_cost, no_of_nodes);
		Kernel2<<< grid, threads, 0 >>>(d_mask, d_up, d_visited, d_over, no_of_nodes);
		cudaMemcpy(&stop, d_over, sizeof(bool), cudaMemcpyDeviceToHost);
		k++;
	} while (stop);
	cudaMemcpy(h_cost, d_cost, sizeof(int)*no_of_nodes, cudaMemcpyDeviceToHost);
	for (int level = 0; level < no_of_nodes; level++) for (int i = 0; i < no_of_nodes; i++) if (want[i] == level)
		for (int e = 0; e < 3; e++) { int to = h_edges[i*3+e]; if (want[to] < 0) want[to] = level + 1; }
	int bad = 0;
	for (int i = 0; i < no_of_nodes; i++) if (want[i] != h_cost[i] && !bad++) printf("node %d: expected %d, got %d\n", i, want[i], h_cost[i]);
	free(h_nodes); free(h_mask); free(h_up); free(h_visited); free(h_edges); free(h_cost); free(want);
	cudaFree(d_nodes); cudaFree(d_edges); cudaFree(d_mask); cudaFree(d_up); cudaFree(d_visited); cudaFree(d_cost); cudaFree(d_over);
	if (bad) return 1;
	printf("graph_search: ok\n");
}
