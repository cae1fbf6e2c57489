import type { Graph, GraphNode, GraphValue } from '../electron/contract/graph'
import { findConstants } from './constants'
import { assignGroups } from './groups'
import type { Group, GraphModel, ModelReturn, ModelValue } from './model'

/**
 * Indexes a graph in time linear in its nodes, inputs and nesting. Ids that are not in the order of
 * the text are set right; a name that nothing declares becomes a value without a producer.
 */
export function buildModel(graph: Graph): GraphModel {
  const nodes: GraphNode[] = []
  const blockOf: number[] = []
  const groups: Group[] = []
  const blocksOf = new Map<number, number[]>()
  const values: ModelValue[] = []
  const returns: ModelReturn[] = []
  const inputStart: number[] = [0]
  const inputValues: number[] = []
  const firstOutput: number[] = []
  /** What a name means here; blocks may hide names of what is around them. */
  const names = new Map<string, number>()
  const valueIndex = new Map<string, number>()
  /** Uses that stand before what they use: resolved at the end. */
  const pending: { at: number; name: string; isReturn: boolean }[] = []

  const declare = (
    value: GraphValue,
    producer: number,
    position: number,
    group: number,
    hidden: [string, number | undefined][],
  ): number => {
    const index = values.length
    const entry: ModelValue = {
      index,
      name: value.name,
      type: value.type,
      producer,
      position,
      group,
      uses: [],
    }
    if (value.tensor) entry.tensor = value.tensor
    values.push(entry)
    const before = names.get(value.name)
    if (before !== undefined) hidden.push([value.name, before])
    names.set(value.name, index)
    if (!valueIndex.has(value.name)) valueIndex.set(value.name, index)
    return index
  }

  const openBlock = (
    content: { inputs: GraphValue[]; outputs: string[]; nodes: GraphNode[] },
    kind: 'root' | 'block',
    label: string,
    owner: number,
    parent: number,
  ): number => {
    const index = groups.length
    const group: Group = {
      index,
      kind,
      label,
      node: owner,
      parent,
      depth: parent < 0 ? 0 : (groups[parent]?.depth ?? 0) + 1,
      nodes: [],
      groups: [],
      size: 0,
      inputs: [],
      returns: [],
      shapeHash: '',
    }
    groups.push(group)
    const hidden: [string, number | undefined][] = []
    for (const [position, value] of content.inputs.entries())
      group.inputs.push(declare(value, -1, position, index, hidden))
    for (const given of content.nodes) {
      const id = nodes.length
      const node = given.id === id ? given : { ...given, id }
      nodes.push(node)
      blockOf.push(index)
      group.nodes.push(id)
      for (const name of node.inputs) {
        const value = names.get(name)
        if (value === undefined) pending.push({ at: inputValues.length, name, isReturn: false })
        inputValues.push(value ?? -1)
      }
      inputStart.push(inputValues.length)
      firstOutput.push(values.length)
      if (node.blocks && node.blocks.length > 0) {
        // Outputs come first among the values, but no block of the node can name them.
        const outputs: [string, number | undefined][] = []
        for (const [position, value] of node.outputs.entries())
          declare(value, id, position, index, outputs)
        blocksOf.set(
          id,
          node.blocks.map((block) => openBlock(block, 'block', block.label, id, index)),
        )
        for (const output of outputs) hidden.push(output)
      } else {
        for (const [position, value] of node.outputs.entries())
          declare(value, id, position, index, hidden)
      }
    }
    for (const [position, name] of content.outputs.entries()) {
      const value = names.get(name)
      if (value === undefined) pending.push({ at: returns.length, name, isReturn: true })
      group.returns.push(returns.length)
      returns.push({ group: index, position, value: value ?? -1 })
    }
    for (const [name, before] of hidden.reverse()) if (before !== undefined) names.set(name, before)
    return index
  }
  openBlock(graph, 'root', graph.name, -1, -1)

  for (const { at, name, isReturn } of pending) {
    let value = valueIndex.get(name)
    if (value === undefined) {
      value = values.length
      valueIndex.set(name, value)
      values.push({ index: value, name, type: '', producer: -1, position: -1, group: 0, uses: [] })
    }
    const entry = returns[at]
    if (isReturn && entry) entry.value = value
    else inputValues[at] = value
  }
  for (let id = 0; id < nodes.length; id += 1) {
    for (let at = inputStart[id] ?? 0; at < (inputStart[id + 1] ?? 0); at += 1) {
      const uses = values[inputValues[at] ?? -1]?.uses
      if (uses && uses.at(-1) !== id) uses.push(id)
    }
  }

  const model: GraphModel = {
    graph,
    nodes,
    blockOf: Int32Array.from(blockOf),
    groupOf: Int32Array.from(blockOf),
    groups,
    blocksOf,
    values,
    valueIndex,
    inputStart: Uint32Array.from(inputStart),
    inputValues: Int32Array.from(inputValues),
    firstOutput: Int32Array.from(firstOutput),
    returns,
    constant: new Uint8Array(nodes.length),
  }
  findConstants(model)
  assignGroups(model)
  return model
}
