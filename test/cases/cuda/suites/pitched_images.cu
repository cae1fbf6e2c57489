// Pitched rows, 2-D copies, uchar4 pixels, a stencil with halo in shared memory, dynamic shared memory of two types.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#define IDIVUP(a, b) ((a % b != 0) ? (a / b + 1) : (a / b))
typedef uchar4 Pixel;
#define RADIUS 2
__constant__ float d_Kernel[2 * RADIUS + 1];
template <int BX, int BY> __global__ void blurRows(uchar4 *dst, const uchar4 *src, size_t dstPitch, size_t pitch, int w, int h) {
  __shared__ float3 s_Data[BY][BX + 2 * RADIUS];
  const int x = blockIdx.x * BX + threadIdx.x, y = blockIdx.y * BY + threadIdx.y;
  const Pixel *row = (const Pixel *)((const char *)src + y * pitch);
  if (y < h)
    for (int i = threadIdx.x; i < BX + 2 * RADIUS; i += BX) {
      int at = blockIdx.x * BX + i - RADIUS; at = at < 0 ? 0 : at >= w ? w - 1 : at;
      Pixel p = row[at]; s_Data[threadIdx.y][i] = make_float3(p.x, p.y, p.z);
    }
  __syncthreads();
  if (x < w && y < h) {
    float3 sum = make_float3(0.f, 0.f, 0.f);
#pragma unroll
    for (int j = -RADIUS; j <= RADIUS; j++) { float3 v = s_Data[threadIdx.y][threadIdx.x + RADIUS + j]; sum.x += d_Kernel[RADIUS - j] * v.x; sum.y += d_Kernel[RADIUS - j] * v.y; sum.z += d_Kernel[RADIUS - j] * v.z; }
    *((Pixel *)((char *)dst + y * dstPitch) + x) = make_uchar4(__float2uint_rn(sum.x), __float2int_rn(sum.y), (unsigned char)(sum.z + 0.5f), 255);
  }
}
__global__ void brightest(const uchar4 *img, size_t pitch, int w, int h, int *bestValue, short *bestColumn) {
  extern __shared__ unsigned char raw[];
  int *values = (int *)raw; short *columns = (short *)&values[blockDim.x];
  const uchar4 *row = reinterpret_cast<const uchar4 *>(reinterpret_cast<const unsigned char *>(img) + blockIdx.x * pitch);
  int best = -1; short col = 0;
  for (int x = threadIdx.x; x < w; x += blockDim.x) { int v = row[x].x + row[x].y + row[x].z; if (v > best) { best = v; col = x; } }
  values[threadIdx.x] = best; columns[threadIdx.x] = col;
  for (unsigned s = blockDim.x >> 1; s; s >>= 1) {
    __syncthreads();
    if (threadIdx.x < s) { int o = values[threadIdx.x + s]; short oc = columns[threadIdx.x + s];
      if (o > values[threadIdx.x] || (o == values[threadIdx.x] && oc < columns[threadIdx.x])) { values[threadIdx.x] = o; columns[threadIdx.x] = oc; } }
  }
  if (!threadIdx.x) { bestValue[blockIdx.x] = values[0]; bestColumn[blockIdx.x] = columns[0]; }
}
int main() {
  const int w = 75, h = 21; int bad = 0;
  Pixel *h_img = new Pixel[w * h], *h_out = new Pixel[w * h];
  for (int i = 0; i < w * h; i++) h_img[i] = make_uchar4(i * 7, i * 13 + 5, (i * i) >> 3, 0);
  float k[5] = {0.1f, 0.2f, 0.4f, 0.2f, 0.1f};
  cudaMemcpyToSymbol(d_Kernel, k, 5 * sizeof(float));
  uchar4 *src, *dst; size_t pitch, dstPitch;
  cudaMallocPitch(&src, &pitch, w * sizeof(uchar4), h); cudaMallocPitch((void **)&dst, &dstPitch, w * sizeof(uchar4), h);
  cudaMemcpy2D(src, pitch, h_img, w * sizeof(Pixel), w * sizeof(Pixel), h, cudaMemcpyHostToDevice);
  cudaMemset2D(dst, dstPitch, 0, w * 4, h);
  dim3 blocks(IDIVUP(w, 32), IDIVUP(h, 4)), threads(32, 4);
  blurRows<32, 4><<<blocks, threads>>>(dst, src, dstPitch, pitch, w, h);
  cudaMemcpy2D(h_out, w * 4, dst, dstPitch, w * 4, h, cudaMemcpyDeviceToHost);
  int *d_v, v[h]; short *d_c, c[h]; cudaMalloc(&d_v, sizeof v); cudaMalloc(&d_c, sizeof c);
  brightest<<<h, 64, 64 * (sizeof(int) + sizeof(short))>>>(dst, dstPitch, w, h, d_v, d_c);
  cudaMemcpy(v, d_v, sizeof v, cudaMemcpyDeviceToHost); cudaMemcpy(c, d_c, sizeof c, cudaMemcpyDeviceToHost);
  if (pitch % 32 || pitch < w * 4) bad++;
  for (int y = 0; y < h; y++) {
    int best = -1, col = 0;
    for (int x = 0; x < w; x++) {
      float sum = 0; for (int j = -2; j <= 2; j++) { int at = x + j; at = at < 0 ? 0 : at >= w ? w - 1 : at; sum += k[2 - j] * h_img[y * w + at].x; }
      Pixel p = h_out[y * w + x]; if (abs(p.x - (int)(sum + .5f)) > 1 && !bad++) std::cerr << "at " << x << "," << y << ": expected " << sum << ", got " << (int)p.x << "\n";
      if (p.x + p.y + p.z > best) best = p.x + p.y + p.z, col = x;
    }
    if ((v[y] != best || c[y] != col) && !bad++) printf("row %d: expected %d at %d, got %d at %d\n", y, best, col, v[y], c[y]);
  }
  cudaFree(src); cudaFree(dst); cudaFree(d_v); cudaFree(d_c); delete[] h_img; delete[] h_out;
  if (bad) return 1;
  std::cout << "pitched_images: ok\n";
}
