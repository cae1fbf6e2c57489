// __managed__ variables and cudaMallocManaged: host and device use the same pointers, with a synchronisation between.
// A linked list is made on the host and walked on the device.
#include <cuda_runtime.h>
#include <iostream>
#include <math.h>
#include <new>

__managed__ int total = 5;
__managed__ float samples[300];

struct Node {
  int value;
  Node *next;
};

class Managed {
 public:
  void *operator new(size_t len) {
    void *ptr;
    if (cudaMallocManaged(&ptr, len) != cudaSuccess) throw std::bad_alloc();
    return ptr;
  }
  void operator delete(void *ptr) {
    if (cudaDeviceSynchronize() != cudaSuccess || cudaFree(ptr) != cudaSuccess) std::cerr << "cudaFree failed\n";
  }
};

struct Matrix : public Managed {
  int rows, columns;
  float *data;
  Matrix(int r, int c) : rows(r), columns(c) {
    if (cudaMallocManaged(&data, r * c * sizeof(float)) != cudaSuccess) throw std::bad_alloc();
  }
  ~Matrix() {
    if (cudaFree(data) != cudaSuccess) std::cerr << "cudaFree failed\n";
  }
  __host__ __device__ float &at(int r, int c) { return data[r * columns + c]; }
};

// function to add the elements of two arrays
__global__ void add(int n, float *x, float *y) {
  int index = blockIdx.x * blockDim.x + threadIdx.x;
  int stride = blockDim.x * gridDim.x;
  for (int i = index; i < n; i += stride) y[i] = x[i] + y[i];
}

__global__ void walk(const Node *head) {
  for (const Node *n = head; n; n = n->next) total += n->value;
}

__global__ void fill(Matrix *m) {
  int r = blockIdx.x, c = threadIdx.x;
  if (c < m->columns) {
    m->at(r, c) = r * 100.0f + c;
    if (r == 0) samples[c] = sqrtf((float)c);
  }
}

static bool failed(cudaError_t e, const char *what) {
  if (e != cudaSuccess) std::cerr << what << ": " << cudaGetErrorString(e) << std::endl;
  return e != cudaSuccess;
}

int main(void) {
  int N = 5001;
  float *x, *y;

  // Allocate Unified Memory: accessible from CPU or GPU
  if (failed(cudaMallocManaged(&x, N * sizeof(float)), "x") || failed(cudaMallocManaged(&y, N * sizeof(float)), "y")) return 1;
  for (int i = 0; i < N; i++) {
    x[i] = 1.0f * (i % 10);
    y[i] = 2.0f;
  }
  int blockSize = 128;
  int numBlocks = (N + blockSize - 1) / blockSize / 4;
  add<<<numBlocks, blockSize>>>(N, x, y);
  if (failed(cudaGetLastError(), "add")) return 1;
  // Wait for GPU to finish before accessing on host
  if (failed(cudaDeviceSynchronize(), "synchronize")) return 1;
  for (int i = 0; i < N; i++)
    if (!(y[i] == i % 10 + 2.0f)) {
      std::cout << "managed_memory: sum " << i << ": expected " << i % 10 + 2.0f << ", got " << y[i] << std::endl;
      return 1;
    }
  if (failed(cudaFree(x), "free") || failed(cudaFree(y), "free")) return 1;

  Node *head = nullptr;
  for (int i = 1; i <= 20; i++) {
    Node *n;
    if (failed(cudaMallocManaged(&n, sizeof(Node), cudaMemAttachGlobal), "node")) return 1;
    n->value = i * i;
    n->next = head;
    head = n;
  }
  total += 1;
  walk<<<1, 1>>>(head);
  if (failed(cudaGetLastError(), "walk") || failed(cudaDeviceSynchronize(), "walk")) return 1;
  if (total != 6 + 20 * 21 * 41 / 6) {
    std::cout << "managed_memory: total: expected " << 6 + 20 * 21 * 41 / 6 << ", got " << total << std::endl;
    return 1;
  }
  while (head) {
    Node *next = head->next;
    if (failed(cudaFree(head), "free")) return 1;
    head = next;
  }

  Matrix *m = new Matrix(7, 300);
  fill<<<7, 320>>>(m);
  if (failed(cudaGetLastError(), "fill") || failed(cudaDeviceSynchronize(), "fill")) return 1;
  for (int r = 0; r < m->rows; r++)
    for (int c = 0; c < m->columns; c++)
      if (!(m->at(r, c) == r * 100.0f + c) || !(fabsf(samples[c] - sqrtf(c)) <= 1e-5f)) {
        std::cout << "managed_memory: element (" << r << ", " << c << "): expected " << r * 100.0f + c << " " << sqrtf(c) << ", got "
                  << m->at(r, c) << " " << samples[c] << std::endl;
        return 1;
      }
  delete m;
  std::cout << "managed_memory: ok" << std::endl;
  return 0;
}
