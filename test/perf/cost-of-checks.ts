/** What a checked run of the corpus costs, in processor time, and what each part of the checks adds. */
import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'

import { unwrap } from '../../electron/contract/outcome'
import type { GpuPrograms } from '../../electron/engine/virtual-gpu/gpu-programs'
import { casesIn, cudaCases } from '../support/cuda-programs'
import { judged, quantile, row } from './measure'
import type { Row } from './measure'

const execute = promisify(execFile)

/** A checked run takes at most so many times the processor time of an unchecked one: the median of the corpus. */
const mostTimes = 15
/** The best of so many runs: other programs only add. */
const runs = 3
const parts = {
  orders: 'other orders of launches that use atomics',
  races: 'races',
  values: 'reads of what was never written',
}

/** Seconds of the processors, of the program and of the system for it. */
async function processorTime(
  executable: string,
  environment: Readonly<Record<string, string>>,
): Promise<number> {
  const env = { ...process.env, OPSMITH_GPU_REPORT: '/dev/null', ...environment }
  const times: number[] = []
  for (let turn = 0; turn < runs; turn += 1) {
    const timed = `TIMEFORMAT='%U %S'; time "$0" >/dev/null 2>&1`
    const { stderr } = await execute('bash', ['-c', timed, executable], { env })
    const [user = 0, system = 0] = stderr.trim().split(' ').map(Number)
    times.push(user + system)
  }
  return Math.min(...times)
}

/** Milliseconds a program, one after the other. */
async function timesOf(
  executables: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<number[]> {
  const times: number[] = []
  for (const executable of executables)
    times.push(1000 * (await processorTime(executable, environment)))
  return times
}

export async function costOfChecks(
  programs: GpuPrograms,
  say: (line: string) => void,
): Promise<Row[]> {
  const build = async (name: string, isChecked: boolean): Promise<string> => {
    const sources = [path.join(cudaCases, 'corpus', `${name}.cu`)]
    const program = { sources, includeFolders: [], defines: [], libraries: [], isChecked }
    return unwrap(await programs.build(program, undefined, say)).executable
  }
  const plain: string[] = []
  const checked: string[] = []
  for (const name of casesIn('corpus')) {
    plain.push(await build(name, false))
    checked.push(await build(name, true))
  }
  say(`timing ${plain.length} programs`)
  const before = await timesOf(plain)
  const all = await timesOf(checked)
  const times = all.map((one, index) => one / Math.max(before[index] ?? 0, 1))
  const ratios = row('a checked run of the corpus, processor time', 'times', times)
  // Of the programs, half may take more.
  const rows = [judged(ratios, [quantile(times, 0.5)], { goal: mostTimes })]
  for (const [part, title] of Object.entries(parts)) {
    const without = await timesOf(checked, { OPSMITH_GPU_LEAVE_OUT: part })
    const added = all.map((one, index) => one - (without[index] ?? 0))
    rows.push(row(`of it ${title}`, 'ms', added, { name: 'the checked run', samples: all }))
  }
  return rows
}
