import { expect, it } from 'vitest'

import { countsBasis } from '../../../electron/contract/gpu-counts'
import type { GpuCounts } from '../../../electron/contract/gpu-counts'
import { derived, mergeCounts } from '../../../electron/engine/virtual-gpu/count-sums'

const loads = (requests: number) => ({
  globalLoads: { requests, lanes: 32 * requests, bytes: 128 * requests, sectors: 4 * requests },
})

/** One launch of a kernel that loads at some lines, once each. */
function once(kernel: string, lines: readonly number[], threads = 64): GpuCounts {
  return {
    basis: countsBasis,
    launches: 1,
    missedAccesses: 0,
    kernels: [
      derived({
        kernel,
        launched: { file: '/p/op.cu', line: 40 },
        staticShared: 0,
        sectorsRead: 4,
        sectorsWritten: 0,
        configurations: [{ block: [threads, 1, 1], dynamicShared: 0, launches: 1, blocks: 3 }],
        lines: lines.map((line) => ({ place: { file: '/p/op.cu', line }, ...loads(1) })),
        total: loads(lines.length),
      }),
    ],
  }
}

it('counts of several calls are added, kernel by kernel and line by line', () => {
  const merged = [once('scale', [9, 7]), once('add', [20]), once('scale', [8, 9], 128)].reduce(
    mergeCounts,
  )
  expect(merged).toMatchObject({ launches: 3, missedAccesses: 0 })
  expect(merged.kernels.map(({ kernel }) => kernel)).toEqual(['scale', 'add'])
  const [scale] = merged.kernels
  expect(scale?.lines).toEqual([
    { place: { file: '/p/op.cu', line: 7 }, ...loads(1) },
    { place: { file: '/p/op.cu', line: 8 }, ...loads(1) },
    { place: { file: '/p/op.cu', line: 9 }, ...loads(2) },
  ])
  expect(scale?.total).toEqual(loads(4))
  expect(scale).toMatchObject({ sectorsRead: 8, arithmeticIntensity: null, estimates: [] })
  expect(scale?.configurations.map(({ block, launches }) => [block[0], launches])).toEqual([
    [64, 1],
    [128, 1],
  ])
  const more = mergeCounts(merged, once('scale', [7], 128))
  expect(more.kernels[0]?.configurations[0]).toMatchObject({ block: [128, 1, 1], launches: 2 })
  // What was merged before stays as it was.
  expect(merged.kernels[0]?.total).toEqual(loads(4))
})
