namespace force {
namespace {
__device__ __forceinline__ float square(float x) {
  return x * x;
}
template <typename T>
__global__ void squares(const T* x, T* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = square(x[i]) + T(1);
  }
}
}  // namespace
}  // namespace force
void launch(const float* x, float* y, int n) {
  force::squares<float><<<(n + 255) / 256, 256>>>(x, y, n);
}
