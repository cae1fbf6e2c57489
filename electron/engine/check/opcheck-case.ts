import type { CheckEntry, InputSpec, Manifest } from '../../contract/manifest'
import { opcheckCheck } from '../../contract/opcheck'
import type {
  OpcheckCheck,
  OpcheckFinding,
  OpcheckRequest,
  PlacedFinding,
} from '../../contract/opcheck'

/** Checks that are only made when they are asked for by name. */
const byNameOnly = new Set<OpcheckCheck>(['large_sizes'])

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
  const skip = entry.skip ?? {}
  const asked = entry.checks ?? opcheckCheck.options.filter((check) => !byNameOnly.has(check))
  const checks = asked.filter((check) => skip[check] === undefined)
  const left = asked.flatMap((check) => {
    const reason = skip[check]
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
    // With nothing left out, [] also tells of the checks that must be asked for by name.
    checks: entry.checks || left.length > 0 ? checks : [],
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
