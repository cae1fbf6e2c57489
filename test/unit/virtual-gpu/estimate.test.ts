import { describe, expect, it } from 'vitest'

import type { GpuKernelCounts } from '../../../electron/contract/gpu-counts'
import { estimateText } from '../../../electron/contract/gpu-estimate'
import { estimateOf } from '../../../electron/engine/virtual-gpu/estimate'
import { gpuModels } from '../../../electron/engine/virtual-gpu/gpu-models'
import { occupancyOf } from '../../../electron/engine/virtual-gpu/occupancy'

const a100 = gpuModels.find(({ name }) => name.includes('A100'))
if (!a100) throw new Error('no A100')
const half = occupancyOf('sm_80', {
  threads: 1024,
  registers: 33,
  staticShared: 0,
  dynamicShared: 0,
})
const full = occupancyOf('sm_80', { threads: 1024, staticShared: 0, dynamicShared: 0 })

type Kernel = Parameters<typeof estimateOf>[1]

/** `blocks` blocks copy 2^24 floats each launch: 64 MiB are read, and as many written. */
function copying(more: Partial<GpuKernelCounts> = {}, blocks = 216 * 100): Kernel {
  const requests = 2 ** 24 / 32
  const moved = { requests, lanes: 2 ** 24, bytes: 2 ** 26, sectors: 4 * requests }
  return {
    configurations: [{ block: [1024, 1, 1], dynamicShared: 0, launches: 1, blocks }],
    total: {
      globalLoads: moved,
      globalStores: moved,
      operations: { float32: 0, float64: 0, functionCalls: 0 },
    },
    sectorsRead: 2 ** 21,
    sectorsWritten: 2 ** 21,
    ...more,
  }
}

const least = 2 ** 27 / 2039e9

describe('an estimate', () => {
  it('begins at what the data sheet allows, and ends where a part of it is reached', () => {
    const estimate = estimateOf(a100, copying(), full)
    expect(estimate).toMatchObject({ architecture: 'sm_80', boundBy: 'memory' })
    expect(estimate?.low).toBeCloseTo(least, 12)
    expect(estimate?.high).toBeCloseTo(least / 0.6, 12)
  })

  it('has more at its end for sectors that are read again, and for poor occupancy', () => {
    const copy = copying()
    const stores = { requests: 2 ** 19, lanes: 2 ** 24, bytes: 2 ** 26, sectors: 2 ** 24 }
    const strided = copying({ total: { ...copy.total, globalStores: stores } })
    const estimate = estimateOf(a100, strided, full)
    expect(estimate?.low).toBeCloseTo(least, 12)
    expect(estimate?.high).toBeCloseTo((least * (1 + 8)) / 2 / 0.6, 12)
    expect(half.occupancy).toBe(0.5)
    expect(estimateOf(a100, copy, half)?.high).toBeCloseTo((2 * least) / 0.6, 12)
  })

  it('is of one launch, and knows that few blocks leave multiprocessors idle', () => {
    const operations = { float32: 2e9, float64: 0, functionCalls: 0 }
    const one = copying({ total: { operations }, sectorsRead: 1, sectorsWritten: 1 }, 27)
    const twice = {
      ...one,
      configurations: one.configurations.map((of) => ({ ...of, launches: 2, blocks: 54 })),
      total: { operations: { ...operations, float32: 4e9 } },
    }
    // 27 of 108 multiprocessors are busy.
    const time = (4 * 2e9) / 19.5e12
    expect(estimateOf(a100, one, full)).toMatchObject({ boundBy: 'operations' })
    for (const kernel of [one, twice]) expect(estimateOf(a100, kernel, full)?.low).toBeCloseTo(time)
  })

  it('is limited by shared memory where bank conflicts take longest', () => {
    const banks = { requests: 1, lanes: 32, bytes: 128, wavefronts: 1e9, leastWavefronts: 1e9 }
    const kernel = copying({
      total: { operations: { float32: 1, float64: 0, functionCalls: 0 }, sharedLoads: banks },
    })
    expect(estimateOf(a100, kernel, full)?.boundBy).toBe('shared memory')
    // 108 multiprocessors at 1.41 GHz.
    expect(estimateOf(a100, kernel, full)?.low).toBeCloseTo(1e9 / (108 * 1.41e9), 4)
  })

  it('is none where nothing can run, or operations are not known', () => {
    expect(estimateOf(a100, copying({ configurations: [] }), full)).toBeUndefined()
    expect(estimateOf(a100, copying({ total: {} }), full)).toBeUndefined()
    expect(estimateOf(a100, copying(), { ...full, blocks: 0 })).toBeUndefined()
  })

  it('is a range for every model, and written as one', () => {
    for (const model of gpuModels) {
      const occupancy = occupancyOf(model.architecture, {
        threads: 256,
        staticShared: 0,
        dynamicShared: 0,
      })
      const estimate = estimateOf(model, copying(), occupancy)
      expect(estimate?.high, model.name).toBeGreaterThan(1.5 * (estimate?.low ?? Infinity))
    }
    const range = { model: 'x', architecture: 'sm_80', boundBy: 'memory', source: '' } as const
    expect(estimateText({ ...range, low: 1.24e-6, high: 3.4e-6 })).toBe('1.2 to 3.4 µs')
    expect(estimateText({ ...range, low: 0.9e-6, high: 123e-6 })).toBe('0.9 to 120 µs')
    expect(estimateText({ ...range, low: 2.52e-9, high: 2.6e-6 })).toBe('2.5 ns to 2.6 µs')
    expect(estimateText({ ...range, low: 2e-9, high: 40e-9 })).toBe('2 to 40 ns')
  })
})
