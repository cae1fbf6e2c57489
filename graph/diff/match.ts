import type { GraphModel } from '../model'
import { alignSequences, increasing } from './sequences'
import { blockNodes, structureHashes } from './structure-hashes'

/** Which node of one graph is which of the other; -1 for none. */
export interface Matching {
  /** By after-node. */
  before: Int32Array
  /** By before-node. */
  after: Int32Array
}

/**
 * Finds what two graphs have in common, in near-linear time:
 * 1. nodes whose surroundings agree as far as they reach (both structure hashes, then either one);
 * 2. what is left between such anchors, block by block in the order of the text: longest common
 *    subsequence of operators with their constants, then of operators alone;
 * 3. what is left beside matched neighbours.
 * Nodes of different operators never match. Constants follow their users.
 */
export function matchGraphs(before: GraphModel, after: GraphModel): Matching {
  const matching: Matching = {
    before: new Int32Array(after.nodes.length).fill(-1),
    after: new Int32Array(before.nodes.length).fill(-1),
  }
  const b = structureHashes(before)
  const a = structureHashes(after)
  const keys: ((hashes: typeof a) => readonly Float64Array[])[] = [
    (hashes) => [hashes.up, hashes.down, hashes.path],
    (hashes) => [hashes.up, hashes.path],
    (hashes) => [hashes.down, hashes.path],
    (hashes) => [hashes.up],
    (hashes) => [hashes.down],
  ]
  for (const key of keys) matchByKey(before, after, matching, combine(key(b)), combine(key(a)))
  for (let round = 0; round < 3; round += 1) {
    const found =
      alignBlocks(before, after, matching, b.own, a.own) + matchNeighbours(before, after, matching)
    if (found === 0) break
  }
  matchConstants(before, after, matching)
  return matching
}

function combine(parts: readonly Float64Array[]): Float64Array {
  const result = Float64Array.from(parts[0] ?? [])
  for (const part of parts.slice(1)) {
    for (let index = 0; index < result.length; index += 1) {
      // 53 bits stay 53 bits: a sum of products, folded.
      const value = (result[index] ?? 0) * 31 + (part[index] ?? 0)
      result[index] = value % 9007199254740881
    }
  }
  return result
}

function connect(matching: Matching, before: number, after: number): void {
  matching.before[after] = before
  matching.after[before] = after
}

/** Nodes with equal keys, in order, where both graphs have as many of them. */
function matchByKey(
  before: GraphModel,
  after: GraphModel,
  matching: Matching,
  keyBefore: Float64Array,
  keyAfter: Float64Array,
): void {
  const buckets = new Map<number, { before: number[]; after: number[] }>()
  for (const [id, key] of keyBefore.entries()) {
    if (matching.after[id] !== -1 || before.constant[id] === 1) continue
    const bucket = buckets.get(key)
    if (bucket) bucket.before.push(id)
    else buckets.set(key, { before: [id], after: [] })
  }
  for (const [id, key] of keyAfter.entries())
    if (matching.before[id] === -1 && after.constant[id] !== 1) buckets.get(key)?.after.push(id)
  for (const bucket of buckets.values()) {
    if (bucket.before.length !== bucket.after.length) continue
    for (const [index, id] of bucket.before.entries()) {
      const other = bucket.after[index] ?? -1
      if (before.nodes[id]?.kind === after.nodes[other]?.kind) connect(matching, id, other)
    }
  }
}

/** The block of `after` that a block of `before` is; -1 when its owner has no match. */
export function matchingBlock(
  before: GraphModel,
  after: GraphModel,
  matching: Matching,
  block: number,
): number {
  if (block === 0) return 0
  const owner = before.groups[block]?.node ?? -1
  const index = before.blocksOf.get(owner)?.indexOf(block) ?? -1
  return after.blocksOf.get(matching.after[owner] ?? -1)?.[index] ?? -1
}

