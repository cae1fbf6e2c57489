/** Occupancy, compared with NVIDIA's calculator where its header is on the machine. */
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { describe, expect, it } from 'vitest'

import { occupancyArchitectures } from '../../electron/contract/occupancy'
import type { BlockNeeds, OccupancyArchitecture } from '../../electron/contract/occupancy'
import { findCudaToolkit } from '../../electron/engine/toolchain/cuda'
import { multiprocessors, occupancyOf } from '../../electron/engine/virtual-gpu/occupancy'
import { root } from '../support/installation'

const folder = (await findCudaToolkit())?.folder ?? ''
const include = path.join(folder, 'include')
const hasCalculator = folder !== '' && fs.existsSync(path.join(include, 'cuda_occupancy.h'))
if (!hasCalculator)
  console.log('occupancy: the comparison is skipped: cuda_occupancy.h is not on this machine')

/** As the calculator numbers them. */
const limits = { warps: 1, registers: 2, 'shared-memory': 4, blocks: 8 } as const

/** The same points in each run: a failure can be repeated. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

function compare(points: readonly [OccupancyArchitecture, BlockNeeds][]): void {
  const work = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-occupancy-'))
  try {
    const program = path.join(work, 'calculator')
    const source = path.join(root, 'test/native/fixtures/occupancy_calculator.cpp')
    execFileSync('cc', ['-x', 'c++', '-O1', `-I${include}`, source, '-o', program])
    const input = points.map(([architecture, needs]) => {
      const model = multiprocessors[architecture]
      const number = Number(architecture.slice('sm_'.length))
      return [
        Math.floor(number / 10),
        number % 10,
        model.warps,
        model.blocks,
        model.sharedMemory,
        model.sharedOfBlock,
        model.reservedShared,
        needs.threads,
        needs.registers,
        needs.staticShared,
        needs.dynamicShared,
      ].join(' ')
    })
    const output = execFileSync(program, { input: input.join('\n'), maxBuffer: 64 << 20 })
    const answers = output.toString().trim().split('\n')
    expect(answers).toHaveLength(points.length)
    const wrong = points.flatMap(([architecture, needs], index) => {
      const own = occupancyOf(architecture, needs)
      const mask = own.limitedBy.reduce((sum, limit) => sum | limits[limit], 0)
      const text = `0 ${own.blocks} ${mask} ${multiprocessors[architecture].blocks}`
      return text === answers[index] ? [] : [{ architecture, needs, text, answer: answers[index] }]
    })
    expect(wrong.slice(0, 5)).toEqual([])
  } finally {
    fs.rmSync(work, { recursive: true, force: true })
  }
}

describe.skipIf(!hasCalculator)('occupancy is that of NVIDIA’s calculator', () => {
  it('at random points of each architecture', () => {
    const random = randomNumbers(22)
    compare(
      occupancyArchitectures.options.flatMap((architecture) =>
        Array.from({ length: 5000 }, (): [OccupancyArchitecture, BlockNeeds] => [
          architecture,
          {
            threads: 1 + random(1024),
            registers: random(256),
            staticShared: random(3) === 0 ? 0 : random(48 * 1024 + 1),
            dynamicShared: random(3) === 0 ? 0 : random(235 * 1024),
          },
        ]),
      ),
    )
  })

  it('for each block size and number of registers', () => {
    compare(
      occupancyArchitectures.options.flatMap((architecture) =>
        Array.from({ length: 32 }, (_, row) => (row + 1) * 32).flatMap((threads) =>
          Array.from({ length: 255 }, (__, index): [OccupancyArchitecture, BlockNeeds] => [
            architecture,
            { threads, registers: index + 1, staticShared: 0, dynamicShared: 0 },
          ]),
        ),
      ),
    )
  })
})
