import { describe, expect, it } from 'vitest'

import { countsBasis } from '../../electron/contract/gpu-counts'
import type { GpuCounts, GpuCountSums } from '../../electron/contract/gpu-counts'
import { baseName, knownBlocks } from '../../renderer/features/kernels/block-needs'
import { emptyCell, heatCells, lineWords } from '../../renderer/features/kernels/heat-cells'
import { metricValues, shortCount } from '../../renderer/features/kernels/metrics'

const global = (requests: number, sectors: number) => ({
  requests,
  lanes: 32 * requests,
  bytes: 128 * requests,
  sectors,
})
const loads = (sectors: number): GpuCountSums => ({ globalLoads: global(10, 10 * sectors) })

const file = '/p/op.cu'
function countsOf(lines: Readonly<Record<number, GpuCountSums>>): GpuCounts {
  return {
    basis: countsBasis,
    launches: 1,
    missedAccesses: 0,
    kernels: [
      {
        kernel: 'scale<scalar_t>',
        launched: { file, line: 1 },
        staticShared: 512,
        configurations: [{ block: [16, 16, 1], dynamicShared: 256, launches: 1, blocks: 1 }],
        lines: Object.entries(lines).map(([line, sums]) => ({
          place: { file, line: Number(line) },
          ...sums,
        })),
        total: {},
        sectorsRead: 0,
        sectorsWritten: 0,
        arithmeticIntensity: null,
        occupancy: [],
        estimates: [],
      },
    ],
  }
}

describe('the column of counts', () => {
  it('is hotter the more of its sectors a request wastes, and says how many there are', () => {
    const cells = heatCells(countsOf({ 3: loads(4), 4: loads(32), 5: loads(1) }), 'sectors')
    const [coalesced, strided, broadcast] = cells.get(file) ?? []
    expect(strided).toMatchObject({ line: 4, text: '█  32.0 ', level: 4 })
    expect(coalesced).toMatchObject({ line: 3, text: '▁   4.0 ', level: 0 })
    expect(broadcast).toMatchObject({ line: 5, text: '▁   1.0 ', level: 0 })
    for (const cell of [coalesced, strided, broadcast])
      expect(cell?.text).toHaveLength(emptyCell.length)
  })

  it('has a cell for a line without the metric, with the figures that it has', () => {
    const barrier = { barriers: { warps: 8, lanes: 200 } }
    const [cell] = heatCells(countsOf({ 7: barrier }), 'sectors').get(file) ?? []
    expect(cell).toMatchObject({ line: 7, text: '      · ', level: 0 })
    expect(cell?.words).toEqual([
      'Barrier: 8 warps with 25.0 of 32 lanes active.',
      'These counts are for the code that clang generates. The code that nvcc generates may differ.',
    ])
  })

  it('adds what several kernels do at a line, and leaves unknown lines out', () => {
    const counts = countsOf({ 0: loads(4), 3: loads(4) })
    const twice = { ...counts, kernels: [...counts.kernels, ...countsOf({ 3: loads(12) }).kernels] }
    expect(heatCells(twice, 'sectors').get(file)).toMatchObject([{ line: 3, text: '▃   8.0 ' }])
    // The counts themselves stay as they were.
    expect(heatCells(twice, 'sectors').get(file)).toMatchObject([{ line: 3, text: '▃   8.0 ' }])
  })

  it('says the figures of a line in words', () => {
    expect(
      lineWords({
        ...loads(4),
        sharedLoads: { requests: 2, lanes: 64, bytes: 256, wavefronts: 64, leastWavefronts: 2 },
        operations: { float32: 4096, float64: 0, functionCalls: 32 },
      }),
    ).toEqual([
      'Global load: 10 requests with 32.0 of 32 lanes active, 4.0 sectors a request, 100 % of their bytes used.',
      'Shared load: 2 requests with 32.0 of 32 lanes active, 32.0-way bank conflicts.',
      'Operations: 4,096 of float, 32 calls of math functions.',
      'Moved between global memory and the kernel: 1.3 kB.',
      'Operations inside math functions are not counted.',
    ])
  })
})

describe('metrics', () => {
  it('of fewer active lanes are hotter', () => {
    const lanes = (active: number): GpuCountSums => ({
      globalStores: { ...global(10, 40), lanes: 10 * active },
    })
    const [full, few] = metricValues('lanes', [lanes(32), lanes(4)])
    expect(full).toEqual({ text: '32.0', heat: 0 })
    expect(few).toEqual({ text: '4.0', heat: 0.875 })
  })

  it('of amounts compare the lines of a file', () => {
    const operations = (float32: number): GpuCountSums => ({
      operations: { float32, float64: 0, functionCalls: 0 },
    })
    const values = metricValues('operations', [operations(500_000), operations(2_000_000), {}])
    expect(values).toEqual([{ text: '500k', heat: 0.25 }, { text: '2.0M', heat: 1 }, undefined])
    expect(metricValues('conflicts', [loads(4)])).toEqual([undefined])
    expect(metricValues('bytes', [loads(4)])).toEqual([{ text: '1.3k', heat: 1 }])
  })

  it('fit into a column', () => {
    expect([7, 999, 1000, 9949, 9950, 123_456, 999_500, 1e12].map(shortCount)).toEqual([
      '7',
      '999',
      '1.0k',
      '9.9k',
      '10k',
      '123k',
      '1.0M',
      '1.0T',
    ])
  })
})

describe('what a block needs', () => {
  const compiled = (shortName: string, architecture: string, registers: number) => ({
    name: shortName,
    shortName,
    architecture,
    registers,
    sharedBytes: 1024,
    stackBytes: 0,
    spillStoreBytes: 0,
    spillLoadBytes: 0,
  })

  it('comes from counts and from nvcc, whose instances have other names', () => {
    expect(baseName('(anonymous namespace)::scale<float, long>')).toBe('scale')
    const kernels = [
      compiled('(anonymous namespace)::scale<float>', '80', 40),
      compiled('(anonymous namespace)::scale<double>', '80', 56),
      compiled('(anonymous namespace)::scale<double>', '90', 60),
      compiled('unused', '90', 20),
    ]
    expect(knownBlocks(countsOf({}), kernels, 'sm_80')).toEqual([
      { kernel: 'scale<scalar_t>', threads: 256, registers: 56, shared: 1280 },
      { kernel: 'unused', threads: 256, registers: 20, shared: 1024 },
    ])
    expect(knownBlocks(countsOf({}), [], 'sm_90')).toEqual([
      { kernel: 'scale<scalar_t>', threads: 256, registers: undefined, shared: 768 },
    ])
  })
})
