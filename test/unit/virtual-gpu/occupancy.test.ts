import { describe, expect, it } from 'vitest'

import type { BlockNeeds } from '../../../electron/contract/occupancy'
import { curvesOf, occupancyOf } from '../../../electron/engine/virtual-gpu/occupancy'

const block: BlockNeeds = { threads: 256, registers: 32, staticShared: 0, dynamicShared: 0 }

describe('occupancy', () => {
  it('names what limits it', () => {
    expect(occupancyOf('sm_80', block)).toEqual({
      architecture: 'sm_80',
      blocks: 8,
      warps: 64,
      occupancy: 1,
      // 32 registers of 2048 threads are all that there are.
      limitedBy: ['warps', 'registers'],
    })
    expect(occupancyOf('sm_80', { ...block, registers: 33 })).toMatchObject({
      blocks: 6,
      occupancy: 0.75,
      limitedBy: ['registers'],
    })
    expect(occupancyOf('sm_86', { ...block, threads: 32 })).toMatchObject({
      blocks: 16,
      occupancy: 1 / 3,
      limitedBy: ['blocks'],
    })
  })

  it('counts the kilobyte that the driver keeps of each block, from sm_80 on', () => {
    const needs = { ...block, registers: 16, staticShared: 16 * 1024 }
    expect(occupancyOf('sm_75', needs).blocks).toBe(4)
    expect(occupancyOf('sm_86', needs)).toMatchObject({ blocks: 5, limitedBy: ['shared-memory'] })
  })

  it('is 0 for blocks that cannot run', () => {
    expect(occupancyOf('sm_90', { ...block, threads: 1025 }).blocks).toBe(0)
    expect(occupancyOf('sm_90', { ...block, registers: 256 }).blocks).toBe(0)
    expect(occupancyOf('sm_90', { ...block, threads: 1024, registers: 65 }).blocks).toBe(0)
    expect(occupancyOf('sm_89', { ...block, dynamicShared: 100 * 1024 }).blocks).toBe(0)
    expect(occupancyOf('sm_90', { ...block, dynamicShared: 100 * 1024 }).blocks).toBe(2)
  })

  it('is limited by no registers where their number is not known', () => {
    const { registers: _, ...unknown } = block
    expect(occupancyOf('sm_80', unknown)).toMatchObject({ blocks: 8, limitedBy: ['warps'] })
    expect(curvesOf('sm_80', unknown).registers).toEqual([])
  })
})

describe('curves of occupancy', () => {
  const curves = curvesOf('sm_80', { ...block, registers: 40, staticShared: 1024 })

  it('have a point for each block size, each register and each 512 bytes', () => {
    expect(curves.threads.map(({ value }) => value)).toEqual(
      Array.from({ length: 32 }, (_, index) => 32 * (index + 1)),
    )
    expect(curves.registers).toHaveLength(255)
    expect(curves.sharedMemory.at(-1)?.value).toBe(163 * 1024)
  })

  it('go through the point of the block, and change one thing only', () => {
    const own = occupancyOf('sm_80', { ...block, registers: 40, staticShared: 1024 })
    for (const [curve, value] of [
      [curves.threads, 256],
      [curves.registers, 40],
      [curves.sharedMemory, 1024],
    ] as const)
      expect(curve.find((point) => point.value === value)).toEqual({
        value,
        blocks: own.blocks,
        occupancy: own.occupancy,
      })
  })

  it('fall with registers and with shared memory', () => {
    for (const curve of [curves.registers, curves.sharedMemory]) {
      const values = curve.map(({ blocks }) => blocks)
      expect(values).toEqual([...values].sort((one, other) => other - one))
      expect(values.at(-1)).toBeLessThan(values[0] ?? 0)
    }
  })
})
