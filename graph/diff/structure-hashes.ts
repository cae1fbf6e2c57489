import { attributeText, wholeConstantText } from '../describe'
import { hashText, mix } from '../hash'
import type { GraphModel } from '../model'

/** Attributes that name values: renaming is no change. */
const naming = new Set(['may_alias', 'writes_to'])

/**
 * Two hashes a node: `up` of all that leads to it (operator, attributes, constants, producers, and what
 * its blocks do), `down` of all that it leads to. Names of values take no part. A node before an edit
 * keeps its `up`, a node after an edit its `down`. 53 bits each, exact in a float.
 */
export interface StructureHashes {
  up: Float64Array
  down: Float64Array
  /** Of the node on its own: operator, attributes and constants. */
  own: Float64Array
  /** Of the blocks around it: "then of the second if". */
  path: Float64Array
}

interface Pair {
  high: Uint32Array
  low: Uint32Array
}

function pair(count: number): Pair {
  return { high: new Uint32Array(count), low: new Uint32Array(count) }
}

function joined({ high, low }: Pair): Float64Array {
  return Float64Array.from(
    high,
    (value, index) => (value & 0x1fffff) * 4294967296 + (low[index] ?? 0),
  )
}

export function structureHashes(model: GraphModel): StructureHashes {
  const count = model.nodes.length
  const own = pair(count)
  const path = pair(model.groups.length)
  const constants = constantHashes(model)
  const attributes = new Map<string, number>()
  const textHash = (text: string): number => {
    let hash = attributes.get(text)
    if (hash === undefined) attributes.set(text, (hash = hashText(text)))
    return hash
  }
  for (const node of model.nodes) {
    let text = node.kind
    for (const name of Object.keys(node.attributes).sort())
      if (!naming.has(name)) text += `\n${name}=${attributeText(node.attributes[name] ?? null)}`
    let high = textHash(text)
    let low = mix(high, 0x9e3779b9)
    const start = model.inputStart[node.id] ?? 0
    for (let at = start; at < (model.inputStart[node.id + 1] ?? 0); at += 1) {
      const constant = constants[model.inputValues[at] ?? -1] ?? 0
      if (constant === 0) continue
      high = mix(high, constant + at - start)
      low = mix(low, constant ^ (at - start + 7))
    }
    own.high[node.id] = high
    own.low[node.id] = low
  }
  for (const group of model.groups) {
    if (group.kind !== 'block') continue
    const outer = model.blockOf[group.node] ?? 0
    const label = textHash(`${model.nodes[group.node]?.kind ?? ''} ${group.label}`)
    path.high[group.index] = mix(path.high[outer] ?? 0, label)
    path.low[group.index] = mix(path.low[outer] ?? 0, label ^ 0x55)
  }
  const paths = joined(path)
  return {
    up: joined(upHashes(model, own, constants)),
    down: joined(downHashes(model, own)),
    own: joined(own),
    path: Float64Array.from(model.blockOf, (block) => paths[block] ?? 0),
  }
}

/** Hashes of constants' texts, by value; 0 for values that are computed. */
function constantHashes(model: GraphModel): Uint32Array {
  const hashes = new Uint32Array(model.values.length)
  for (const value of model.values) {
    if (value.producer < 0 || model.constant[value.producer] !== 1) continue
    const text = wholeConstantText(model, value.index)
    if (text !== null) hashes[value.index] = hashText(text) || 1
  }
  return hashes
}

function upHashes(model: GraphModel, own: Pair, constants: Uint32Array): Pair {
  const up = pair(model.nodes.length)
  const declared = new Map<number, [number, number]>()
  const ofValue = (value: number): [number, number] => {
    const entry = model.values[value]
    if (!entry) return [1, 2]
    if (entry.producer >= 0)
      return [
        mix(up.high[entry.producer] ?? 0, entry.position),
        mix(up.low[entry.producer] ?? 0, entry.position + 3),
      ]
    return declared.get(value) ?? [mix(11, entry.position), mix(13, entry.position)]
  }
  const visit = (id: number): void => {
    let high = own.high[id] ?? 0
    let low = own.low[id] ?? 0
    const start = model.inputStart[id] ?? 0
    for (let at = start; at < (model.inputStart[id + 1] ?? 0); at += 1) {
      const value = model.inputValues[at] ?? -1
      if ((constants[value] ?? 0) !== 0) continue
      const [a, b] = ofValue(value)
      high = mix(high, a ^ (at - start))
      low = mix(low, b + (at - start))
    }
    up.high[id] = high
    up.low[id] = low
    for (const block of model.blocksOf.get(id) ?? []) {
      const group = model.groups[block]
      if (!group) continue
      for (const [position, input] of group.inputs.entries())
        declared.set(input, [mix(high, position + 101), mix(low, position + 103)])
    }
  }
  // Nodes come before what is in their blocks; what a block does joins its owner's hash when it is done.
  const finish = (id: number): void => {
    let high = up.high[id] ?? 0
    let low = up.low[id] ?? 0
    for (const block of model.blocksOf.get(id) ?? []) {
      for (const at of model.groups[block]?.returns ?? []) {
        const [a, b] = ofValue(model.returns[at]?.value ?? -1)
        high = mix(high, a)
        low = mix(low, b)
      }
      // Nodes with effects only (a print, an append) are nobody's input.
      for (const node of blockNodes(model, block)) {
        high = mix(high, own.high[node] ?? 0)
        low = mix(low, own.low[node] ?? 0)
      }
    }
    up.high[id] = high
    up.low[id] = low
  }
  walk(model, 0, visit, finish)
  return up
}

