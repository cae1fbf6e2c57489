import fs from 'node:fs/promises'
import path from 'node:path'

import type { MachineCeilings, MachineFacts } from '../../contract/timing'
import { judgedCeilings } from '../../contract/timing-report'
import type { JudgedCeilings } from '../../contract/timing-report'
import { hashOfJson } from '../builds/build-history'
import type { HostClient } from '../host/host-client'
import { writeAtomically } from '../project/files'

const timeout = 120
/** Of all cores, as for a row's samples. */
const otherLoad = 0.1
/** Between the middle one of the copies and the shortest. */
const wideSpread = 0.15

/** As long as disturbed ones are taken for what they are: measuring takes seconds. */
const minutesOfDoubt = 10

/** Why ceilings may be too low: a sentence; "" where the machine was at rest. */
export function doubtOf(ceilings: MachineCeilings, { cores }: Pick<MachineFacts, 'cores'>): string {
  const reasons = [
    ...(ceilings.othersBusy > otherLoad * cores
      ? [
          `other programs kept ${Math.min(ceilings.othersBusy, cores).toFixed(1)} of ${cores} cores busy`,
        ]
      : []),
    ...(ceilings.spread > wideSpread
      ? [
          `memory copies of the same size differed in time by ${Math.round(ceilings.spread * 100)} %`,
        ]
      : []),
  ]
  return reasons.length === 0
    ? ''
    : `The memory bandwidth and FLOP/s of this machine may be higher than shown, because ${reasons.join(' and ')} during the measurement. The first timing after ${minutesOfDoubt} minutes measures both again. To measure both now, choose “Measure the memory bandwidth and FLOP/s again” next to “Roofline” in the Timings panel.`
}

export interface CeilingsRequest {
  machine: MachineFacts
  /** The version of the op host's. */
  libtorch: string
  threads: number
  /** Also where they are known. */
  again: boolean
  signal: AbortSignal | undefined
}

/**
 * What the machine can do with so many threads. Kept in the cache folder; what was disturbed while it was
 * measured is kept for minutes only, and never instead of what was not. undefined where it could not be
 * measured.
 */
export async function ceilingsOf(
  cacheFolder: string,
  host: HostClient,
  { machine, libtorch, threads, again, signal }: CeilingsRequest,
): Promise<JudgedCeilings | undefined> {
  const { processor, cores, cacheBytes } = machine
  const key = hashOfJson([processor, cores, cacheBytes, libtorch, threads])
  const file = path.join(cacheFolder, 'bench', 'ceilings', `${key}.json`)
  const kept = await readCeilings(file)
  if (!again && kept) return kept
  const measured = await host.call(
    'timing.ceilings',
    { threads },
    { timeout, signal, phase: 'measuring the machine' },
  )
  if (!measured.ok) return undefined
  const judged = { ceilings: measured.value, doubt: doubtOf(measured.value, machine) }
  if (judged.doubt === '' || kept?.doubt !== '') await writeAtomically(file, JSON.stringify(judged))
  return judged
}

/** Undefined where they are not known, or were disturbed and have become old. */
async function readCeilings(file: string): Promise<JudgedCeilings | undefined> {
  try {
    const kept = judgedCeilings.parse(JSON.parse(await fs.readFile(file, 'utf8')))
    const age = (Date.now() - (await fs.stat(file)).mtimeMs) / 60_000
    return kept.doubt === '' || age < minutesOfDoubt ? kept : undefined
  } catch {
    return undefined
  }
}
