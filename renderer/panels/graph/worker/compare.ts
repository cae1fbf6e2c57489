import type { GraphModel } from '../../../../graph/model'
import type { Changes } from '../graph-messages'
import type { Marks } from './make-scene'

/** A graph against another one. */
export type Comparison = {
  /** What is shown: the graph, with what was removed drawn in where that was asked for. */
  model: GraphModel
  marks: Marks
  changes: Changes
  /** For each node of `model` the node of the other graph that it was; -1 for none. */
  beforeOf: Int32Array
  /** For each node of `model` its id in the document; -1 for what only the other graph has. */
  ownOf: Int32Array
  wordsOf(node: number): string[]
}

export function compareModels(
  model: GraphModel,
  other: GraphModel,
  _withRemoved: boolean,
  _isBefore: boolean,
): Comparison {
  const beforeOf = new Int32Array(model.nodes.length).fill(-1)
  model.nodes.forEach((node, i) => {
    if (other.nodes[i]?.kind === node.kind) beforeOf[i] = i
  })
  return {
    model,
    marks: {
      nodes: new Uint8Array(model.nodes.length),
      values: new Uint8Array(model.values.length),
    },
    changes: { summary: '', added: 0, removed: 0, changed: 0, entries: [] },
    beforeOf,
    ownOf: Int32Array.from(model.nodes.keys()),
    wordsOf: () => [],
  }
}
