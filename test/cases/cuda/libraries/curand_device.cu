// Random numbers in kernels: published test vectors, jumps against single steps, moments.
#include <cuda_runtime.h>
#include <curand_kernel.h>

#include "expect.h"

// Random123's known answers for philox4x32-10.
__global__ void philox_answers(unsigned* out) {
  curandStatePhilox4_32_10_t state;
  curand_init(0, 0, 0, &state);
  for (int i = 0; i < 4; ++i) out[i] = curand(&state);

  curand_init(~0ull, ~0ull, 0, &state);
  for (int i = 0; i < 4; ++i) skipahead(~0ull - 3, &state);
  skipahead(12ull, &state);
  uint4 four = curand4(&state);
  out[4] = four.x;
  out[5] = four.y;
  out[6] = four.z;
  out[7] = four.w;

  curand_init(0x299f31d0a4093822ull, 0x0370734413198a2eull, 0, &state);
  for (int i = 0; i < 4; ++i) skipahead(0x85a308d3243f6a88ull, &state);
  four = curand4(&state);
  out[8] = four.x;
  out[9] = four.y;
  out[10] = four.z;
  out[11] = four.w;
}

void test_philox() {
  const unsigned expected[12] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8, 0x408f276d, 0x41c83b0e,
                                 0xa20bc7c6, 0x6d5451fd, 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1};
  device_array<unsigned> out(12);
  philox_answers<<<1, 1>>>(out.data);
  for (int i = 0; i < 12; ++i) EXPECT(out.host()[i] == expected[i], "word %d is %08x", i, out.host()[i]);
}

// out[0]: numbers after a jump equal those after as many steps. out[1]: four at once are the next four.
template <typename State>
__global__ void jumps(int* out, unsigned long long seed) {
  State stepped, jumped;
  bool same = true;
  for (unsigned skip : {0u, 1u, 5u, 100u, 1023u}) {
    curand_init(seed, 3, 0, &stepped);
    for (unsigned i = 0; i < skip; ++i) curand(&stepped);
    curand_init(seed, 3, skip, &jumped);
    for (int i = 0; i < 20; ++i) same = same && curand(&stepped) == curand(&jumped);
    curand_init(seed, 3, 0, &jumped);
    skipahead((unsigned long long)skip, &jumped);
    curand_init(seed, 3, skip, &stepped);
    for (int i = 0; i < 20; ++i) same = same && curand(&stepped) == curand(&jumped);
  }
  out[0] = same;
}

// A sequence of XORWOW is 2^67 numbers long.
__global__ void xorwow_sequences(int* out) {
  curandState a, b;
  curand_init(77, 5, 0, &a);
  curand_init(77, 0, 0, &b);
  for (int i = 0; i < 5 * 128; ++i) skipahead(1ull << 60, &b);
  bool same = true;
  for (int i = 0; i < 10; ++i) same = same && curand(&a) == curand(&b);
  out[0] = same;
  // The recurrence of Marsaglia's paper.
  curand_init(1234, 1, 0, &a);
  unsigned x = a.v[0], y = a.v[1], z = a.v[2], w = a.v[3], v = a.v[4], d = a.d;
  same = true;
  for (int i = 0; i < 1000; ++i) {
    const unsigned t = x ^ (x >> 2);
    x = y;
    y = z;
    z = w;
    w = v;
    v = (v ^ (v << 4)) ^ (t ^ (t << 1));
    same = same && curand(&a) == (d += 362437) + v;
  }
  out[1] = same;
}

__global__ void mrg_first(float* out) {
  curandStateMRG32k3a_t state;
  curand_init(0, 0, 0, &state);
  for (int i = 0; i < 3; ++i) out[i] = curand_uniform(&state);
}

template <typename State>
__global__ void draw(float* uniform, double* uniform_double, float* normal, double* normal_double, float* log_normal,
                     unsigned* small, unsigned* large) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  State state;
  curand_init(2024, at, 0, &state);
  uniform[at] = curand_uniform(&state);
  uniform_double[at] = curand_uniform_double(&state);
  normal[at] = curand_normal(&state);
  normal_double[at] = curand_normal_double(&state);
  log_normal[at] = curand_log_normal(&state, 0.5f, 0.25f);
  small[at] = curand_poisson(&state, 3.5);
  large[at] = curand_poisson(&state, 200.0);
}

