import { timingEntry } from '../../contract/timing-entry'
import type { TimingEntry } from '../../contract/timing-entry'
import type { TimingRequest } from '../../contract/timing-report'
import type { Manifest } from '../../contract/manifest'

/** opsmith.json's `benchmarks`; where it has none, forward of each operator and function of its calls. */
export function benchmarksOf(manifest: Pick<Manifest, 'benchmarks' | 'calls'>): TimingRequest[] {
  if (manifest.benchmarks.length > 0)
    return manifest.benchmarks.map((entry) => ({ ...entry, builds: [] }))
  const seen = new Set<string>()
  return manifest.calls.flatMap(({ op, args }) => {
    if (seen.has(op)) return []
    seen.add(op)
    return [{ op, args, directions: ['forward' as const], builds: [] }]
  })
}

/** Equal for entries that time the same; names are for people. */
export function requestOfEntry(entry: TimingEntry): string {
  const { name: _name, ...rest } = timingEntry.parse(entry)
  const sorted = (_key: string, value: unknown): unknown =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value
  return JSON.stringify(rest, sorted)
}

/** Inputs without what opsmith.json takes for granted. */
export function withoutDefaults(entry: TimingEntry): object {
  const inputs = Object.entries(entry.inputs ?? {}).map(([name, input]) => {
    const { dtype, device, distribution, requires_grad, ...rest } = input
    const drawn = distribution === 'randn' || rest.values !== undefined
    return [
      name,
      {
        ...rest,
        ...(dtype === 'float32' ? {} : { dtype }),
        ...(device === 'cpu' ? {} : { device }),
        ...(drawn ? {} : { distribution }),
        ...(requires_grad ? { requires_grad } : {}),
      },
    ]
  })
  const { name, op, args, ...rest } = entry
  return {
    ...(name === undefined ? {} : { name }),
    op,
    ...(args.length > 0 ? { args } : {}),
    ...rest,
    ...(entry.inputs ? { inputs: Object.fromEntries(inputs) as object } : {}),
  }
}
