import { describe, expect, it } from 'vitest'

import { buildModel } from '../../graph/build-model'
import { argumentName, constantText, describeItem, valueLabel } from '../../graph/describe'
import { inputsOf } from '../../graph/model'
import type { GraphModel } from '../../graph/model'
import { schemaArguments } from '../../graph/schema'
import { pathBetween, producersOf, usersOf } from '../../graph/traverse'
import { resnetGraph, syntheticGraph, transformerGraph } from '../perf/graphs'
import { branchingGraph, constant, graphOf, op, randomGraph } from './graph-samples'

const ids = (model: GraphModel, kind: string): number[] =>
  model.nodes.filter((node) => node.kind === kind).map((node) => node.id)
const labels = (model: GraphModel): string[] =>
  model.groups.filter((group) => group.kind === 'scope').map((group) => group.label)

describe('the model of a graph', () => {
  it('nested nodes, values and blocks are indexed', () => {
    const model = buildModel(branchingGraph())
    expect(model.nodes.map((node) => node.id)).toEqual(model.nodes.map((_, index) => index))
    const [branch = -1] = ids(model, 'prim::If')
    const [loop = -1] = ids(model, 'prim::Loop')
    const blocks = model.blocksOf.get(branch) ?? []
    expect(blocks.map((block) => model.groups[block]?.label)).toEqual(['then', 'else'])
    expect(model.groups[blocks[0] ?? 0]?.nodes.map((id) => model.nodes[id]?.kind)).toEqual([
      'aten::relu',
      'aten::matmul',
    ])
    const [body = -1] = model.blocksOf.get(loop) ?? []
    const carried = model.values[model.groups[body]?.inputs[1] ?? -1]
    expect(carried).toMatchObject({ name: 'acc', producer: -1, group: body, position: 1 })
    // Two inputs, three statements each named once, and every node of every block.
    expect(model.groups[0]?.size).toBe(model.nodes.length)
    expect(model.returns.filter((entry) => entry.group === body)).toHaveLength(2)
  })

  it('wrong ids are corrected, and names of fused subgraphs stay distinct', () => {
    const graph = graphOf(
      ['x'],
      [
        {
          kind: 'prim::TensorExprGroup',
          inputs: ['x'],
          outputs: ['y'],
          blocks: [
            { label: 'subgraph', inputs: ['x'], outputs: ['y'], nodes: [op('relu', ['x'], 'y')] },
          ],
        },
        op('tanh', ['y'], 'z'),
      ],
      ['z'],
    )
    graph.nodes[1]!.id = 77
    const model = buildModel(graph)
    expect(model.nodes[2]?.id).toBe(2)
    // The inner relu takes the subgraph's x, the outer tanh the group's y.
    expect(model.values[inputsOf(model, 1)[0]!]?.group).not.toBe(0)
    expect(producersOf(model, 2)).toEqual([0])
  })

  it('undeclared names and uses before declarations are accepted', () => {
    const model = buildModel(
      graphOf([], [op('relu', ['late'], 'a'), op('tanh', ['ghost'], 'late')], ['a']),
    )
    expect(producersOf(model, 0)).toEqual([1])
    expect(model.values[inputsOf(model, 1)[0]!]).toMatchObject({ name: 'ghost', producer: -1 })
  })

  it('a module is a group, and two groups where another module is called in between', () => {
    const model = buildModel(
      graphOf(
        ['x'],
        [
          op('conv', ['x'], 'a', ['block', 'conv1']),
          op('relu', ['a'], 'b', ['block', 'act']),
          op('clamp', ['b'], 'c', ['block', 'act']),
          op('conv', ['c'], 'd', ['block', 'conv2']),
          op('relu', ['d'], 'e', ['block', 'act']),
          op('clamp', ['e'], 'f', ['block', 'act']),
          op('add', ['f', 'x'], 'g'),
        ],
        ['g'],
      ),
    )
    expect(labels(model)).toEqual(['block', 'act', 'act'])
    const [first, second] = model.groups.filter((group) => group.label === 'act')
    expect(first?.nodes).toEqual([1, 2])
    expect(second?.nodes).toEqual([4, 5])
    expect(first?.shapeHash).toBe(second?.shapeHash)
  })

  it('a module has one group where its separate nodes do not depend on themselves', () => {
    const model = buildModel(
      graphOf(
        ['x'],
        [
          op('relu', ['x'], 'a', ['left']),
          op('tanh', ['x'], 'b', ['right']),
          op('relu', ['a'], 'c', ['left']),
          op('tanh', ['b'], 'd', ['right']),
          op('add', ['c', 'd'], 'e'),
        ],
        ['e'],
      ),
    )
    expect(labels(model)).toEqual(['left', 'right'])
  })

  it('repeated layers are recognized, and modules keep their names', () => {
    const model = buildModel(transformerGraph(24))
    const layers = model.groups.filter((group) => /^layers\.\d+$/.test(group.label))
    expect(layers).toHaveLength(24)
    expect(new Set(layers.map((group) => group.shapeHash)).size).toBe(1)
    const resnet = buildModel(resnetGraph())
    expect(labels(resnet).slice(0, 4).sort()).toEqual(['layer1', 'layer2', 'layer3', 'layer4'])
    const hash = (label: string): string | undefined =>
      resnet.groups.find((group) => group.label === label)?.shapeHash
    expect(hash('layer1')).not.toBe(hash('layer2'))
  })

  it('every node is in a group, and no cycle is between groups', () => {
    for (const seed of [1, 2, 3, 4, 5, 6]) {
      const model = buildModel(randomGraph(300, seed))
      let counted = 0
      for (const group of model.groups) {
        counted += group.nodes.length
        for (const node of group.nodes) expect(model.groupOf[node]).toBe(group.index)
        for (const child of group.groups) expect(model.groups[child]?.parent).toBe(group.index)
      }
      expect(counted).toBe(model.nodes.length)
      expect(cyclesBetweenMembers(model)).toEqual([])
    }
  })

  it('producers, users and paths are followed into blocks and out of them', () => {
    const model = buildModel(branchingGraph())
    const [relu = -1] = ids(model, 'aten::relu')
    const [tanh = -1] = ids(model, 'aten::tanh')
    const [branch = -1] = ids(model, 'prim::If')
    expect(usersOf(model, relu).map((id) => model.nodes[id]?.kind)).toEqual(['aten::matmul'])
    const path = pathBetween(model, relu, tanh)?.map((id) => model.nodes[id]?.kind)
    expect(path).toEqual(['aten::relu', 'aten::matmul', 'prim::If', 'prim::Loop', 'aten::tanh'])
    expect(pathBetween(model, tanh, relu)).toBeNull()
    expect(pathBetween(model, branch, branch)).toEqual([branch])
  })

  it('100,000 nodes are indexed without work that grows with their square', () => {
    const graph = syntheticGraph(100_000)
    // Processor time: what else runs on the machine takes none of it. A quarter of a second is usual.
    const before = process.cpuUsage()
    buildModel(graph)
    const { user } = process.cpuUsage(before)
    expect(user / 1000).toBeLessThan(3000)
  })
})

