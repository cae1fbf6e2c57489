// A lock made of atomicCAS and atomicExch. Threads of one warp contend as well, so that the critical section is
// inside the loop that tries; and a lock that the first lane takes for its whole warp.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define HANDLE(call) { cudaError_t c_ = call; if (c_ != cudaSuccess) { fprintf(stderr, "%d: %s\n", __LINE__, cudaGetErrorString(c_)); exit(1); } }

class Mutex {
 public:
  __device__ bool try_lock() {
    if (atomicCAS(&state_, 0, 1) != 0) return false;
    __threadfence();
    return true;
  }
  __device__ void lock() {
    while (!try_lock()) {
    }
  }
  __device__ void unlock() {
    __threadfence();
    atomicExch(&state_, 0);
  }

 private:
  int state_;
};

// What the lock guards: not a single word, so that no atomic alone would do.
struct Account {
  long long sum;
  int entries;
  int largest;
};

__global__ void book(Mutex *mutexes, volatile Account *accounts, int count, const int *amounts, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int a = amounts[i] % count;
  bool done = false;
  while (!done) {
    if (mutexes[a].try_lock()) {
      accounts[a].sum = accounts[a].sum + amounts[i];
      accounts[a].entries = accounts[a].entries + 1;
      if (amounts[i] > accounts[a].largest) accounts[a].largest = amounts[i];
      mutexes[a].unlock();
      done = true;
    }
  }
}

// All lanes of the warp that holds the lock write their part of a table.
__global__ void addRows(Mutex *mutex, volatile int *table, int *order, int rows) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  if (lane == 0) mutex->lock();
  __syncwarp();
  table[lane] = table[lane] + row * (lane + 1);
  __threadfence();
  __syncwarp();
  if (lane == 0) {
    *order = *order + 1;
    mutex->unlock();
  }
}

int main() {
  const int count = 3, n = 700, rows = 29;
  std::vector<int> amounts(n);
  for (int i = 0; i < n; ++i) amounts[i] = i * 37 % 1009;
  Mutex *mutexes;
  Account *accounts;
  int *dAmounts, *table, *order;
  HANDLE(cudaMalloc(&mutexes, (count + 1) * sizeof(Mutex)));
  HANDLE(cudaMalloc(&accounts, count * sizeof(Account)));
  HANDLE(cudaMalloc(&dAmounts, n * sizeof(int)));
  HANDLE(cudaMalloc(&table, 32 * sizeof(int)));
  HANDLE(cudaMalloc(&order, sizeof(int)));
  HANDLE(cudaMemset(mutexes, 0, (count + 1) * sizeof(Mutex)));
  HANDLE(cudaMemset(accounts, 0, count * sizeof(Account)));
  HANDLE(cudaMemset(table, 0, 32 * sizeof(int)));
  HANDLE(cudaMemset(order, 0, sizeof(int)));
  HANDLE(cudaMemcpy(dAmounts, amounts.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  book<<<(n + 69) / 70, 70>>>(mutexes, accounts, count, dAmounts, n);
  HANDLE(cudaGetLastError());
  addRows<<<(rows + 3) / 4, 128>>>(mutexes + count, table, order, rows);
  HANDLE(cudaGetLastError());
  HANDLE(cudaDeviceSynchronize());
  Account got[count], want[count] = {};
  int gotTable[32], gotOrder;
  HANDLE(cudaMemcpy(got, accounts, sizeof got, cudaMemcpyDeviceToHost));
  HANDLE(cudaMemcpy(gotTable, table, sizeof gotTable, cudaMemcpyDeviceToHost));
  HANDLE(cudaMemcpy(&gotOrder, order, sizeof gotOrder, cudaMemcpyDeviceToHost));
  HANDLE(cudaFree(mutexes));
  HANDLE(cudaFree(accounts));
  HANDLE(cudaFree(dAmounts));
  HANDLE(cudaFree(table));
  HANDLE(cudaFree(order));
  for (int v : amounts) {
    Account &w = want[v % count];
    w.sum += v;
    ++w.entries;
    if (v > w.largest) w.largest = v;
  }
  for (int a = 0; a < count; ++a)
    if (got[a].sum != want[a].sum || got[a].entries != want[a].entries || got[a].largest != want[a].largest) {
      printf("lock_mutex: account %d: expected %lld %d %d, got %lld %d %d\n", a, want[a].sum, want[a].entries, want[a].largest,
             got[a].sum, got[a].entries, got[a].largest);
      return 1;
    }
  for (int lane = 0; lane < 32; ++lane)
    if (gotTable[lane] != rows * (rows - 1) / 2 * (lane + 1)) {
      printf("lock_mutex: lane %d: expected %d, got %d\n", lane, rows * (rows - 1) / 2 * (lane + 1), gotTable[lane]);
      return 1;
    }
  if (gotOrder != rows) {
    printf("lock_mutex: rows: expected %d, got %d\n", rows, gotOrder);
    return 1;
  }
  printf("lock_mutex: ok\n");
  return 0;
}
