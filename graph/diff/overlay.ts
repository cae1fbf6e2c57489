import type { Graph, GraphBlock, GraphNode } from '../../electron/contract/graph'
import { constantText } from '../describe'
import { inputsOf } from '../model'
import type { GraphModel } from '../model'
import type { GraphDiff } from './diff-graphs'

/** Both graphs in one: what is now, and what is gone at the place where it was. */
export interface Overlay {
  graph: Graph
  /** By node of the overlay: the after-node it is (≥ 0), or ~before for one that is gone. */
  origin: Int32Array
  status: ('same' | 'added' | 'changed' | 'removed')[]
  /**
   * Inputs at the end of a node's list that it had before and has no more: lines from removed nodes.
   * By node of the overlay; most nodes are absent.
   */
  oldInputs: Map<number, number>
}

/** What the values of removed nodes are called in the overlay. */
const prefix = 'before/'

/**
 * Puts the removed nodes of `before` into `after`, each behind what it took, with lines to those of
 * its old users that come later. Its constants come with it.
 */
export function mergeForOverlay(before: GraphModel, after: GraphModel, diff: GraphDiff): Overlay {
  const merger = new Merger(before, after, diff)
  return merger.merge()
}

class Merger {
  private readonly isGone: Uint8Array
  private readonly place: Map<number, number[]>
  private readonly origins: number[] = []
  private readonly old = new Map<number, number>()
  /** The next after-node, in the order of the text. */
  private next = 0
  /** Before-nodes that are in the overlay by now. */
  private readonly shown = new Set<number>()

  constructor(
    private readonly before: GraphModel,
    private readonly after: GraphModel,
    private readonly diff: GraphDiff,
  ) {
    this.isGone = new Uint8Array(before.nodes.length)
    for (const node of diff.removed) this.isGone[node] = 1
    this.place = this.choosePlaces()
  }

  /**
   * Where each removed node stands: behind an after-node (its id), or at the start of a block
   * (~block). That is in the block it was in, behind what stood before it there and behind all it
   * takes; further out, when it takes what comes after that block now. What is inside of a removed
   * node goes with it.
   */
  private choosePlaces(): Map<number, number[]> {
    const { before, after, diff } = this
    const places = new Map<number, number[]>()
    const placeOf = new Map<number, number>()
    const lastIn = new Map<number, number>()
    for (const node of before.nodes) {
      const block = before.blockOf[node.id] ?? 0
      if (this.isGone[node.id] !== 1) {
        const now = diff.after[node.id] ?? -1
        if (now >= 0 && before.constant[node.id] !== 1) lastIn.set(block, now)
        continue
      }
      const owner = before.groups[block]?.node ?? -1
      if (owner >= 0 && this.isGone[owner] === 1) {
        placeOf.set(node.id, placeOf.get(owner) ?? ~0)
        continue
      }
      const needed = this.producersNow(node.id, placeOf)
      let home = this.blockNow(block)
      let anchor = this.within(lastIn.get(block) ?? -1, home)
      for (;;) {
        const around = after.groups[home]?.node ?? -1
        const inside = needed.map((producer) => this.within(producer, home))
        anchor = Math.max(anchor, ...inside)
        const isTooLate = inside.some((at, index) => at < 0 && (needed[index] ?? -1) >= around)
        if (home === 0 || !isTooLate) break
        home = after.blockOf[around] ?? 0
        anchor = -1
      }
      const place = anchor >= 0 ? anchor : ~home
      placeOf.set(node.id, place)
      const list = places.get(place)
      if (list) list.push(node.id)
      else places.set(place, [node.id])
    }
    return places
  }

  /** After-nodes that must come before a removed node: producers of all that it and its blocks take. */
  private producersNow(id: number, placeOf: ReadonlyMap<number, number>): number[] {
    const { before, after, diff } = this
    const found = new Set<number>()
    const blocks = before.blocksOf.get(id) ?? []
    for (let node = id; node < before.nodes.length; node += 1) {
      if (node > id && !this.isIn(before.blockOf[node] ?? 0, blocks)) break
      for (const value of inputsOf(before, node)) {
        const producer = before.values[value]?.producer ?? -1
        if (producer < 0 || (producer >= id && this.isGone[producer] === 1)) continue
        const place = placeOf.get(producer)
        if (place === undefined) found.add(diff.after[producer] ?? -1)
        else found.add(place >= 0 ? place : (after.groups[~place]?.node ?? -1))
      }
    }
    found.delete(-1)
    return [...found]
  }

  private blockNow(block: number): number {
    let at = block
    while (at > 0) {
      const owner = this.before.groups[at]?.node ?? -1
      const now = this.diff.after[owner] ?? -1
      const index = this.before.blocksOf.get(owner)?.indexOf(at) ?? -1
      const match = this.after.blocksOf.get(now)?.[index]
      if (match !== undefined) return match
      at = this.before.blockOf[owner] ?? 0
    }
    return 0
  }

  /** The node of a block that a node is, or is inside of; -1 when it is elsewhere. */
  private within(node: number, block: number): number {
    let at = node
    while (at >= 0 && this.after.blockOf[at] !== block)
      at = this.after.groups[this.after.blockOf[at] ?? 0]?.node ?? -1
    return at
  }

