// printf in kernels. What it writes goes to the program's stdout at the next synchronisation: the program sends its
// stdout into a file for that time, reads the file, and compares it line by line.
#include <cstdio>
#include <cstdlib>
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>
#include <unistd.h>

#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "device_printf: %s\n", cudaGetErrorString(e_)); exit(1); } } while (0)

struct Point { float x; double y; const char *name; };

__global__ void hello(int *returned) {
  if (threadIdx.x % 2) return;
  int n = printf("block %d thread %u says %s %5.2f|%-6d|%06x|%c%%\n", blockIdx.x, threadIdx.x, "hello", threadIdx.x * 1.5f,
                 -(int)threadIdx.x, 0xabcu + threadIdx.x, 'a' + (char)threadIdx.x);
  returned[blockIdx.x * blockDim.x + threadIdx.x] = n;
}

__global__ void more(Point p, long long big, const int *pointer) {
  if (threadIdx.x == 0 && blockIdx.x == 0) {
    printf("nothing to fill in\n");
    printf("%lld %llu %hd %g %e\n", big, (unsigned long long)big * 2, (short)-7, p.y, p.y);
    printf("%*d|%.3s|%+d|%#o\n", 6, 42, "abcdef", 5, 8);
    printf("%s\n", pointer ? "a pointer" : "none");
    for (int i = 0; i < 3; ++i) printf("%d%s", i, i < 2 ? ", " : "\n");
  }
}

int main() {
  int *d_returned, returned[16];
  CHECK(cudaMalloc(&d_returned, sizeof returned));
  CHECK(cudaMemset(d_returned, 0, sizeof returned));

  fflush(stdout);
  const int saved = dup(1);
  FILE *file = tmpfile();
  if (saved < 0 || !file || dup2(fileno(file), 1) < 0) {
    fprintf(stderr, "device_printf: no temporary file\n");
    return 1;
  }
  hello<<<2, 8>>>(d_returned);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  more<<<2, 32>>>(Point{1.0f, 0.25, nullptr}, 1234567890123LL, d_returned);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  fflush(stdout);
  dup2(saved, 1);
  close(saved);

  std::vector<std::string> lines, want;
  char line[256];
  rewind(file);
  while (fgets(line, sizeof line, file)) lines.push_back(line);
  fclose(file);
  for (int b = 0; b < 2; ++b)
    for (int t = 0; t < 8; t += 2) {
      snprintf(line, sizeof line, "block %d thread %u says hello %5.2f|%-6d|%06x|%c%%\n", b, t, t * 1.5, -t, 0xabc + t, 'a' + t);
      want.push_back(line);
    }
  // lines of different threads come in any order, those of the second kernel in theirs
  if (lines.size() >= 8) std::sort(lines.begin(), lines.begin() + 8);
  for (const char *text : {"nothing to fill in\n", "1234567890123 2469135780246 -7 0.25 2.500000e-01\n", "    42|abc|+5|010\n", "a pointer\n",
                           "0, 1, 2\n"})
    want.push_back(text);
  if (lines.size() != want.size()) {
    printf("device_printf: lines: expected %zu, got %zu\n", want.size(), lines.size());
    return 1;
  }
  for (size_t i = 0; i < want.size(); ++i)
    if (lines[i] != want[i]) {
      printf("device_printf: line %zu: expected %sgot %s", i, want[i].c_str(), lines[i].c_str());
      return 1;
    }

  // unlike C's, it returns how many values were given
  CHECK(cudaMemcpy(returned, d_returned, sizeof returned, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d_returned));
  for (int i = 0; i < 16; ++i)
    if (returned[i] != (i % 2 ? 0 : 7)) {
      printf("device_printf: returned %d: expected %d, got %d\n", i, i % 2 ? 0 : 7, returned[i]);
      return 1;
    }
  printf("device_printf: ok\n");
  return 0;
}
