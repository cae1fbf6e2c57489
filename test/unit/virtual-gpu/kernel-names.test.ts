import { expect, it } from 'vitest'

import { readKernelHead } from '../../../electron/engine/compile/virtual-gpu/kernel-names'
import { tokenize } from '../../../electron/engine/compile/virtual-gpu/tokens'

function headOf(source: string): unknown {
  const tokens = tokenize(`${source} { }`)
  const open = tokens.findIndex(({ text }) => text === '{')
  const head = readKernelHead(tokens, 0, open)
  return head && (head.launchBounds === '' ? head.name : [head.name, head.launchBounds])
}

it.each([
  ['__global__ void k(float *p)', 'k'],
  ['extern "C" __global__ void k()', 'k'],
  ['#include <a>\n#define CALL(f) f(1)\n__global__ void k()', 'k'],
  ['static __global__ void __launch_bounds__(96, 2) k(float *p)', ['k', '96, 2']],
  ['__launch_bounds__(BM * (BN / 2)) __global__ void k(int n)', ['k', 'BM * (BN / 2)']],
  ['__global__ __attribute__((used)) void k(T (&a)[4])', 'k'],
  ['template <typename T, int N = (4 > 2)> __global__ void k(T *p)', 'k<T, N>'],
  ['template <class... Rest> __global__ void k(Rest... rest)', 'k<Rest...>'],
  ['template <template <typename> class Op, std::size_t N> __global__ void k()', 'k<Op, N>'],
  ['template <typename F = P<int, 3>, bool b> __global__ void k(F f)', 'k<F, b>'],
  ['template <int N> __launch_bounds__(N) __global__ void k()', ['k<N>', 'N']],
  ['template <> __global__ void k<float, 3>(float *p)', 'k<float, 3>'],
])('%s', (source, expected) => {
  expect(headOf(source)).toEqual(expected)
})

it.each([
  'template <typename> __global__ void k()',
  'template <typename T, int> __global__ void k()',
  'template <std::size_t> __global__ void k()',
  'template <typename T, std::size_t> __global__ void k()',
  'template <typename T, typename T::type *> __global__ void k()',
  'template <PARAMETERS> __global__ void k()',
  '__global__ void S::k()',
  '__global__ void sum(const float *x, float *sum)',
])('%s cannot be named', (source) => {
  expect(headOf(source)).toBeUndefined()
})
