/** A line of two texts: in both, only in the one before, or only in the one after. */
export type DiffLine = { sign: ' ' | '-' | '+'; text: string }

/**
 * The shortest way from one list of lines to another: Myers, "An O(ND) difference algorithm and its
 * variations" (1986), the greedy one, with the frontier of every step kept to walk back.
 * @param mostEdits beyond it, all of `before` is shown as replaced by all of `after`
 */
export function diffLines(
  before: readonly string[],
  after: readonly string[],
  mostEdits = 2000,
): DiffLine[] {
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
    ...before.map((text): DiffLine => ({ sign: '-', text })),
    ...after.map((text): DiffLine => ({ sign: '+', text })),
  ]
}

function walkBack(
  before: readonly string[],
  after: readonly string[],
  frontiers: readonly Map<number, number>[],
): DiffLine[] {
  const lines: DiffLine[] = []
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
