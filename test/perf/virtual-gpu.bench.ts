import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'

import { unwrap } from '../../electron/contract/outcome'
import type { GpuVariant } from '../../electron/engine/compile/virtual-gpu/flags'
import { GpuPrograms } from '../../electron/engine/virtual-gpu/gpu-programs'
import { makeTestCache, testInstallation } from '../support/installation'
import { costOfChecks } from './cost-of-checks'
import { kernelEdits } from './kernel-edits'
import { judged, row } from './measure'
import type { BenchmarkOptions, Row } from './measure'

const execute = promisify(execFile)

/** What issue 22 asks of two cores, in milliseconds. */
const goals: Record<string, number> = { add: 3, softmax: 60, matmul: 300 }
const titles: Record<string, string> = {
  add: 'add of 1M floats',
  softmax: 'softmax 1024x1024, shared memory and shuffles',
  matmul: 'tiled matmul 512x512x512',
}

/** Milliseconds by kernel and kind: "add kernel". */
async function samplesOf(
  executable: string,
  rounds: number,
  environment: Readonly<Record<string, string>> = {},
): Promise<Map<string, number[]>> {
  const env = { ...process.env, ...environment }
  const { stdout } = await execute(executable, [String(rounds)], { env })
  const samples = new Map<string, number[]>()
  for (const line of stdout.trim().split('\n')) {
    const [name = '', kind = '', milliseconds = ''] = line.split(' ')
    const key = `${name} ${kind}`
    samples.set(key, [...(samples.get(key) ?? []), Number(milliseconds)])
  }
  return samples
}

/** Kernels on the virtual GPU next to plain loops of the same program, and what checks and counts cost. */
export async function run(options: BenchmarkOptions): Promise<Row[]> {
  const { root, say, rounds = 9, only = '' } = options
  const cache = makeTestCache()
  const programs = new GpuPrograms({ installation: testInstallation(cache) })
  const source = path.join(root, 'test/perf/virtual-gpu.cu')
  const build = async (variant: GpuVariant): Promise<string> => {
    const program = {
      sources: [source],
      includeFolders: [],
      defines: [],
      libraries: [],
      ...variant,
    }
    return unwrap(await programs.build(program, undefined, say)).executable
  }
  try {
    if (only === 'edit') return await kernelEdits(cache, rounds)
    if (only === 'checks') return await costOfChecks(programs, say)
    const plain = await samplesOf(await build({ isChecked: false }), rounds)
    const checked = await samplesOf(await build({ isChecked: true }), Math.min(rounds, 3))
    const counted = await samplesOf(await build({ isChecked: false, isCounted: true }), 1, {
      OPSMITH_GPU_COUNTS: '/dev/null',
    })
    const rows: Row[] = []
    for (const [name, goal] of Object.entries(goals)) {
      if (!name.includes(only)) continue
      const title = titles[name] ?? name
      const kernel = plain.get(`${name} kernel`) ?? []
      const loop = plain.get(`${name} loop`) ?? []
      rows.push(
        judged(row(title, 'ms', kernel, { name: 'plain loop', samples: loop }), kernel, { goal }),
      )
      const withChecks = checked.get(`${name} kernel`) ?? []
      rows.push(row(`${title}, checked`, 'ms', withChecks, { name: 'unchecked', samples: kernel }))
      const withCounts = counted.get(`${name} kernel`) ?? []
      rows.push(row(`${title}, counted`, 'ms', withCounts, { name: 'uncounted', samples: kernel }))
    }
    if (only === '') rows.push(...(await kernelEdits(cache, rounds)))
    return rows
  } finally {
    cache.remove()
  }
}
