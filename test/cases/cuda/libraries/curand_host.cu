// Random numbers by the host interface.
#include <cuda_runtime.h>
#include <curand.h>

#include "expect.h"

#define CURAND_OK(CALL) EXPECT((CALL) == CURAND_STATUS_SUCCESS)

void test(curandRngType_t type) {
  const int count = 20000;
  curandGenerator_t generator;
  CURAND_OK(curandCreateGenerator(&generator, type));
  CURAND_OK(curandSetPseudoRandomGeneratorSeed(generator, 1234));
  device_array<float> uniform(count), normal(count), again(count);
  device_array<double> normal_double(count);
  device_array<unsigned> bits(count);
  CURAND_OK(curandGenerateUniform(generator, uniform.data, count));
  CURAND_OK(curandGenerateNormal(generator, normal.data, count, 3, 2));
  CURAND_OK(curandGenerateNormalDouble(generator, normal_double.data, count, -1, 0.5));
  CURAND_OK(curandGenerate(generator, bits.data, count));
  EXPECT(curandGenerateNormal(generator, normal.data, 3, 0, 1) == CURAND_STATUS_LENGTH_NOT_MULTIPLE);

  double sum = 0, normals = 0, squares = 0, doubles = 0;
  long ones = 0;
  const auto u = uniform.host(), n = normal.host();
  const auto d = normal_double.host();
  const auto b = bits.host();
  for (int i = 0; i < count; ++i) {
    EXPECT(u[i] > 0 && u[i] <= 1);
    sum += u[i];
    normals += n[i];
    squares += (n[i] - 3) * (n[i] - 3);
    doubles += d[i];
    for (unsigned rest = b[i]; rest != 0; rest &= rest - 1) ++ones;
  }
  EXPECT(std::fabs(sum / count - 0.5) < 0.012);
  EXPECT(std::fabs(normals / count - 3) < 0.08 && std::fabs(std::sqrt(squares / count) - 2) < 0.06);
  EXPECT(std::fabs(doubles / count + 1) < 0.02);
  EXPECT(std::fabs(ones / (32.0 * count) - 0.5) < 0.005);

  CURAND_OK(curandSetPseudoRandomGeneratorSeed(generator, 1234));
  CURAND_OK(curandGenerateUniform(generator, again.data, count));
  EXPECT(again.host() == u);
  CURAND_OK(curandDestroyGenerator(generator));
}

int main() {
  test(CURAND_RNG_PSEUDO_DEFAULT);
  test(CURAND_RNG_PSEUDO_MRG32K3A);
  test(CURAND_RNG_PSEUDO_PHILOX4_32_10);
  std::vector<double> values(1000);
  curandGenerator_t generator;
  CURAND_OK(curandCreateGeneratorHost(&generator, CURAND_RNG_PSEUDO_PHILOX4_32_10));
  CURAND_OK(curandGenerateUniformDouble(generator, values.data(), values.size()));
  double sum = 0;
  for (double value : values) sum += value;
  EXPECT(std::fabs(sum / 1000 - 0.5) < 0.05);
  CURAND_OK(curandDestroyGenerator(generator));
  std::printf("curand_host: ok\n");
}
