// Three transposes of the same matrix: naive, with a tile in shared memory, and with a padded tile.
// The kernels are in a table of function pointers.
#include <cstdio>
#include <cstdlib>
#include <vector>

const int TILE_DIM = 32;
const int BLOCK_ROWS = 8;

inline cudaError_t checkCuda(cudaError_t result)
{
  if (result != cudaSuccess) {
    fprintf(stderr, "CUDA Runtime Error: %s\n", cudaGetErrorString(result));
    exit(1);
  }
  return result;
}

__global__ void transposeNaive(float *odata, const float *idata, int width, int height)
{
  int x = blockIdx.x * TILE_DIM + threadIdx.x;
  int y = blockIdx.y * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
    if (x < width && y + j < height)
      odata[x * height + (y + j)] = idata[(y + j) * width + x];
}

__global__ void transposeTiled(float *odata, const float *idata, int width, int height)
{
  __shared__ float tile[TILE_DIM][TILE_DIM];

  int x = blockIdx.x * TILE_DIM + threadIdx.x;
  int y = blockIdx.y * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
    if (x < width && y + j < height)
      tile[threadIdx.y + j][threadIdx.x] = idata[(y + j) * width + x];

  __syncthreads();

  x = blockIdx.y * TILE_DIM + threadIdx.x;
  y = blockIdx.x * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
    if (x < height && y + j < width)
      odata[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

__global__ void transposePadded(float *odata, const float *idata, int width, int height)
{
  __shared__ float tile[TILE_DIM * (TILE_DIM + 1)];

  int x = blockIdx.x * TILE_DIM + threadIdx.x;
  int y = blockIdx.y * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
    if (x < width && y + j < height)
      tile[(threadIdx.y + j) * (TILE_DIM + 1) + threadIdx.x] = idata[(y + j) * width + x];

  __syncthreads();

  x = blockIdx.y * TILE_DIM + threadIdx.x;
  y = blockIdx.x * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
    if (x < height && y + j < width)
      odata[(y + j) * height + x] = tile[threadIdx.x * (TILE_DIM + 1) + threadIdx.y + j];
}

int main(int argc, char **argv)
{
  const int width = argc > 1 ? atoi(argv[1]) : 150;
  const int height = argc > 2 ? atoi(argv[2]) : 83;
  const size_t bytes = (size_t)width * height * sizeof(float);

  typedef void (*Kernel)(float *, const float *, int, int);
  struct { const char *name; Kernel kernel; } kernels[] = {
    {"naive", transposeNaive}, {"tiled", transposeTiled}, {"padded", &transposePadded}};

  std::vector<float> in(width * height), out(width * height);
  for (int i = 0; i < width * height; i++) in[i] = (float)i;

  float *d_in, *d_out;
  checkCuda(cudaMalloc(&d_in, bytes));
  checkCuda(cudaMalloc(&d_out, bytes));
  checkCuda(cudaMemcpy(d_in, in.data(), bytes, cudaMemcpyHostToDevice));

  dim3 dimGrid((width + TILE_DIM - 1) / TILE_DIM, (height + TILE_DIM - 1) / TILE_DIM, 1);
  dim3 dimBlock(TILE_DIM, BLOCK_ROWS, 1);
  for (auto &entry : kernels) {
    checkCuda(cudaMemset(d_out, 0, bytes));
    entry.kernel<<<dimGrid, dimBlock>>>(d_out, d_in, width, height);
    checkCuda(cudaGetLastError());
    checkCuda(cudaMemcpy(out.data(), d_out, bytes, cudaMemcpyDeviceToHost));
    for (int x = 0; x < width; x++)
      for (int y = 0; y < height; y++)
        if (!(out[x * height + y] == in[y * width + x])) {
          printf("transpose: %s: element %d: expected %g, got %g\n", entry.name, x * height + y, in[y * width + x],
                 out[x * height + y]);
          return 1;
        }
  }
  checkCuda(cudaFree(d_in));
  checkCuda(cudaFree(d_out));
  printf("transpose: ok\n");
  return 0;
}
