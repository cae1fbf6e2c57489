// A host that could use OpenMP (pragmas that mean nothing without -fopenmp), threads of its own, C strings, getopt, stdin-less I/O.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <limits.h>
#include <float.h>
#include <math.h>
#include <getopt.h>
#include <thread>
#include <vector>
#ifdef _OPENMP
#include <omp.h>
#endif
#define RANDOM_MAX 2147483647
#ifndef FLT_MAX
#define FLT_MAX 3.40282347e+38
#endif
#define ASSUMED_NR_FEATURES 4
extern "C" float euclid_dist_2(float *pt1, float *pt2, int numdims) { float ans = 0.0; for (int i = 0; i < numdims; i++) ans += (pt1[i] - pt2[i]) * (pt1[i] - pt2[i]); return ans; }
__global__ static void invert_mapping(float *input, float *output, int npoints, int nfeatures) {
  int point_id = threadIdx.x + blockDim.x * blockIdx.x;
  if (point_id < npoints) { for (int i = 0; i < nfeatures; i++) output[point_id + npoints * i] = input[point_id * nfeatures + i]; }
  return;
}
__constant__ float c_clusters[ASSUMED_NR_FEATURES * 34];
__global__ void kmeansPoint(float *features, int nfeatures, int npoints, int nclusters, int *membership) {
  const unsigned int block_id = gridDim.x * blockIdx.y + blockIdx.x, point_id = block_id * blockDim.x * blockDim.y + threadIdx.x;
  int index = -1;
  if (point_id < npoints) {
    float min_dist = FLT_MAX, dist;
    for (int i = 0; i < nclusters; i++) {
      int cluster_base_index = i * nfeatures; float ans = 0.0;
      for (int j = 0; j < nfeatures; j++) { int addr = point_id + j * npoints; float diff = features[addr] - c_clusters[cluster_base_index + j]; ans += diff * diff; }
      dist = ans;
      if (dist < min_dist) { min_dist = dist; index = i; }
    }
  }
  if (point_id < npoints) membership[point_id] = index;
}
int main(int argc, char **argv) {
  int npoints = 500, nfeatures = ASSUMED_NR_FEATURES, nclusters = 5, opt, bad = 0;
  while ((opt = getopt(argc, argv, "n:k:")) != EOF) switch (opt) { case 'n': npoints = atoi(optarg); break; case 'k': nclusters = atoi(optarg); break; case '?': default: return 2; }
  float **features = (float **)malloc(npoints * sizeof(float *)), *clusters = (float *)malloc(nclusters * nfeatures * sizeof(float));
  features[0] = (float *)malloc(npoints * nfeatures * sizeof(float));
  for (int i = 1; i < npoints; i++) features[i] = features[i - 1] + nfeatures;
  char *line = strdup("1 2.5,3 4"), *tok; int count = 0; for (tok = strtok(line, " ,\t\n"); tok; tok = strtok(NULL, " ,\t\n")) count += (int)atof(tok);
  if (count != 10) bad = 1;
  free(line);
  srand(11);
  for (int i = 0; i < npoints * nfeatures; i++) features[0][i] = rand() % 1000 / 10.0f;
  for (int i = 0; i < nclusters * nfeatures; i++) clusters[i] = features[0][i * 7];
  float *d_in, *d_t; int *d_m, *membership = (int *)malloc(sizeof(int) * npoints), *want = (int *)malloc(sizeof(int) * npoints);
  cudaMalloc((void **)&d_in, npoints * nfeatures * sizeof(float)); cudaMalloc((void **)&d_t, npoints * nfeatures * sizeof(float)); cudaMalloc((void **)&d_m, npoints * sizeof(int));
  cudaMemcpy(d_in, features[0], npoints * nfeatures * sizeof(float), cudaMemcpyHostToDevice);
  size_t num_threads = 64, blocks = ceil((double)npoints / num_threads);
  invert_mapping<<<blocks, num_threads>>>(d_in, d_t, npoints, nfeatures);
  for (int loop = 0; loop < 4; loop++) {
    cudaMemcpyToSymbol(c_clusters, clusters, nclusters * nfeatures * sizeof(float), 0, cudaMemcpyHostToDevice);
    unsigned int side = (unsigned int)floor(sqrt((double)blocks)); while (side * side < blocks) side++;
    dim3 grid(side, side), threads(num_threads);
    kmeansPoint<<< grid, threads >>>(d_t, nfeatures, npoints, nclusters, d_m);
    cudaThreadSynchronize();
    cudaMemcpy(membership, d_m, npoints * sizeof(int), cudaMemcpyDeviceToHost);
    int delta = 0;
#pragma omp parallel for shared(features) reduction(+ : delta) schedule(static)
    for (int i = 0; i < npoints; i++) {
      int best = 0; float d0 = FLT_MAX;
      for (int k = 0; k < nclusters; k++) { float d = euclid_dist_2(features[i], clusters + k * nfeatures, nfeatures); if (d < d0) { d0 = d; best = k; } }
      want[i] = best; delta += best != membership[i];
    }
    if (delta && !bad++) for (int i = 0; i < npoints; i++) if (want[i] != membership[i]) { printf("point %d: expected %d, got %d\n", i, want[i], membership[i]); break; }
    std::vector<std::thread> team;
    for (int k = 0; k < nclusters; k++) team.emplace_back([=] { for (int f = 0; f < nfeatures; f++) { float s = 0; int n = 0; for (int i = 0; i < npoints; i++) if (membership[i] == k) s += features[i][f], n++; if (n) clusters[k * nfeatures + f] = s / n; } });
    for (auto &t : team) t.join();
  }
  cudaFree(d_in); cudaFree(d_t); cudaFree(d_m); free(features[0]); free(features); free(clusters); free(membership); free(want);
  if (bad) return 1;
  printf("kmeans_openmp: ok\n");
}
