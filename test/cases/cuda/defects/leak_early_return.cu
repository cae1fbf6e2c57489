#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#define CUDA_CHECK(call)                                                                    \
  do {                                                                                      \
    cudaError_t status_ = (call);                                                           \
    if (status_ != cudaSuccess) {                                                           \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
      std::exit(1);                                                                         \
    }                                                                                       \
  } while (0)

__global__ void mark(const char* text, int n, char wanted, int* found, unsigned char* flags) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  flags[i] = text[i] == wanted;
  if (flags[i]) atomicAdd(found, 1);
}

// The positions of a letter in a text that is on the device.
std::vector<int> positions(const char* d_text, int n, char wanted) {
  int* d_found = nullptr;
  unsigned char* d_flags = nullptr;
  CUDA_CHECK(cudaMalloc(&d_found, sizeof(int)));
  CUDA_CHECK(cudaMalloc(&d_flags, n));  // finds: leak
  CUDA_CHECK(cudaMemset(d_found, 0, sizeof(int)));
  mark<<<(n + 63) / 64, 64>>>(d_text, n, wanted, d_found, d_flags);
  CUDA_CHECK(cudaGetLastError());
  int found = 0;
  CUDA_CHECK(cudaMemcpy(&found, d_found, sizeof(int), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_found));
  if (found == 0) return {};
  std::vector<unsigned char> flags(n);
  CUDA_CHECK(cudaMemcpy(flags.data(), d_flags, n, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_flags));
  std::vector<int> result;
  for (int i = 0; i < n; ++i)
    if (flags[i]) result.push_back(i);
  return result;
}

int main() {
  std::string text;
  for (int i = 0; i < 20; ++i)
    text += "the quick brown fox ";
  char* d_text = nullptr;
  CUDA_CHECK(cudaMalloc(&d_text, text.size()));
  CUDA_CHECK(cudaMemcpy(d_text, text.data(), text.size(), cudaMemcpyHostToDevice));
  size_t quick = positions(d_text, static_cast<int>(text.size()), 'q').size();
  size_t lazy = positions(d_text, static_cast<int>(text.size()), 'z').size();
  CUDA_CHECK(cudaFree(d_text));
  if (quick != 20 || lazy != 0) {
    std::printf("found %zu and %zu, expected 20 and 0\n", quick, lazy);
    return 1;
  }
  std::printf("ok\n");
  return 0;
}
