import { describe, expect, it } from 'vitest'

import { appCalls } from '../../electron/contract/app-calls'
import { hostCalls } from '../../electron/contract/host-calls'
import { settingsChange } from '../../electron/contract/settings'
import { tensorHandle, tensorStats } from '../../electron/contract/tensor'

describe('the contract', () => {
  it('every call has message types for its input and its output', () => {
    for (const table of [appCalls, hostCalls]) {
      for (const call of Object.values(table)) {
        expect(typeof call.input.safeParse).toBe('function')
        expect(typeof call.output.safeParse).toBe('function')
      }
    }
  })

  it('every call is named domain.verb', () => {
    for (const name of [...Object.keys(appCalls), ...Object.keys(hostCalls)]) {
      expect(name).toMatch(/^[a-z][a-zA-Z]*\.[a-zA-Z]+$/)
    }
  })

  it('a wrong payload is refused with the name of the field', () => {
    const parsed = appCalls['file.write'].input.safeParse({
      folder: '/p',
      path: 3,
      text: '',
      baseVersion: '',
    })
    expect(parsed.error?.issues[0]?.path).toEqual(['path'])
  })

  it('statistics may hold NaN and infinities', () => {
    const stats = {
      count: 1,
      nan: 0,
      posInf: 1,
      negInf: 0,
      zeros: 0,
      min: null,
      max: Infinity,
      mean: NaN,
      std: null,
    }
    expect(tensorStats.parse(stats).max).toBe(Infinity)
  })

  it('a stride beyond 2^53 is one that a tensor may have', () => {
    const stats = { count: 1, nan: 0, posInf: 0, negInf: 0, zeros: 0 }
    const range = { min: 1, max: 1, mean: 1, std: null }
    const handle = { kind: 'tensor', handle: 1, shape: [1], strides: [2 ** 62], dtype: 'int64' }
    const rest = { device: 'cpu', requiresGrad: false, gradFn: '', stats: { ...stats, ...range } }
    expect(tensorHandle.safeParse({ ...handle, ...rest }).success).toBe(true)
  })

  it('a change of settings has only the settings that are named', () => {
    expect(settingsChange.parse({ theme: 'dark' })).toEqual({ theme: 'dark' })
  })
})
