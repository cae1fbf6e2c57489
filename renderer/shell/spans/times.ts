/** ns as people read them beside others: three figures. */
export function timeText(ns: number): string {
  const magnitude = Math.abs(ns)
  if (magnitude >= 1e9) return `${figures(ns / 1e9)} s`
  if (magnitude >= 1e6) return `${figures(ns / 1e6)} ms`
  return magnitude >= 1e3 ? `${figures(ns / 1e3)} µs` : `${Math.round(ns)} ns`
}

function figures(value: number): string {
  const magnitude = Math.abs(value)
  return value.toFixed(magnitude >= 100 ? 0 : magnitude >= 10 ? 1 : 2)
}

/** Every digit there is. */
export function exactTime(ns: number): string {
  if (Math.abs(ns) < 1e3) return `${ns} ns`
  return Math.abs(ns) < 1e6 ? `${(ns / 1e3).toFixed(3)} µs` : `${(ns / 1e6).toFixed(6)} ms`
}

/** "12 B", "3.4 MB": powers of 1000. */
export function bytesText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3))
  const value = bytes / 1000 ** power
  return `${power === 0 || value >= 100 ? value.toFixed(0) : value.toPrecision(3)} ${units[power] ?? ''}`
}

export function shareText(share: number): string {
  return `${(100 * share).toFixed(1)} %`
}
