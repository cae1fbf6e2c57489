import { expect, it } from 'vitest'

import { shortFloatNames } from '../../../electron/engine/compile/virtual-gpu/short-floats'

it.each([
  ['a source of libtorch that uses half', ['#include <torch/extension.h>\nhalf x;'], 'cuda'],
  ['one whose header includes libtorch', ['__half x;', '# include "ATen/ATen.h"\n'], 'cuda'],
  ['one that calls a function of them', ['#include <c10/util/Half.h>\nauto y = hsqrt(x);'], 'cuda'],
  ['one that includes the header', ['#include <cuda_fp16.h>\nhalf x;'], 'plain'],
  ['one that does not use them', ['#include <torch/extension.h>\nfloat halfway;'], 'plain'],
  ['one with a type of its own', ['struct half { float value; };'], 'own'],
])('%s', (_, texts, expected) => {
  expect(shortFloatNames(texts)).toBe(expected)
})
