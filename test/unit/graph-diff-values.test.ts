import { describe, expect, it } from 'vitest'

import type { Graph } from '../../electron/contract/graph'
import { buildModel } from '../../graph/build-model'
import { diffGraphs } from '../../graph/diff/diff-graphs'
import type { GraphDiff } from '../../graph/diff/diff-graphs'
import { transformerGraph } from '../perf/graphs'
import { constant, graphOf, op } from './graph-samples'

const compare = (before: Graph, after: Graph): GraphDiff =>
  diffGraphs(buildModel(before), buildModel(after))

describe('the diff of values and types', () => {
  it('constant tensors are distinguished by the digest of their values', () => {
    const weighted = (content?: string): Graph => {
      const weight = constant('w', 'float32[64, 3]', 'Float(64, 3)')
      if (content !== undefined) weight.attributes = { ...weight.attributes, content }
      return graphOf(['x'], [weight, op('linear', ['x', 'w'], 'y')], ['y'])
    }
    const one = '0123456789abcdef'
    const other = '0123456789abcdee'
    expect(compare(weighted(one), weighted(one)).isSame).toBe(true)
    const diff = compare(weighted(one), weighted(other))
    expect(diff.counts).toEqual({ same: 0, added: 0, removed: 0, changed: 1 })
    expect(diff.nodes.at(-1)?.changes).toEqual([
      `input 1: float32[64, 3] #${one} → float32[64, 3] #${other}`,
    ])
  })

  it('layers are matched one by one where every weight differs', () => {
    const weighted = (seed: number): Graph => {
      const graph = transformerGraph(24)
      for (const node of graph.nodes)
        if (node.kind === 'prim::Constant') node.attributes['content'] = `${seed}-${node.id}`
      return graph
    }
    const { counts, isSame } = compare(weighted(1), weighted(2))
    expect(isSame).toBe(false)
    expect([counts.added, counts.removed]).toEqual([0, 0])
  })

  it.each([
    ['(Tensor, Tensor)', '(Float(4, 8), Long(4))', true],
    ['(Tensor, (int, Tensor))', '(Float(4, 8, strides=[8, 1], device=cpu), (int, Bool()))', true],
    ['(Float(4, 8), int)', '(Float(4, *, strides=[8, 1], requires_grad=0, device=cpu), int)', true],
    ['Tensor[]', 'Float(4)[]', true],
    ['Tensor?', 'Float(4)?', true],
    ['(Float(4, 8), int)', '(Float(4, 9), int)', false],
    ['(Float(4), int)', '(Double(4), int)', false],
    ['(Float(4, device=cpu), int)', '(Float(4, device=cuda:0), int)', false],
    ['(Tensor, int)', '(Float(4), Long())', false],
    ['(Tensor, Tensor)', '(Float(4), Float(4), Float(4))', false],
    ['(Tensor, Tensor)', '(Float(4), Float(4)[])', false],
    ['(Tensor, Tensor)', '__torch__.Pair', false],
  ])('whether the container types %s and %s are equal is %s', (was, is, same) => {
    const packed = (type: string): Graph =>
      graphOf(
        ['x'],
        [{ kind: 'prim::TupleConstruct', inputs: ['x'], outputs: [{ name: 'y', type }] }],
        ['y'],
      )
    expect(compare(packed(was), packed(is)).isSame).toBe(same)
  })
})