/** Nodes directly in a block, whatever their scopes. */
export function blockNodes(model: GraphModel, block: number): number[] {
  let known = nodesOfBlocks.get(model)
  if (!known) {
    known = model.groups.map(() => [])
    for (let node = 0; node < model.nodes.length; node += 1)
      if (model.constant[node] !== 1) known[model.blockOf[node] ?? 0]?.push(node)
    nodesOfBlocks.set(model, known)
  }
  return known[block] ?? []
}
const nodesOfBlocks = new WeakMap<GraphModel, number[][]>()

function walk(
  model: GraphModel,
  block: number,
  visit: (node: number) => void,
  finish: (node: number) => void,
): void {
  for (const node of blockNodes(model, block)) {
    visit(node)
    const blocks = model.blocksOf.get(node)
    if (!blocks) continue
    for (const inner of blocks) walk(model, inner, visit, finish)
    finish(node)
  }
}

function downHashes(model: GraphModel, own: Pair): Pair {
  const down = pair(model.nodes.length)
  /** What users make of a value; sums, since users have no order of their own. */
  const taken = pair(model.values.length)
  /** What blocks give back, by value. */
  const returned = new Map<number, number[]>()
  for (const [index, entry] of model.returns.entries()) {
    const list = returned.get(entry.value)
    if (list) list.push(index)
    else returned.set(entry.value, [index])
  }
  const visit = (id: number): void => {
    let high = 0
    let low = 0
    const first = model.firstOutput[id] ?? 0
    const outputs = model.nodes[id]?.outputs.length ?? 0
    for (let value = first; value < first + outputs; value += 1) {
      const place = value - first
      high = (high + (taken.high[value] ?? 0)) >>> 0
      low = (low + (taken.low[value] ?? 0)) >>> 0
      for (const at of returned.get(value) ?? []) {
        const entry = model.returns[at]
        const group = model.groups[entry?.group ?? 0]
        const label = hashText(group?.label ?? '')
        const owner = group?.kind === 'block' ? group.node : -1
        const position = (entry?.position ?? 0) * 31 + place
        high = (high + mix(owner < 0 ? 17 : mix(down.high[owner] ?? 0, label), position)) >>> 0
        low = (low + mix(owner < 0 ? 19 : mix(down.low[owner] ?? 0, label), position)) >>> 0
      }
    }
    const downHigh = mix(own.high[id] ?? 0, high)
    const downLow = mix(own.low[id] ?? 0, low)
    down.high[id] = downHigh
    down.low[id] = downLow
    const start = model.inputStart[id] ?? 0
    for (let at = start; at < (model.inputStart[id + 1] ?? 0); at += 1) {
      const value = model.inputValues[at] ?? 0
      const position = (model.values[value]?.position ?? 0) * 31 + at - start
      taken.high[value] = ((taken.high[value] ?? 0) + mix(downHigh, position)) >>> 0
      taken.low[value] = ((taken.low[value] ?? 0) + mix(downLow, position + 5)) >>> 0
    }
  }
  // Backwards; an owner before its blocks, since what a block gives back goes on from its owner.
  const walkBack = (block: number): void => {
    const nodes = blockNodes(model, block)
    for (let index = nodes.length - 1; index >= 0; index -= 1) {
      const node = nodes[index] ?? 0
      visit(node)
      for (const inner of model.blocksOf.get(node) ?? []) walkBack(inner)
    }
  }
  walkBack(0)
  return down
}
