import type { Graph, GraphNode, TensorType } from '../electron/contract/graph'

/** Nodes that belong together: the whole graph, a block of a node, or a module's (inlined function's) nodes. */
export interface Group {
  index: number
  kind: 'root' | 'block' | 'scope'
  /** "then", "body"; of a scope its path below the parent: "layers.0", "encoder/layers.0". */
  label: string
  /** The node that owns the block, -1 for root and scopes. */
  node: number
  /** -1 for the root. */
  parent: number
  depth: number
  /** Nodes whose innermost group this is, in the order of the text. */
  nodes: number[]
  /** Groups directly inside; blocks of nodes of this group are among them. */
  groups: number[]
  /** Nodes inside, nested ones too. */
  size: number
  /** Values that a block (or the graph) takes; [] for scopes. */
  inputs: number[]
  /** What a block (or the graph) returns: indices into `returns`; [] for scopes. */
  returns: number[]
  /** Equal for groups of the same structure: operators, wiring, constants' types. */
  shapeHash: string
}

export interface ModelValue {
  index: number
  name: string
  type: string
  tensor?: TensorType | undefined
  /** The node that puts it out; -1 for inputs of the graph or of a block, and for names nobody declares. */
  producer: number
  /** Which output of its producer, or which input of its group. */
  position: number
  /** The block (or root) that declares it. */
  group: number
  /** Nodes that take it, each once, in the order of the text. */
  uses: number[]
}

/** One value that the graph or a block gives back. */
export interface ModelReturn {
  group: number
  position: number
  value: number
}

/** A graph with its indices: what takes what, and what is inside what. */
export interface GraphModel {
  graph: Graph
  /** Index = id; nested nodes follow their owner. */
  nodes: GraphNode[]
  /** The root or block each node stands in. */
  blockOf: Int32Array
  /** The innermost group, scopes included, each node stands in. */
  groupOf: Int32Array
  /** 0 is the root. */
  groups: Group[]
  /** Groups of a node's blocks, in order; nodes without blocks are absent. */
  blocksOf: Map<number, number[]>
  values: ModelValue[]
  /** By name; where a fused subgraph uses a name again, the outermost one. */
  valueIndex: Map<string, number>
  /** Values a node takes: inputValues[inputStart[n]] up to inputStart[n + 1]. */
  inputStart: Uint32Array
  inputValues: Int32Array
  /** The value of a node's first output; its others follow. */
  firstOutput: Int32Array
  returns: ModelReturn[]
  /**
   * 1 for nodes that say what others do rather than do something: constants, lists and tuples of
   * constants, attributes read from modules. They are drawn inside their users unless asked for.
   */
  constant: Uint8Array
}

/** Values that a node takes, in order. */
export function inputsOf(model: GraphModel, node: number): Int32Array {
  return model.inputValues.subarray(model.inputStart[node] ?? 0, model.inputStart[node + 1] ?? 0)
}

/** Values that a node puts out, in order. */
export function outputsOf(model: GraphModel, node: number): number[] {
  const first = model.firstOutput[node] ?? 0
  return Array.from(model.nodes[node]?.outputs ?? [], (_, index) => first + index)
}
