/** Lines around a change that are shown with it. */
const context = 3
/** Edits beyond which two files are shown as one replaced by the other. */
const mostEdits = 2000

type Line = { sign: ' ' | '-' | '+'; text: string }

/**
 * The shortest way from one list of lines to another: Myers, "An O(ND) difference algorithm and its
 * variations" (1986), the greedy one, with the frontier of every step kept to walk back.
 */
function diffLines(before: readonly string[], after: readonly string[]): Line[] {
  const frontiers: Map<number, number>[] = []
  let frontier = new Map([[1, 0]])
  const reach = (k: number): number => frontier.get(k) ?? -1
  for (let edits = 0; edits <= mostEdits; edits += 1) {
    frontiers.push(frontier)
    frontier = new Map(frontier)
    for (let k = -edits; k <= edits; k += 2) {
      const down = k === -edits || (k !== edits && reach(k - 1) < reach(k + 1))
      let x = down ? reach(k + 1) : reach(k - 1) + 1
      while (x < before.length && x - k < after.length && before[x] === after[x - k]) x += 1
      frontier.set(k, x)
      if (x >= before.length && x - k >= after.length) return walkBack(before, after, frontiers)
    }
  }
  return [
    ...before.map((text): Line => ({ sign: '-', text })),
    ...after.map((text): Line => ({ sign: '+', text })),
  ]
}

function walkBack(
  before: readonly string[],
  after: readonly string[],
  frontiers: readonly Map<number, number>[],
): Line[] {
  const lines: Line[] = []
  let x = before.length
  let y = after.length
  for (let edits = frontiers.length - 1; edits >= 0; edits -= 1) {
    const frontier = frontiers[edits]
    const reach = (k: number): number => frontier?.get(k) ?? -1
    const k = x - y
    const down = k === -edits || (k !== edits && reach(k - 1) < reach(k + 1))
    const startX = edits === 0 ? 0 : down ? reach(k + 1) : reach(k - 1)
    const startY = edits === 0 ? 0 : startX - (down ? k + 1 : k - 1)
    while (x > startX && y > startY && x > 0 && y > 0 && before[x - 1] === after[y - 1]) {
      x -= 1
      y -= 1
      lines.push({ sign: ' ', text: before[x] ?? '' })
    }
    if (edits === 0) break
    if (down) lines.push({ sign: '+', text: after[startY] ?? '' })
    else lines.push({ sign: '-', text: before[startX] ?? '' })
    x = startX
    y = startY
  }
  return lines.reverse()
}

/** Changes with the lines around them; those whose surroundings touch are one. */
function hunksOf(lines: readonly Line[]): { start: number; end: number }[] {
  const hunks: { start: number; end: number }[] = []
  for (const [place, { sign }] of lines.entries()) {
    if (sign === ' ') continue
    const start = Math.max(0, place - context)
    const end = Math.min(lines.length, place + context + 1)
    const last = hunks.at(-1)
    if (last && start <= last.end) last.end = end
    else hunks.push({ start, end })
  }
  return hunks
}

const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'))

function diffOfFile(name: string, before: string | undefined, after: string | undefined): string {
  const lines = diffLines(linesOf(before ?? ''), linesOf(after ?? ''))
  const hunks = hunksOf(lines)
  const text = [
    `--- ${before === undefined ? '/dev/null' : `a/${name}`}`,
    `+++ ${after === undefined ? '/dev/null' : `b/${name}`}`,
  ]
  let oldLine = 1
  let newLine = 1
  let place = 0
  for (const { start, end } of hunks) {
    for (; place < start; place += 1) {
      oldLine += 1
      newLine += 1
    }
    const shown = lines.slice(start, end)
    const olds = shown.filter(({ sign }) => sign !== '+').length
    const news = shown.filter(({ sign }) => sign !== '-').length
    const range = (line: number, count: number): string =>
      `${count === 0 ? line - 1 : line}${count === 1 ? '' : `,${count}`}`
    text.push(`@@ -${range(oldLine, olds)} +${range(newLine, news)} @@`)
    text.push(...shown.map(({ sign, text: line }) => `${sign}${line}`))
    oldLine += olds
    newLine += news
    place = end
  }
  return text.join('\n')
}

/** Unified diff of two sets of files by their paths; "" when they are the same. */
export function sourceDiff(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): string {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((name) => before[name] !== after[name])
    .sort()
    .map((name) => `${diffOfFile(name, before[name], after[name])}\n`)
    .join('')
}
