/** Indices of a longest strictly increasing subsequence (patience sorting, O(n log n)). */
export function increasing(values: readonly number[]): number[] {
  const tails: number[] = []
  const previous = new Int32Array(values.length).fill(-1)
  for (const [index, value] of values.entries()) {
    let low = 0
    let high = tails.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((values[tails[middle] ?? 0] ?? 0) < value) low = middle + 1
      else high = middle
    }
    if (low > 0) previous[index] = tails[low - 1] ?? -1
    tails[low] = index
  }
  const result: number[] = []
  for (let at = tails.at(-1) ?? -1; at >= 0; at = previous[at] ?? -1) result.push(at)
  return result.reverse()
}

/** Cells of the table that a pair of sequences may take. */
const tableLimit = 1_000_000

/**
 * Pairs of indices of a longest common subsequence. Sequences too long for its table are paired by
 * their nth occurrences, as far as that keeps the order.
 */
export function alignSequences<K>(left: readonly K[], right: readonly K[]): [number, number][] {
  const pairs: [number, number][] = []
  let start = 0
  while (start < left.length && start < right.length && left[start] === right[start]) {
    pairs.push([start, start])
    start += 1
  }
  let endLeft = left.length
  let endRight = right.length
  const tail: [number, number][] = []
  while (endLeft > start && endRight > start && left[endLeft - 1] === right[endRight - 1]) {
    endLeft -= 1
    endRight -= 1
    tail.push([endLeft, endRight])
  }
  const rows = endLeft - start
  const columns = endRight - start
  if (rows > 0 && columns > 0) {
    const middle =
      (rows + 1) * (columns + 1) <= tableLimit
        ? byTable(left.slice(start, endLeft), right.slice(start, endRight))
        : byOccurrence(left.slice(start, endLeft), right.slice(start, endRight))
    for (const [a, b] of middle) pairs.push([a + start, b + start])
  }
  return [...pairs, ...tail.reverse()]
}

function byTable<K>(left: readonly K[], right: readonly K[]): [number, number][] {
  const width = right.length + 1
  const table = new Int32Array((left.length + 1) * width)
  for (let a = left.length - 1; a >= 0; a -= 1) {
    for (let b = right.length - 1; b >= 0; b -= 1) {
      const at = a * width + b
      table[at] =
        left[a] === right[b]
          ? (table[at + width + 1] ?? 0) + 1
          : Math.max(table[at + width] ?? 0, table[at + 1] ?? 0)
    }
  }
  const pairs: [number, number][] = []
  let a = 0
  let b = 0
  while (a < left.length && b < right.length) {
    const at = a * width + b
    if (left[a] === right[b]) {
      pairs.push([a, b])
      a += 1
      b += 1
    } else if ((table[at + width] ?? 0) >= (table[at + 1] ?? 0)) a += 1
    else b += 1
  }
  return pairs
}

function byOccurrence<K>(left: readonly K[], right: readonly K[]): [number, number][] {
  const places = new Map<K, number[]>()
  for (const [index, key] of right.entries()) {
    const list = places.get(key)
    if (list) list.push(index)
    else places.set(key, [index])
  }
  const used = new Map<K, number>()
  const pairs: [number, number][] = []
  for (const [index, key] of left.entries()) {
    const nth = used.get(key) ?? 0
    const other = places.get(key)?.[nth]
    if (other === undefined) continue
    used.set(key, nth + 1)
    pairs.push([index, other])
  }
  return increasing(pairs.map(([, other]) => other)).map((at) => pairs[at] ?? [0, 0])
}