/** Containers in which members wait for each other, by depth-first search over members. */
function cyclesBetweenMembers(model: GraphModel): string[] {
  const edges = new Map<string, Set<string>>()
  const chain = (node: number): { group: number; member: string }[] => {
    const result: { group: number; member: string }[] = []
    let member = `n${node}`
    let at = model.groupOf[node] ?? 0
    for (;;) {
      result.push({ group: at, member })
      if (at === 0) return result
      const group = model.groups[at]!
      // A block is part of its owner.
      member = group.kind === 'block' ? `n${group.node}` : `g${at}`
      at = group.parent
    }
  }
  for (const value of model.values) {
    if (value.producer < 0) continue
    const from = chain(value.producer)
    for (const user of value.uses) {
      const to = chain(user)
      const meet = from.find((a) => to.some((b) => a.group === b.group))
      const other = to.find((b) => b.group === meet?.group)
      if (!meet || !other || meet.member === other.member) continue
      const key = `${meet.group} ${meet.member}`
      if (!edges.has(key)) edges.set(key, new Set())
      edges.get(key)?.add(`${meet.group} ${other.member}`)
    }
  }
  const state = new Map<string, number>()
  const cycles: string[] = []
  const visit = (at: string): void => {
    state.set(at, 1)
    for (const next of edges.get(at) ?? []) {
      if (state.get(next) === 1) cycles.push(`${at} → ${next}`)
      else if (!state.has(next)) visit(next)
    }
    state.set(at, 2)
  }
  for (const key of edges.keys()) if (!state.has(key)) visit(key)
  return cycles
}

