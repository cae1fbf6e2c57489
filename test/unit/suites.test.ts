import path from 'node:path'
import { pathToFileURL } from 'node:url'

import { describe, expect, it } from 'vitest'

import { root } from '../support/installation'

interface Found {
  gpus: string | undefined
  libtorch: string
  cuda: string
  triton: string
}

describe('why the tests of a GPU are skipped', () => {
  const found: Found = {
    gpus: 'GPU 0: NVIDIA L4',
    libtorch: '2.13.0+cu130',
    cuda: 'True',
    triton: 'True',
  }

  it.each<[string, Partial<Found>, RegExp]>([
    ['a driver', { gpus: undefined }, /no NVIDIA driver/],
    ['a GPU', { gpus: 'No devices found.' }, /lists no GPU/],
    ['a libtorch for CUDA', { libtorch: '2.13.0+cpu' }, /is a CPU build: npm run setup -- --cuda/],
    [
      'a device that libtorch can use',
      { cuda: 'False' },
      /cannot use the GPU: opsmith doctor --gpu/,
    ],
    ['triton', { triton: 'False' }, /no triton, .*pip install triton/],
    ['nothing', {}, /^$/],
  ])('%s is missing', async (_, change, reason) => {
    const script = pathToFileURL(path.join(root, 'scripts/lib/suites.mjs'))
    const { gpuProblem } = (await import(script.href)) as { gpuProblem(found: Found): string }
    expect(gpuProblem({ ...found, ...change })).toMatch(reason)
  })
})
