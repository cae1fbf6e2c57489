/** A unit that a whole table or axis is written in. */
export type TimeUnit = { name: 'ns' | 'µs' | 'ms' | 's'; seconds: number }

const units: readonly TimeUnit[] = [
  { name: 's', seconds: 1 },
  { name: 'ms', seconds: 1e-3 },
  { name: 'µs', seconds: 1e-6 },
  { name: 'ns', seconds: 1e-9 },
]

/** Of a unit: below it there would be zeros only. */
const leastShown = 0.01

const nanoseconds: TimeUnit = { name: 'ns', seconds: 1e-9 }

/** The largest unit in which the one in the middle is at least 1, and the smallest still has its figures. */
export function unitFor(seconds: readonly number[]): TimeUnit {
  const sorted = seconds.filter((value) => value > 0).sort((a, b) => a - b)
  const smallest = sorted[0] ?? 0
  const middle = sorted[Math.floor((sorted.length - 1) / 2)] ?? 0
  const fits = (unit: TimeUnit): boolean =>
    middle >= unit.seconds && smallest >= unit.seconds * leastShown
  return units.find(fits) ?? nanoseconds
}

/** At most four significant figures: a timing has no more. Nothing is written with an exponent. */
export function inUnit(seconds: number, unit: TimeUnit): string {
  const value = seconds / unit.seconds
  if (!Number.isFinite(value)) return '–'
  if (value >= 1000) return Math.round(value).toLocaleString('en', { useGrouping: value >= 10_000 })
  const digits = value >= 100 ? 1 : value >= 10 ? 2 : value >= 0.1 ? 3 : 4
  return value.toFixed(digits)
}

/** A time by itself, in a unit of its own. */
export function timeText(seconds: number): string {
  const unit = unitFor([seconds])
  return `${inUnit(seconds, unit)} ${unit.name}`
}

const prefixes: readonly [factor: number, prefix: string][] = [
  [1e12, 'T'],
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
]

/** "12.3 GB/s", "850 MFLOP/s"; `unit` "B" or "FLOP". */
export function rateText(perSecond: number, unit: 'B' | 'FLOP'): string {
  return `${amountText(perSecond, unit)}/s`
}

/** "4.19 MB". */
export function amountText(amount: number, unit: 'B' | 'FLOP'): string {
  const [factor, prefix] = prefixes.find(([least]) => amount >= least) ?? [1, '']
  const value = amount / factor
  return `${value >= 100 || (factor === 1 && Number.isInteger(value)) ? value.toFixed(0) : value.toPrecision(3)} ${prefix}${unit}`
}

/** "1.52×": how many times the time; by default as many digits as a ratio of its size has use for. */
export function ratioText(ratio: number, wanted?: number): string {
  const digits = wanted ?? (ratio >= 100 ? 0 : ratio >= 10 ? 1 : ratio >= 0.1 ? 2 : 3)
  return `${ratio.toFixed(digits)}×`
}

export function threadsText(threads: number): string {
  return `${threads} ${threads === 1 ? 'thread' : 'threads'}`
}
