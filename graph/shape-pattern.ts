/** One size of a pattern: a number, any one size, any run of sizes, or a bound. */
type Size = number | 'any' | 'run' | { atLeast: number } | { atMost: number }
export type ShapePattern = readonly Size[]

/** Reads "[*, 512]", "8x5", "[..., 3, >=8]"; what cannot be read is answered with the reason. */
export function parseShape(text: string): ShapePattern | string {
  const inner = text
    .trim()
    .replace(/^\[|\]$/g, '')
    .trim()
  if (text.includes('[') !== text.includes(']')) return 'write a shape as [8, 5] or 8x5'
  if (inner === '') return []
  const parts = inner.split(inner.includes(',') ? ',' : /[x×]/)
  const pattern: Size[] = []
  for (const raw of parts) {
    const part = raw.trim()
    const bound = /^([<>])=?\s*(\d+)$/.exec(part)
    if (part === '*' || part === '?') pattern.push('any')
    else if (part === '...' || part === '…' || part === '**') pattern.push('run')
    else if (/^\d+$/.test(part)) pattern.push(Number(part))
    else if (bound) {
      const size = Number(bound[2])
      const isStrict = !part.includes('=')
      pattern.push(
        bound[1] === '>'
          ? { atLeast: isStrict ? size + 1 : size }
          : { atMost: isStrict ? size - 1 : size },
      )
    } else
      return part === ''
        ? 'a size is missing in the shape: write a number, or * for any size'
        : `"${part}" is not a size: write a number, a bound such as >=8, * for any size, or ... for any number of sizes`
  }
  return pattern
}

/** Whether a shape fits; a size that is not known (null) fits "*" and "..." only. */
export function shapeMatches(pattern: ShapePattern, shape: readonly (number | null)[]): boolean {
  // Which beginnings of the shape the pattern so far can end at; patterns and shapes are short.
  let ends = new Set([0])
  for (const size of pattern) {
    const next = new Set<number>()
    for (const at of ends) {
      if (size === 'run') for (let end = at; end <= shape.length; end += 1) next.add(end)
      else if (at < shape.length && fits(size, shape[at] ?? null)) next.add(at + 1)
    }
    ends = next
  }
  return ends.has(shape.length)
}

function fits(size: Exclude<Size, 'run'>, actual: number | null): boolean {
  if (size === 'any') return true
  if (actual === null) return false
  if (typeof size === 'number') return size === actual
  return 'atLeast' in size ? actual >= size.atLeast : actual <= size.atMost
}
