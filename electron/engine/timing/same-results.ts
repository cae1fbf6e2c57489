import { randomUUID } from 'node:crypto'
import fs from 'node:fs/promises'
import path from 'node:path'

import { ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { Comparison } from '../../contract/run'
import { callHost, endedHost, HostEnded } from './take-samples'
import type { OpenEntrant, SamplingLimits } from './take-samples'

export interface Tolerances {
  rtol?: number
  atol?: number
}

/** What differs, in words; "" where nothing does. */
function differenceOf(
  comparisons: readonly Comparison[],
  names: readonly [string, string],
): string {
  const bad = comparisons.find((one) => !one.matches)
  if (!bad) return ''
  // Of other shapes or types, nothing could be compared.
  if (bad.mismatched === 0) return bad.message
  const where = `output ${bad.output}[${bad.index.join(', ')}]`
  const share = `${bad.mismatched} of ${bad.total} elements differ`
  const values = `${where} is ${bad.actual.toPrecision(6)} for ${names[0]} and ${bad.expected.toPrecision(6)} for ${names[1]}`
  return `${share}, by up to ${bad.maxAbsolute.toPrecision(3)}: ${values}`
}

interface ComparisonOptions {
  /** Of `one` among the variants. */
  place: number
  tolerances: Tolerances
  /** For results that are exchanged by a file. */
  folder: string
  limits: SamplingLimits
}

/**
 * Whether two open calls give the same for the same inputs: "" or what differs. The results of calls in
 * different op hosts are exchanged by a file. Throws HostEnded with the place of `one`.
 */
export async function differenceBetween(
  one: OpenEntrant,
  other: OpenEntrant,
  { place, tolerances, folder, limits }: ComparisonOptions,
): Promise<Result<string>> {
  const compare = async (
    entrant: OpenEntrant,
    wanted: number | string,
  ): Promise<Result<string>> => {
    const input = { handle: entrant.opened.handle, with: wanted, ...tolerances }
    const compared = await callHost(entrant, 'timing.compare', input, limits)
    if (!compared.ok) return compared
    const { comparisons } = compared.value
    const handles = comparisons.flatMap(({ difference }) => (difference ? [difference.handle] : []))
    if (handles.length > 0)
      await entrant.host.call('tensor.release', { handles }, { timeout: 0, phase: '' })
    return ok(differenceOf(comparisons, [one.label, other.label]))
  }
  const throughFile = async (): Promise<Result<string>> => {
    const file = path.join(folder, `results-${process.pid}-${randomUUID()}.pt`)
    try {
      const input = { handle: other.opened.handle, path: file }
      const saved = await callHost(other, 'timing.save', input, limits)
      return saved.ok ? await compare(one, file) : saved
    } finally {
      await fs.rm(file, { force: true })
    }
  }
  const found =
    one.host === other.host ? await compare(one, other.opened.handle) : await throughFile()
  if (!found.ok && endedHost(found.error)) throw new HostEnded(place, found.error)
  return found
}
