import type { CheckEntry, InputSpec, Manifest } from '../../contract/manifest'
import { opcheckCheck } from '../../contract/opcheck'
import type {
  OpcheckCheck,
  OpcheckFinding,
  OpcheckRequest,
  PlacedFinding,
} from '../../contract/opcheck'

/** Checks that are only made when they are asked for by name, with what is said when they are not. */
const byNameOnly: Partial<Record<OpcheckCheck, string>> = {
  large_sizes: 'takes gigabytes of memory: ask for it by name',
}

/** opsmith.json's `checks`; where it has none, each operator and function of its calls, once. */
export function entriesOf(manifest: Pick<Manifest, 'calls' | 'checks'>): CheckEntry[] {
  if (manifest.checks) return manifest.checks
  const seen = new Set<string>()
  return manifest.calls.flatMap(({ op, args }) => {
    if (seen.has(op)) return []
    seen.add(op)
    return [{ op, args }]
  })
}

/**
 * The request that stands for an entry, and what it leaves out with the reason. undefined: all of it
 * is left out.
 */
export function requestOf(
  entry: CheckEntry,
  inputs: Readonly<Record<string, InputSpec>>,
): { request: Omit<OpcheckRequest, 'program'> | undefined; left: OpcheckFinding[] } {
  const named = entry.checks
  const reasons = named ? { ...entry.skip } : { ...byNameOnly, ...entry.skip }
  const asked = named ?? opcheckCheck.options
  const checks = asked.filter((check) => reasons[check] === undefined)
  const left = asked.flatMap((check) => {
    const reason = reasons[check]
    if (reason === undefined) return []
    return [
      { check, status: 'skipped' as const, reason, advice: '', input: '', index: [], shownBy: '' },
    ]
  })
  if (checks.length === 0) return { request: undefined, left }
  const request = {
    op: entry.op,
    args: entry.args,
    inputs: { ...inputs, ...entry.inputs },
    checks,
    shapes: entry.shapes ?? 6,
    seed: entry.seed ?? 0,
  }
  return { request, left }
}

/** In the order in which people read them: schema first, memory last. */
export function inOrder(findings: readonly PlacedFinding[]): PlacedFinding[] {
  const place = new Map(opcheckCheck.options.map((check, index) => [check, index]))
  return [...findings].sort((a, b) => (place.get(a.check) ?? 0) - (place.get(b.check) ?? 0))
}