  merge(): Overlay {
    const { after } = this
    const nodes = this.blockContent(0, after.graph.nodes)
    const status = this.origins.map((origin) =>
      origin < 0 ? 'removed' : (this.diff.nodes[origin]?.status ?? 'same'),
    )
    return {
      graph: { ...after.graph, nodes },
      origin: Int32Array.from(this.origins),
      status,
      oldInputs: this.old,
    }
  }

  private blockContent(block: number, nodes: readonly GraphNode[]): GraphNode[] {
    const result: GraphNode[] = []
    const insert = (key: number): void => {
      for (const removed of this.place.get(key) ?? []) this.addRemoved(removed, result)
    }
    insert(~block)
    for (const node of nodes) {
      const id = this.origins.length
      // The model's ids; a file from elsewhere may have others.
      const now = this.next
      this.next += 1
      this.origins.push(now)
      const copy: GraphNode = { ...node, id }
      this.addOldInputs(now, copy)
      const blocks = this.after.blocksOf.get(now)
      if (node.blocks && blocks)
        copy.blocks = node.blocks.map((inner, index) => ({
          ...inner,
          nodes: this.blockContent(blocks[index] ?? 0, inner.nodes),
        }))
      result.push(copy)
      insert(now)
    }
    return result
  }

  /** Lines from removed nodes that are there already. */
  private addOldInputs(now: number, copy: GraphNode): void {
    const was = this.diff.nodes[now]?.before ?? -1
    if (was < 0) return
    const more: string[] = []
    for (const value of inputsOf(this.before, was)) {
      const entry = this.before.values[value]
      if (entry && this.isGone[entry.producer] === 1 && this.shown.has(entry.producer))
        more.push(prefix + entry.name)
    }
    if (more.length === 0) return
    copy.inputs = [...copy.inputs, ...more]
    this.old.set(copy.id, more.length)
  }

  private addRemoved(id: number, into: GraphNode[]): void {
    const node = this.before.nodes[id]
    if (!node) return
    for (const value of inputsOf(this.before, id)) this.addConstants(value, into)
    const copy: GraphNode = { ...node, id: this.origins.length }
    this.origins.push(~id)
    copy.inputs = Array.from(inputsOf(this.before, id), (value) => this.nameNow(value))
    copy.outputs = node.outputs.map((value) => ({ ...value, name: prefix + value.name }))
    delete copy.source
    const blocks = this.before.blocksOf.get(id)
    if (node.blocks && blocks)
      copy.blocks = node.blocks.map((inner, index): GraphBlock => {
        const group = this.before.groups[blocks[index] ?? 0]
        const content: GraphNode[] = []
        for (let nested = id + 1; nested < this.before.nodes.length; nested += 1) {
          const home = this.before.blockOf[nested] ?? 0
          if (!this.isIn(home, blocks)) break
          if (home === group?.index && this.isGone[nested] === 1) this.addRemoved(nested, content)
        }
        return {
          label: inner.label,
          inputs: inner.inputs.map((value) => ({ ...value, name: prefix + value.name })),
          outputs: (group?.returns ?? []).map((at) =>
            this.nameNow(this.before.returns[at]?.value ?? -1),
          ),
          nodes: content,
        }
      })
    this.shown.add(id)
    into.push(copy)
  }

  private isIn(block: number, blocks: readonly number[]): boolean {
    let at = block
    while (at > 0) {
      if (blocks.includes(at)) return true
      at = this.before.blockOf[this.before.groups[at]?.node ?? -1] ?? 0
    }
    return false
  }

  /** A removed node's constants stand before it, also those that are still there under other users. */
  private addConstants(value: number, into: GraphNode[]): void {
    const producer = this.before.values[value]?.producer ?? -1
    const node = this.before.nodes[producer]
    if (!node || this.before.constant[producer] !== 1 || this.shown.has(producer)) return
    if (constantText(this.before, value) === null) return
    this.shown.add(producer)
    for (const input of inputsOf(this.before, producer)) this.addConstants(input, into)
    this.origins.push(~producer)
    into.push({
      ...node,
      id: this.origins.length - 1,
      inputs: Array.from(inputsOf(this.before, producer), (input) => this.nameNow(input)),
      outputs: node.outputs.map((output) => ({ ...output, name: prefix + output.name })),
    })
  }

  /** What a value of the old graph is called in the overlay. */
  private nameNow(value: number): string {
    const { before, after, diff } = this
    const entry = before.values[value]
    if (!entry) return prefix
    if (entry.producer >= 0) {
      if (this.isGone[entry.producer] === 1 || before.constant[entry.producer] === 1)
        return prefix + entry.name
      const now = diff.after[entry.producer] ?? -1
      const output = after.nodes[now]?.outputs[entry.position]
      return output ? output.name : prefix + entry.name
    }
    const group = entry.group === 0 ? 0 : this.blockNow(entry.group)
    const input = after.groups[group]?.inputs[entry.position]
    const owner = before.groups[entry.group]?.node ?? -1
    if (owner >= 0 && this.isGone[owner] === 1) return prefix + entry.name
    return after.values[input ?? -1]?.name ?? prefix + entry.name
  }
}
