import type { Graph, GraphBlock, GraphNode, GraphValue } from '../../electron/contract/graph'
import { randomNumbers, tensorValue } from '../perf/graphs'

/** A node as tests write it; ids and lines are set by `graphOf`. */
export type Sketch = Omit<GraphNode, 'id' | 'lines' | 'attributes' | 'blocks' | 'outputs'> & {
  outputs: (string | GraphValue)[]
  attributes?: GraphNode['attributes']
  blocks?: (Omit<GraphBlock, 'nodes' | 'inputs'> & { inputs: string[]; nodes: Sketch[] })[]
}

const value = (given: string | GraphValue): GraphValue =>
  typeof given === 'string' ? { name: given, type: 'Tensor', tensor: {} } : given

/** A graph from sketches, ids in the order of the text. */
export function graphOf(inputs: string[], nodes: Sketch[], outputs: string[]): Graph {
  let next = 0
  const finish = (sketch: Sketch): GraphNode => {
    const id = next
    next += 1
    const { blocks, ...rest } = sketch
    const node: GraphNode = {
      ...rest,
      id,
      outputs: sketch.outputs.map(value),
      attributes: sketch.attributes ?? {},
      lines: [id + 1, id + 1],
    }
    if (blocks)
      node.blocks = blocks.map((block) => ({
        label: block.label,
        inputs: block.inputs.map(value),
        outputs: block.outputs,
        nodes: block.nodes.map(finish),
      }))
    return node
  }
  return {
    name: 'compute',
    form: 'script',
    inputs: inputs.map(value),
    outputs,
    nodes: nodes.map(finish),
  }
}

export const op = (kind: string, inputs: string[], output: string, scope?: string[]): Sketch => ({
  kind: `aten::${kind}`,
  inputs,
  outputs: [output],
  ...(scope ? { scope } : {}),
})

export const constant = (name: string, given: number | string | null, type = 'int'): Sketch => ({
  kind: 'prim::Constant',
  inputs: [],
  outputs: [{ name, type }],
  attributes: { value: given },
})

/** As seed 003's compute: an If whose branches use what is around them, inside a loop or not. */
export function branchingGraph(): Graph {
  return graphOf(
    ['x', 'y'],
    [
      constant('one', 1),
      constant('two', 2),
      op('select', ['x', 'one', 'one'], 'first'),
      { kind: 'aten::eq', inputs: ['first', 'two'], outputs: ['cond'] },
      {
        kind: 'prim::If',
        inputs: ['cond'],
        outputs: ['z'],
        blocks: [
          {
            label: 'then',
            inputs: [],
            outputs: ['a2'],
            nodes: [op('relu', ['x'], 'a1'), op('matmul', ['a1', 'y'], 'a2')],
          },
          {
            label: 'else',
            inputs: [],
            outputs: ['b1'],
            nodes: [op('add', ['x', 'y', 'two'], 'b1')],
          },
        ],
      },
      {
        kind: 'prim::Loop',
        inputs: ['two', 'cond', 'z'],
        outputs: ['out'],
        blocks: [
          {
            label: 'body',
            inputs: ['i', 'acc'],
            outputs: ['cond', 'acc2'],
            nodes: [op('mul', ['acc', 'y'], 'scaled'), op('add', ['scaled', 'i', 'one'], 'acc2')],
          },
        ],
      },
      op('tanh', ['out'], 'result'),
    ],
    ['result'],
  )
}

/**
 * A random graph with everything a graph can have: constants, lists, modules (called more than once),
 * Ifs that nest, loops, values used far away.
 */
export function randomGraph(count: number, seed: number): Graph {
  const random = randomNumbers(seed)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const kinds = ['relu', 'add', 'mul', 'matmul', 'cat', 'tanh', 'softmax']
  let names = 0
  const fresh = (): string => `v${(names += 1)}`
  const write = (visible: string[], budget: number, depth: number, scope: string[]): Sketch[] => {
    const nodes: Sketch[] = []
    const own: string[] = []
    const any = (): string =>
      own.length > 0 && random() < 0.8 ? pick(own.slice(-30)) : pick(visible)
    for (let left = budget; left > 0; left -= 1) {
      const roll = random()
      const name = fresh()
      const place = random() < 0.6 ? [...scope, `layer${Math.floor(random() * 4)}`] : scope
      if (roll < 0.1) {
        nodes.push({ ...constant(name, Math.floor(random() * 9)), scope: place })
        nodes.push(op(pick(kinds), [any(), name], fresh(), place))
      } else if (roll < 0.16 && depth < 3 && left > 12) {
        const inner = Math.floor(random() * Math.min(40, left / 2)) + 1
        const blocks = ['then', 'else'].map((label) => {
          const content = write([...visible, ...own], inner >> 1, depth + 1, place)
          const last = content.flatMap((node) => node.outputs).at(-1)
          const result = typeof last === 'string' ? last : (last?.name ?? any())
          return { label, inputs: [], outputs: [result], nodes: content }
        })
        nodes.push({ kind: 'prim::If', inputs: [any()], outputs: [name], scope: place, blocks })
        left -= inner
      } else if (roll < 0.2 && depth < 3 && left > 12) {
        const inner = Math.floor(random() * Math.min(40, left / 2)) + 1
        const [turn, carried] = [fresh(), fresh()]
        const content = write([...visible, ...own, turn, carried], inner, depth + 1, place)
        const last = content.flatMap((node) => node.outputs).at(-1)
        const result = typeof last === 'string' ? last : (last?.name ?? carried)
        nodes.push({
          kind: 'prim::Loop',
          inputs: [any(), any(), any()],
          outputs: [name],
          scope: place,
          blocks: [
            { label: 'body', inputs: [turn, carried], outputs: [any(), result], nodes: content },
          ],
        })
        left -= inner
      } else {
        const inputs = [any()]
        if (random() < 0.5) inputs.push(any())
        nodes.push({
          ...op(pick(kinds), inputs, name, place),
          outputs: [tensorValue(name, [8, 1 + Math.floor(random() * 64)])],
        })
      }
      for (const node of nodes.slice(-2))
        for (const output of node.outputs) {
          const text = typeof output === 'string' ? output : output.name
          if (!own.includes(text)) own.push(text)
        }
    }
    return nodes
  }
  const nodes = write(['x', 'y', 'z'], count, 0, [])
  const last = nodes.flatMap((node) => node.outputs).slice(-2)
  return graphOf(
    ['x', 'y', 'z'],
    nodes,
    last.map((output) => (typeof output === 'string' ? output : output.name)),
  )
}
