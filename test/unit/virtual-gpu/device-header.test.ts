import { expect, it } from 'vitest'

import { agreesWithDeviceHeader } from '../../../electron/engine/compile/virtual-gpu/device-header'
import { deviceCodeFlags, headerFlags } from '../../../electron/engine/compile/virtual-gpu/flags'

const usual = [
  ...deviceCodeFlags,
  ...headerFlags('/opsmith'),
  '-DTORCH_EXTENSION_NAME=my_op',
  '-DOPSMITH_GPU_DEPENDENT_BLOCKS=1',
  '-I',
  '.',
]

it('the flags of every CUDA source agree with the headers for device code', () => {
  expect(agreesWithDeviceHeader('/opsmith', usual)).toBe(true)
  expect(agreesWithDeviceHeader('/opsmith', [...usual, '-DMY_SIZE=3', '-Iinclude'])).toBe(true)
})

it.each([
  '-U__CUDA_NO_HALF_OPERATORS__',
  '-DCUDA_API_PER_THREAD_DEFAULT_STREAM',
  '-D__CUDACC_VER_MAJOR__=13',
  '-DNDEBUG',
  '-O3',
  '-ffast-math',
  '-include',
])('a source with %s starts from the usual headers', (flag) => {
  expect(agreesWithDeviceHeader('/opsmith', [...usual, flag])).toBe(false)
})
