import { expect, it } from 'vitest'

import { comparedNumbers } from '../../electron/engine/check/compared-numbers'

const source = `
#define LIMIT 88.5f
constexpr double kThreshold = 20.0;
// if (x > 99.0)
template <typename T> T relu6(T x) { return std::min(std::max(x, T(0)), T(6)); }
double softplus(double x) {
  TORCH_CHECK(x.dim() == 7);
  for (int64_t i = 0; i < 33; ++i) {}
  return x > kThreshold ? x : x >= LIMIT ? 0 : x < -2.5e1f ? 1 : std::log1p(std::exp(x));
}
std::array<float, 5> five;
Tensor hard(const Tensor& x) { return at::clamp(x, -3, 3) * (x != 0.25); }
`

it('numbers that values are compared with are found, those nearest to the line first', () => {
  expect(comparedNumbers(source, 6)).toEqual([6, 20, 88.5, 25, 0.25, 3])
})

it('counts, sizes, comments, 0 and 1 are no such numbers', () => {
  const found = comparedNumbers(source, 1)
  for (const value of [0, 1, 5, 7, 33, 99]) expect(found).not.toContain(value)
})