template <typename T>
void check_moments(const std::vector<T>& values, double mean, double deviation, const char* name) {
  double sum = 0, squares = 0;
  for (T value : values) {
    sum += value;
    squares += static_cast<double>(value) * value;
  }
  const double got = sum / values.size();
  const double spread = std::sqrt(squares / values.size() - got * got);
  // Five standard errors.
  EXPECT(std::fabs(got - mean) < 5 * deviation / std::sqrt((double)values.size()), "%s: mean %f", name, got);
  EXPECT(std::fabs(spread / deviation - 1) < 0.06, "%s: deviation %f", name, spread);
}

template <typename State>
void test_moments() {
  const int count = 8192;
  device_array<float> u(count), n(count), l(count);
  device_array<double> ud(count), nd(count);
  device_array<unsigned> small(count), large(count);
  draw<State><<<count / 128, 128>>>(u.data, ud.data, n.data, nd.data, l.data, small.data, large.data);
  for (float value : u.host()) EXPECT(value > 0 && value <= 1, "%f", value);
  for (double value : ud.host()) EXPECT(value > 0 && value <= 1, "%f", value);
  check_moments(u.host(), 0.5, std::sqrt(1 / 12.0), "uniform");
  check_moments(ud.host(), 0.5, std::sqrt(1 / 12.0), "uniform_double");
  check_moments(n.host(), 0, 1, "normal");
  check_moments(nd.host(), 0, 1, "normal_double");
  const double s2 = 0.0625, mean = std::exp(0.5 + s2 / 2);
  check_moments(l.host(), mean, mean * std::sqrt(std::exp(s2) - 1), "log_normal");
  check_moments(small.host(), 3.5, std::sqrt(3.5), "poisson(3.5)");
  check_moments(large.host(), 200, std::sqrt(200.0), "poisson(200)");
}

__global__ void four_at_once(int* out) {
  curandStatePhilox4_32_10_t one, four;
  bool same = true;
  for (int start = 0; start < 4; ++start) {
    curand_init(9, 1, start, &one);
    curand_init(9, 1, start, &four);
    for (int i = 0; i < 3; ++i) {
      const float4 got = curand_uniform4(&four);
      same = same && got.x == curand_uniform(&one) && got.y == curand_uniform(&one);
      same = same && got.z == curand_uniform(&one) && got.w == curand_uniform(&one);
    }
    const float4 normals = curand_normal4(&four);
    const float2 pair = curand_normal2(&one);
    same = same && normals.x == pair.x && normals.y == pair.y;
    same = same && curand_normal(&one) == normals.z && curand_normal(&one) == normals.w;
  }
  out[0] = same;
}

int main() {
  test_philox();
  device_array<int> same(2);
  jumps<curandStatePhilox4_32_10_t><<<1, 1>>>(same.data, 42);
  EXPECT(same.host()[0] == 1);
  CUDA_OK(cudaMemset(same.data, 0, sizeof(int)));
  jumps<curandState><<<1, 1>>>(same.data, 43);
  EXPECT(same.host()[0] == 1);
  CUDA_OK(cudaMemset(same.data, 0, sizeof(int)));
  jumps<curandStateMRG32k3a_t><<<1, 1>>>(same.data, 44);
  EXPECT(same.host()[0] == 1);
  CUDA_OK(cudaMemset(same.data, 0, sizeof(int)));
  xorwow_sequences<<<1, 1>>>(same.data);
  EXPECT(same.host()[0] == 1 && same.host()[1] == 1);
  CUDA_OK(cudaMemset(same.data, 0, sizeof(int)));
  four_at_once<<<1, 1>>>(same.data);
  EXPECT(same.host()[0] == 1);

  device_array<float> first(3);
  mrg_first<<<1, 1>>>(first.data);
  EXPECT(std::fabs(first.host()[0] - 0.1270111) < 1e-6, "%f", first.host()[0]);  // L'Ecuyer's own first number
  test_moments<curandStatePhilox4_32_10_t>();
  test_moments<curandState>();
  test_moments<curandStateMRG32k3a_t>();
  std::printf("curand_device: ok\n");
}
