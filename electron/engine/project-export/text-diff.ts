/**
 * A unified diff, as `diff -u` writes it, between two short texts.
 * Algorithm: Myers, "An O(ND) difference algorithm and its variations" (1986).
 */

type Edit = { kind: ' ' | '-' | '+'; line: string }

/** More edits than anybody reads: such texts are shown as replaced. */
const mostEdits = 2000

function editsBetween(before: readonly string[], after: readonly string[]): Edit[] {
  const replaced = (): Edit[] => [
    ...before.map((line): Edit => ({ kind: '-', line })),
    ...after.map((line): Edit => ({ kind: '+', line })),
  ]
  const [n, m] = [before.length, after.length]
  const furthest = new Map<number, number>([[1, 0]])
  const trace: Map<number, number>[] = []
  for (let d = 0; d <= n + m; d += 1) {
    if (d > mostEdits) return replaced()
    trace.push(new Map(furthest))
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && (furthest.get(k - 1) ?? 0) < (furthest.get(k + 1) ?? 0))
      let x = down ? (furthest.get(k + 1) ?? 0) : (furthest.get(k - 1) ?? 0) + 1
      while (x < n && x - k < m && before[x] === after[x - k]) x += 1
      furthest.set(k, x)
      if (x >= n && x - k >= m) return backtrack(before, after, trace, d)
    }
  }
  return replaced()
}

function backtrack(
  before: readonly string[],
  after: readonly string[],
  trace: readonly ReadonlyMap<number, number>[],
  depth: number,
): Edit[] {
  const edits: Edit[] = []
  let x = before.length
  let y = after.length
  for (let d = depth; d >= 0; d -= 1) {
    const furthest = trace[d] ?? new Map<number, number>()
    const k = x - y
    const down = k === -d || (k !== d && (furthest.get(k - 1) ?? 0) < (furthest.get(k + 1) ?? 0))
    const previous = down ? k + 1 : k - 1
    const startX = d === 0 ? 0 : (furthest.get(previous) ?? 0)
    const startY = d === 0 ? 0 : startX - previous
    while (x > startX && y > startY) {
      edits.push({ kind: ' ', line: before[x - 1] ?? '' })
      x -= 1
      y -= 1
    }
    if (d > 0) {
      edits.push(
        down ? { kind: '+', line: after[y - 1] ?? '' } : { kind: '-', line: before[x - 1] ?? '' },
      )
      if (down) y -= 1
      else x -= 1
    }
  }
  return edits.reverse()
}

const context = 3

/** "" when they are equal. */
export function unifiedDiff(path: string, before: string, after: string): string {
  if (before === after) return ''
  const split = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'))
  const edits = editsBetween(split(before), split(after))
  const changed = edits.flatMap((edit, index) => (edit.kind === ' ' ? [] : [index]))
  const hunks: [number, number][] = []
  for (const index of changed) {
    const last = hunks.at(-1)
    const [from, to] = [Math.max(0, index - context), Math.min(edits.length, index + context + 1)]
    if (last && from <= last[1]) last[1] = to
    else hunks.push([from, to])
  }
  const lines = [`--- ${path}`, `+++ ${path}`]
  for (const [from, to] of hunks) {
    const count = (kinds: string, upTo: readonly Edit[]): number =>
      upTo.filter((edit) => kinds.includes(edit.kind)).length
    const hunk = edits.slice(from, to)
    const place = (kinds: string): string => {
      const length = count(kinds, hunk)
      const start = count(kinds, edits.slice(0, from)) + (length === 0 ? 0 : 1)
      return `${start},${length}`
    }
    lines.push(`@@ -${place(' -')} +${place(' +')} @@`)
    lines.push(...hunk.map((edit) => edit.kind + edit.line))
  }
  return `${lines.join('\n')}\n`
}
