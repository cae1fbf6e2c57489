import type { GraphNode } from '../../electron/contract/graph'
import type { Group, GraphModel, ModelReturn, ModelValue } from '../model'

/** What a box stands for. */
export type LayoutItem =
  | { kind: 'node'; node: GraphNode }
  /** A folded group. */
  | { kind: 'group'; group: Group }
  /** An input of the graph or of an open block. */
  | { kind: 'input'; value: ModelValue }
  /** What the graph or an open block gives back. */
  | { kind: 'output'; value: ModelValue; output: ModelReturn }

/**
 * One number for a box: 4 × id + kind. Ids are those of the model: of nodes, groups, values (inputs)
 * and returns (outputs).
 */
export const itemKinds = { node: 0, group: 1, input: 2, output: 3 } as const
export type ItemKind = keyof typeof itemKinds
const kindNames: readonly ItemKind[] = ['node', 'group', 'input', 'output']

export function keyOf(kind: ItemKind, id: number): number {
  return id * 4 + itemKinds[kind]
}
export function kindOfKey(key: number): ItemKind {
  return kindNames[key & 3] ?? 'node'
}
export function idOfKey(key: number): number {
  return key >> 2
}

/** What a key stands for in a model; undefined for a key of another model. */
export function itemOfKey(model: GraphModel, key: number): LayoutItem | undefined {
  const id = idOfKey(key)
  switch (kindOfKey(key)) {
    case 'node': {
      const node = model.nodes[id]
      return node && { kind: 'node', node }
    }
    case 'group': {
      const group = model.groups[id]
      return group && { kind: 'group', group }
    }
    case 'input': {
      const value = model.values[id]
      return value && { kind: 'input', value }
    }
    case 'output': {
      const output = model.returns[id]
      const value = model.values[output?.value ?? -1]
      return output && value && { kind: 'output', value, output }
    }
  }
}

export interface LayoutOptions {
  /** Groups that are one box. A node all of whose blocks are folded is one box too. */
  folded: ReadonlySet<number>
  /** Constants, constant lists and module attributes as boxes of their own. */
  showConstants: boolean
  /** Size of a box in pixels at zoom 1. Called once a box. */
  measure: (item: LayoutItem) => { width: number; height: number }
  /** A layout that this one keeps to: what is matched stays where it was as far as it can. */
  previous?: PreviousLayout | undefined
}

export interface PreviousLayout {
  layout: GraphLayout
  /** The key that an item had there; -1 for what is new. `(key) => key` for the same model. */
  match: (key: number) => number
}

/** A drawing, in pixels, y downwards. Nothing but numbers: it can be transferred to another thread. */
export interface GraphLayout {
  left: number
  top: number
  width: number
  height: number
  /** Boxes: x, y is the top left corner. A node with an open block has its header here and a frame. */
  items: {
    count: number
    key: Int32Array
    x: Float32Array
    y: Float32Array
    w: Float32Array
    h: Float32Array
  }
  /** Rectangles around open groups and around nodes with open blocks (key of the node), outermost first. */
  frames: {
    count: number
    key: Int32Array
    x: Float32Array
    y: Float32Array
    w: Float32Array
    h: Float32Array
    depth: Int32Array
  }
  /**
   * Lines between items; one for all values that go the same way: values[valueStart[e]] up to
   * valueStart[e + 1]. Points x, y of edge e: points[2 * pointStart[e]] up to 2 * pointStart[e + 1],
   * from the producer's (its frame's, if it has one) bottom to the user's top. `express` is 1 for a
   * long line that had to be drawn straight across what is between.
   */
  edges: {
    count: number
    from: Int32Array
    to: Int32Array
    valueStart: Uint32Array
    values: Int32Array
    pointStart: Uint32Array
    points: Float32Array
    express: Uint8Array
  }
}