describe('the text of a node', () => {
  it('schemas are read', () => {
    const schema =
      "my::op.out(Tensor(a!)[] xs, int[2]? pad=[0, 0], *, str mode='a, b', Scalar alpha=1) -> (Tensor, int)"
    expect(schemaArguments(schema)).toEqual([
      { type: 'Tensor(a!)[]', name: 'xs' },
      { type: 'int[2]?', name: 'pad', default: '[0, 0]' },
      { type: 'str', name: 'mode', default: "'a, b'" },
      { type: 'Scalar', name: 'alpha', default: '1' },
    ])
    expect(schemaArguments('prim::If')).toEqual([])
  })

  it('constants, lists and parameters are folded into their users', () => {
    const model = buildModel(resnetGraph())
    const node = model.nodes.find((item) => item.kind === 'aten::_convolution')!
    const shown = describeItem(model, { kind: 'node', node })
    expect(shown.title).toBe('_convolution')
    expect(shown.attributes).toContain('stride=[2, 2]')
    expect(shown.attributes).toContain('conv1.weight')
    expect(argumentName(node, 3)).toBe('stride')
    expect(constantText(model, inputsOf(model, node.id)[1]!)).toBe('conv1.weight')
    expect(constantText(model, inputsOf(model, node.id)[0]!)).toBeNull()
  })

  it('defaults are left out and custom operators are marked', () => {
    const model = buildModel(
      graphOf(
        ['x'],
        [
          constant('one', 1),
          constant('half', 0.5, 'float'),
          {
            ...op('add', ['x', 'x', 'one'], 'a'),
            schema: 'aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor',
          },
          {
            kind: 'my_ops::warp',
            inputs: ['a', 'half'],
            outputs: ['b'],
            custom: true,
            schema: 'my_ops::warp(Tensor x, float scale) -> Tensor',
          },
        ],
        ['b'],
      ),
    )
    expect(describeItem(model, { kind: 'node', node: model.nodes[2]! }).attributes).toEqual([])
    expect(describeItem(model, { kind: 'node', node: model.nodes[3]! })).toEqual({
      title: 'warp',
      namespace: 'my_ops',
      custom: true,
      attributes: ['scale=0.5'],
    })
  })

  it('values have labels', () => {
    const label = (type: string, tensor?: Parameters<typeof valueLabel>[0]['tensor']): string =>
      valueLabel({ type, tensor })
    expect(label('Float(8, 5)', { dtype: 'float32', shape: [8, 5] })).toBe('8×5 f32')
    expect(label('Float(*, 5)', { dtype: 'float16', shape: [null, 5] })).toBe('?×5 f16')
    expect(label('Double()', { dtype: 'float64', shape: [] })).toBe('f64')
    expect(label('Tensor', {})).toBe('Tensor')
    expect(label('int[]')).toBe('int[]')
    expect(label('__torch__.models.Net')).toBe('Net')
  })
})
