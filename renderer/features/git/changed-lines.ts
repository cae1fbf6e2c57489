/** Lines of a text that differ from an older one. Lines are 1-based. */
export type ChangedLines =
  | { kind: 'added' | 'modified'; from: number; to: number }
  /** Lines were deleted after this one; 0 for the beginning. */
  | { kind: 'deleted'; after: number }

/** Steps of Myers' algorithm: texts that differ in more lines are one change from the first to the last. */
const mostSteps = 600

type Match = readonly [before: number, after: number]

/** What was changed from one list of lines to the other, from the top. */
export function changedLines(before: readonly string[], after: readonly string[]): ChangedLines[] {
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && before[start] === after[start]) start += 1
  let end = 0
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end += 1
  const matches = matchesOf(
    before.slice(start, before.length - end),
    after.slice(start, after.length - end),
  ).map(([left, right]): Match => [left + start, right + start])
  const changes: ChangedLines[] = []
  let [left, right] = [start, start]
  for (const [nextLeft, nextRight] of [
    ...matches,
    [before.length - end, after.length - end] as const,
  ]) {
    const [deleted, added] = [nextLeft - left, nextRight - right]
    if (added > 0) {
      const kind = deleted > 0 ? 'modified' : 'added'
      changes.push({ kind, from: right + 1, to: nextRight })
    } else if (deleted > 0) changes.push({ kind: 'deleted', after: right })
    left = nextLeft + 1
    right = nextRight + 1
  }
  return changes
}

/** Pairs of equal lines in order, as many as possible: Myers, "An O(ND) difference algorithm", 1986. */
function matchesOf(before: readonly string[], after: readonly string[]): Match[] {
  const [rows, columns] = [before.length, after.length]
  if (rows === 0 || columns === 0) return []
  const furthest = new Map<number, number>([[1, 0]])
  const trace: Map<number, number>[] = []
  for (let steps = 0; steps <= Math.min(rows + columns, mostSteps); steps += 1) {
    trace.push(new Map(furthest))
    for (let diagonal = -steps; diagonal <= steps; diagonal += 2) {
      let row = firstRow(furthest, diagonal, steps)
      while (row < rows && row - diagonal < columns && before[row] === after[row - diagonal])
        row += 1
      furthest.set(diagonal, row)
      if (row >= rows && row - diagonal >= columns) return walkBack(trace, rows, columns)
    }
  }
  return []
}

/** Whether the furthest way to a diagonal is over an added line, else over a deleted one. */
function comesByAdding(
  furthest: ReadonlyMap<number, number>,
  diagonal: number,
  steps: number,
): boolean {
  const deleting = furthest.get(diagonal - 1) ?? -1
  const adding = furthest.get(diagonal + 1) ?? -1
  return diagonal === -steps || (diagonal !== steps && deleting < adding)
}

function firstRow(furthest: ReadonlyMap<number, number>, diagonal: number, steps: number): number {
  return comesByAdding(furthest, diagonal, steps)
    ? (furthest.get(diagonal + 1) ?? 0)
    : (furthest.get(diagonal - 1) ?? 0) + 1
}

function walkBack(
  trace: readonly ReadonlyMap<number, number>[],
  rows: number,
  columns: number,
): Match[] {
  const matches: Match[] = []
  let [row, column] = [rows, columns]
  for (let steps = trace.length - 1; steps >= 0; steps -= 1) {
    const furthest = trace[steps] ?? new Map<number, number>()
    const diagonal = row - column
    const from = comesByAdding(furthest, diagonal, steps) ? diagonal + 1 : diagonal - 1
    const fromRow = furthest.get(from) ?? 0
    while (row > fromRow && column > fromRow - from) {
      row -= 1
      column -= 1
      matches.push([row, column])
    }
    row = fromRow
    column = fromRow - from
  }
  return matches.reverse()
}