function alignBlocks(
  before: GraphModel,
  after: GraphModel,
  matching: Matching,
  ownBefore: Float64Array,
  ownAfter: Float64Array,
): number {
  let found = 0
  for (const group of before.groups) {
    if (group.kind === 'scope') continue
    const other = matchingBlock(before, after, matching, group.index)
    if (other < 0) continue
    const left = blockNodes(before, group.index)
    const right = blockNodes(after, other)
    const placeBefore = new Map(left.map((node, place) => [node, place]))
    // Anchors that keep their order split both texts into gaps.
    const anchors: { left: number; right: number }[] = []
    for (const [place, node] of right.entries()) {
      const at = placeBefore.get(matching.before[node] ?? -1)
      if (at !== undefined) anchors.push({ left: at, right: place })
    }
    const kept = increasing(anchors.map((anchor) => anchor.left)).map((index) => anchors[index])
    kept.push({ left: left.length, right: right.length })
    let fromLeft = 0
    let fromRight = 0
    for (const anchor of kept) {
      if (!anchor) continue
      const gapLeft = left.slice(fromLeft, anchor.left).filter((id) => matching.after[id] === -1)
      const gapRight = right
        .slice(fromRight, anchor.right)
        .filter((id) => matching.before[id] === -1)
      fromLeft = anchor.left + 1
      fromRight = anchor.right + 1
      if (gapLeft.length === 0 || gapRight.length === 0) continue
      const pairUp = (
        keyLeft: (id: number) => number | string,
        keyRight: (id: number) => number | string,
      ): void => {
        const openLeft = gapLeft.filter((id) => matching.after[id] === -1)
        const openRight = gapRight.filter((id) => matching.before[id] === -1)
        for (const [a, b] of alignSequences(openLeft.map(keyLeft), openRight.map(keyRight))) {
          connect(matching, openLeft[a] ?? 0, openRight[b] ?? 0)
          found += 1
        }
      }
      pairUp(
        (id) => ownBefore[id] ?? 0,
        (id) => ownAfter[id] ?? 0,
      )
      pairUp(
        (id) => before.nodes[id]?.kind ?? '',
        (id) => after.nodes[id]?.kind ?? '',
      )
    }
  }
  return found
}

/** Candidates looked at for one node: hubs have thousands of users. */
const enough = 64

function matchNeighbours(before: GraphModel, after: GraphModel, matching: Matching): number {
  let found = 0
  for (const node of after.nodes) {
    if (matching.before[node.id] !== -1 || after.constant[node.id] === 1) continue
    const candidate =
      besideProducers(before, after, matching, node.id) ??
      besideUsers(before, after, matching, node.id)
    if (candidate === undefined) continue
    connect(matching, candidate, node.id)
    found += 1
  }
  return found
}

function besideProducers(
  before: GraphModel,
  after: GraphModel,
  matching: Matching,
  node: number,
): number | undefined {
  const kind = after.nodes[node]?.kind
  for (let at = after.inputStart[node] ?? 0; at < (after.inputStart[node + 1] ?? 0); at += 1) {
    const value = after.values[after.inputValues[at] ?? -1]
    if (!value || value.producer < 0) continue
    const producer = matching.before[value.producer] ?? -1
    if (producer < 0) continue
    const old = before.values[(before.firstOutput[producer] ?? 0) + value.position]
    const candidate = old?.uses
      .slice(0, enough)
      .find((user) => matching.after[user] === -1 && before.nodes[user]?.kind === kind)
    if (candidate !== undefined) return candidate
  }
  return undefined
}

function besideUsers(
  before: GraphModel,
  after: GraphModel,
  matching: Matching,
  node: number,
): number | undefined {
  const kind = after.nodes[node]?.kind
  const first = after.firstOutput[node] ?? 0
  const outputs = after.nodes[node]?.outputs.length ?? 0
  for (let value = first; value < first + outputs; value += 1) {
    for (const user of after.values[value]?.uses.slice(0, enough) ?? []) {
      const old = matching.before[user] ?? -1
      if (old < 0) continue
      for (let at = before.inputStart[old] ?? 0; at < (before.inputStart[old + 1] ?? 0); at += 1) {
        const producer = before.values[before.inputValues[at] ?? -1]?.producer ?? -1
        if (
          producer >= 0 &&
          matching.after[producer] === -1 &&
          before.constant[producer] !== 1 &&
          before.nodes[producer]?.kind === kind
        )
          return producer
      }
    }
  }
  return undefined
}

/** Constants are what they are for: those at the same input of matched users match. */
function matchConstants(before: GraphModel, after: GraphModel, matching: Matching): void {
  for (let node = after.nodes.length - 1; node >= 0; node -= 1) {
    const old = matching.before[node] ?? -1
    if (old < 0) continue
    const start = after.inputStart[node] ?? 0
    const oldStart = before.inputStart[old] ?? 0
    const count = Math.min(
      (after.inputStart[node + 1] ?? 0) - start,
      (before.inputStart[old + 1] ?? 0) - oldStart,
    )
    for (let index = 0; index < count; index += 1) {
      const a = after.values[after.inputValues[start + index] ?? -1]?.producer ?? -1
      const b = before.values[before.inputValues[oldStart + index] ?? -1]?.producer ?? -1
      if (a < 0 || b < 0 || after.constant[a] !== 1 || before.constant[b] !== 1) continue
      if (matching.before[a] !== -1 || matching.after[b] !== -1) continue
      if (after.nodes[a]?.kind === before.nodes[b]?.kind) connect(matching, b, a)
    }
  }
}
