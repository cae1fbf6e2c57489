#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

static bool failed = false;

static void record(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(status));
  failed = true;
}
#define CHECK(call) record((call), #call)

#define CLASSES 10

__device__ int class_counts[CLASSES];

__global__ void count_classes(const int* labels, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int label = labels[i];
  atomicAdd(&class_counts[label], 1);  // finds: out-of-bounds
}

int main() {
  const int n = 700;
  std::vector<int> labels(n);
  int expected[CLASSES] = {};
  for (int i = 0; i < n; i++) {
    labels[i] = i % 50 == 49 ? -1 : i * 7 % CLASSES;
    if (labels[i] >= 0) expected[labels[i]]++;
  }

  int* d_labels = NULL;
  CHECK(cudaMalloc((void**)&d_labels, n * sizeof(int)));
  CHECK(cudaMemcpy(d_labels, labels.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  count_classes<<<(n + 255) / 256, 256>>>(d_labels, n);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  int counts[CLASSES] = {};
  CHECK(cudaMemcpyFromSymbol(counts, class_counts, sizeof(counts)));
  CHECK(cudaFree(d_labels));

  for (int c = 0; c < CLASSES && !failed; c++) {
    if (counts[c] != expected[c]) {
      printf("class %d: %d, expected %d\n", c, counts[c], expected[c]);
      failed = true;
    }
  }
  if (!failed) printf("ok\n");
  return failed;
}
