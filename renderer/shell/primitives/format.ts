/** "0.84 s", "12 ms", "3 min 04 s": three figures are what a person reads. */
export function formatSeconds(seconds: number, digits?: number): string {
  if (digits !== undefined && seconds < 60) return `${seconds.toFixed(digits)} s`
  if (seconds < 1e-3) return `${significant(seconds * 1e6)} µs`
  if (seconds < 1)
    return seconds < 0.1 ? `${significant(seconds * 1e3)} ms` : `${seconds.toFixed(2)} s`
  if (seconds < 60) return `${significant(seconds)} s`
  const minutes = Math.floor(seconds / 60)
  return `${minutes} min ${String(Math.floor(seconds - 60 * minutes)).padStart(2, '0')} s`
}

function significant(value: number): string {
  if (value >= 100) return value.toFixed(0)
  return value >= 10 ? value.toFixed(1) : value.toFixed(2)
}

/** A tensor's element or statistic: short, and never rounded to something it is not. */
export function formatNumber(value: number | null | undefined, figures = 5): string {
  if (value === null || value === undefined) return '–'
  if (Number.isNaN(value)) return 'nan'
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf'
  if (Object.is(value, -0)) return '-0'
  if (Number.isInteger(value) && Math.abs(value) < 1e9) return String(value)
  const magnitude = Math.abs(value)
  if (magnitude >= 1e-4 && magnitude < 1e6) return trimZeros(value.toPrecision(figures))
  return value.toExponential(Math.max(figures - 2, 1)).replace(/\.?0*e\+?/, 'e')
}

function trimZeros(text: string): string {
  return text.includes('.') && !text.includes('e') ? text.replace(/\.?0+$/, '') : text
}

/** Every digit a double has. */
export function exactNumber(value: number): string {
  if (Number.isNaN(value)) return 'nan'
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf'
  return Object.is(value, -0) ? '-0' : String(value)
}

export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`
}

/** "14:05" of today, "22 Nov 14:05" of another day; milliseconds since 1970. */
export function formatTime(time: number, now = Date.now()): string {
  const date = new Date(time)
  const clock = date.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })
  if (date.toDateString() === new Date(now).toDateString()) return clock
  return `${date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' })} ${clock}`
}
