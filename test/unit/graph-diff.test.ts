import { describe, expect, it } from 'vitest'

import type { Graph, GraphNode } from '../../electron/contract/graph'
import { buildModel } from '../../graph/build-model'
import { diffGraphs } from '../../graph/diff/diff-graphs'
import type { GraphDiff } from '../../graph/diff/diff-graphs'
import { mergeForOverlay } from '../../graph/diff/overlay'
import { alignSequences, increasing } from '../../graph/diff/sequences'
import { producersOf } from '../../graph/traverse'
import { writeDiffText } from '../../graph/write/diff-text'
import { randomNumbers, resnetGraph, syntheticGraph, transformerGraph } from '../perf/graphs'
import { branchingGraph, constant, graphOf, op, randomGraph } from './graph-samples'

const compare = (before: Graph, after: Graph): GraphDiff =>
  diffGraphs(buildModel(before), buildModel(after))

/** All nodes, nested ones too, in the order of the text. */
function* everyNode(nodes: readonly GraphNode[]): Generator<GraphNode> {
  for (const node of nodes) {
    yield node
    for (const block of node.blocks ?? []) yield* everyNode(block.nodes)
  }
}

/** Ids and names as a compiler would give them anew. */
function renumbered(graph: Graph, rename: (name: string) => string): Graph {
  const copy = structuredClone(graph)
  renumber(copy, rename)
  return copy
}

function renumber(graph: Graph, rename: (name: string) => string = (name) => name): void {
  let next = 0
  const values = (list: { name: string }[]): void => {
    for (const value of list) value.name = rename(value.name)
  }
  values(graph.inputs)
  graph.outputs = graph.outputs.map(rename)
  for (const node of everyNode(graph.nodes)) {
    node.id = next
    next += 1
    node.inputs = node.inputs.map(rename)
    values(node.outputs)
    for (const block of node.blocks ?? []) {
      values(block.inputs)
      block.outputs = block.outputs.map(rename)
    }
  }
}

/** Puts a node behind a node of the top level and in front of all of its users. */
function insertAfter(graph: Graph, at: number, kind: string): Graph {
  const copy = structuredClone(graph)
  const output = copy.nodes[at]!.outputs[0]!
  const rename = (name: string): string => (name === output.name ? 'inserted' : name)
  for (const node of everyNode(copy.nodes.slice(at + 1))) {
    node.inputs = node.inputs.map(rename)
    for (const block of node.blocks ?? []) block.outputs = block.outputs.map(rename)
  }
  copy.outputs = copy.outputs.map(rename)
  copy.nodes.splice(at + 1, 0, {
    id: 0,
    kind,
    inputs: [output.name],
    outputs: [{ ...output, name: 'inserted' }],
    attributes: {},
    lines: [0, 0],
  })
  renumber(copy)
  return copy
}

const samples: [string, () => Graph][] = [
  ['control flow', branchingGraph],
  ['ResNet-50', resnetGraph],
  ['a transformer', () => transformerGraph(12)],
  ['1,000 random nodes', () => syntheticGraph(1000)],
  ['random blocks', () => randomGraph(400, 3)],
  ['more random blocks', () => randomGraph(400, 4)],
]

describe('the diff of two graphs', () => {
  it.each(samples)('renamed values of %s are no change', (_, make) => {
    const graph = make()
    let next = 0
    const names = new Map<string, string>()
    const after = renumbered(graph, (name) => {
      if (!names.has(name)) names.set(name, `r.${(next += 1)}`)
      return names.get(name)!
    })
    const diff = compare(graph, after)
    expect(diff.isSame).toBe(true)
    expect(diff.nodes.map((node) => node.before)).toEqual(diff.nodes.map((_, index) => index))
    expect(diff.summary).toMatch(/^no differences in [\d,]+ nodes$/)
  })

  it.each(samples)(
    'a node inserted into %s is one added node, and its users changed',
    (_, make) => {
      const graph = make()
      const model = buildModel(graph)
      const candidates = graph.nodes.flatMap((node, at) =>
        node.kind.startsWith('aten::') &&
        (model.values[model.firstOutput[node.id]!]?.uses.length ?? 0) > 0
          ? [at]
          : [],
      )
      const random = randomNumbers(5)
      for (let round = 0; round < 5; round += 1) {
        const at = candidates[Math.floor(random() * candidates.length)]!
        const users = new Set(model.values[model.firstOutput[graph.nodes[at]!.id]!]!.uses)
        const diff = compare(graph, insertAfter(graph, at, 'aten::erf'))
        expect(diff.counts.added).toBe(1)
        expect(diff.counts.removed).toBe(0)
        const changed = diff.nodes.filter((node) => node.status === 'changed')
        // A block that gave the value back as it was changes as well.
        for (const user of users) expect(changed.map((node) => node.before)).toContain(user)
        for (const node of changed)
          expect(node.changes.join()).toContain(`${graph.nodes[at]!.kind} → aten::erf`)
      }
    },
  )

  it.each(samples)('a node taken out of %s is one removed node', (_, make) => {
    const graph = make()
    const at = graph.nodes.findIndex((node) => node.kind.startsWith('aten::'))
    const more = insertAfter(graph, at, 'aten::erf')
    const diff = compare(more, graph)
    expect(diff.counts.removed).toBe(1)
    expect(diff.counts.added).toBe(0)
    expect(buildModel(more).nodes[diff.removed[0]!]?.kind).toBe('aten::erf')
  })

  it('a changed constant is reported at the node that takes it, and nowhere else', () => {
    const before = transformerGraph(6)
    const after = structuredClone(before)
    const model = buildModel(before)
    const div = after.nodes.filter((node) => node.kind === 'aten::div')[3]!
    const scale = after.nodes.find((node) => node.outputs[0]?.name === div.inputs[1])!
    scale.attributes = { value: 16 }
    const diff = diffGraphs(model, buildModel(after))
    expect(diff.counts).toMatchObject({ added: 0, removed: 0, changed: 1 })
    expect(diff.nodes[div.id]).toEqual({
      status: 'changed',
      before: div.id,
      changes: ['input other: 8.0 → 16.0'],
    })
    expect(diff.nodes[scale.id]).toMatchObject({
      status: 'changed',
      before: scale.id,
      changes: ['attribute value: 8 → 16'],
    })
    expect(diff.summary).toMatch(/^1 changed; /)
  })

  it('a change of the last of many constants in a list is found', () => {
    const indices = (last: number): Graph => {
      const names = Array.from({ length: 40 }, (_, index) => `c${index}`)
      const list = { kind: 'prim::ListConstruct', inputs: names, outputs: ['list'] }
      const constants = names.map((name, index) => constant(name, index === 39 ? last : index))
      return graphOf(['x'], [...constants, list, op('index', ['x', 'list'], 'y')], ['y'])
    }
    expect(compare(indices(39), indices(39)).isSame).toBe(true)
    const diff = compare(indices(39), indices(7))
    expect(diff.counts).toEqual({ same: 0, added: 0, removed: 0, changed: 1 })
    expect(diff.nodes.at(-1)?.changes).toEqual([
      expect.stringMatching(/^input 1: .* 38, 39\] → .* 38, 7\]$/),
    ])
  })

  it('lists of lists of lists, each twice in the next, are compared', () => {
    const nested = (last: number): Graph => {
      const lists = Array.from({ length: 50 }, (_, index) => ({
        kind: 'prim::TupleConstruct',
        inputs: [`t${index}`, `t${index}`],
        outputs: [`t${index + 1}`],
      }))
      const nodes = [constant('t0', last), ...lists, op('neg', ['t50'], 'y')]
      return graphOf(['x'], nodes, ['y'])
    }
    // Each way through them would be 2^50 comparisons.
    expect(compare(nested(1), nested(2)).isSame).toBe(false)
  })

  it('a number equals a tensor of no dimensions with that number, as in script and trace', () => {
    const scaled = (given: number | string, type: string): Graph =>
      graphOf(['x'], [constant('c', given, type), op('mul', ['x', 'c'], 'y')], ['y'])
    expect(compare(scaled(2, 'int'), scaled('int64[] = 2', 'Long()')).isSame).toBe(true)
    expect(compare(scaled('float64[] = 0.5', 'Double()'), scaled(0.5, 'float')).isSame).toBe(true)
    expect(compare(scaled(2, 'int'), scaled('int64[] = 3', 'Long()')).isSame).toBe(false)
    expect(compare(scaled(2, 'int'), scaled('int64[1] = 2', 'Long(1)')).isSame).toBe(false)
  })

  it('changed attributes and types are reported', () => {
    const typed = (type: string, shape: number[]): Graph => {
      const graph = graphOf(
        ['x'],
        [{ ...op('relu', ['x'], 'y'), attributes: { mode: 'a' } }],
        ['y'],
      )
      graph.nodes[0]!.outputs[0] = { name: 'y', type, tensor: { dtype: 'float32', shape } }
      return graph
    }
    const before = typed('Float(4, 8)', [4, 8])
    const after = typed('Float(4, 16)', [4, 16])
    after.nodes[0]!.attributes = { mode: 'b' }
    expect(compare(before, after).nodes[0]?.changes).toEqual([
      'attribute mode: a → b',
      'type: Float(4, 8) → Float(4, 16)',
    ])
    // What a script does not know is no difference to what a trace knows.
    const script = graphOf(['x'], [{ ...op('relu', ['x'], 'y'), attributes: { mode: 'a' } }], ['y'])
    expect(compare(script, before).isSame).toBe(true)
  })

  it('an operator that replaced another one is one added and one removed', () => {
    const graph = (kind: string): Graph =>
      graphOf(
        ['x'],
        [op('mul', ['x', 'x'], 'a'), op(kind, ['a'], 'b'), op('add', ['a', 'b'], 'c')],
        ['c'],
      )
    const diff = compare(graph('relu'), graph('tanh'))
    expect(diff.nodes.map((node) => node.status)).toEqual(['same', 'added', 'changed'])
    expect(diff.removed).toEqual([1])
    expect(diff.nodes[2]?.changes).toEqual(['input 1: aten::relu → aten::tanh'])
  })

  it('inputs that were exchanged are reported', () => {
    const graph = (inputs: string[]): Graph =>
      graphOf(
        ['x', 'y'],
        [op('relu', ['x'], 'a'), op('tanh', ['y'], 'b'), op('sub', inputs, 'c')],
        ['c'],
      )
    const diff = compare(graph(['a', 'b']), graph(['b', 'a']))
    expect(diff.counts).toEqual({ same: 2, changed: 1, added: 0, removed: 0 })
    expect(diff.nodes[2]?.changes).toEqual([
      'input 0: aten::relu → aten::tanh',
      'input 1: aten::tanh → aten::relu',
    ])
  })

  it('branches that were exchanged are reported as moved', () => {
    const before = branchingGraph()
    const after = structuredClone(before)
    const branch = after.nodes.find((node) => node.kind === 'prim::If')!
    const [first, second] = branch.blocks!
    branch.blocks = [
      { ...second!, label: 'then' },
      { ...first!, label: 'else' },
    ]
    renumber(after)
    const diff = compare(before, after)
    expect(diff.counts.added + diff.counts.removed).toBe(0)
    const moved = diff.nodes.filter((node) =>
      node.changes.join().includes('moved to another block'),
    )
    expect(moved).toHaveLength(3)
    expect(moved[0]?.changes.join()).toContain('prim::If else → prim::If then')
  })

  it('changed results of a block, a loop and the graph are reported', () => {
    const before = branchingGraph()
    const after = structuredClone(before)
    const branch = after.nodes.find((node) => node.kind === 'prim::If')!
    branch.blocks![0]!.outputs = ['a1']
    const diff = compare(before, after)
    expect(diff.nodes[branch.id]?.changes).toEqual(['then, output 0: aten::matmul → aten::relu'])
    const other = structuredClone(before)
    other.outputs = ['out']
    expect(compare(before, other).changes).toEqual(['output 0: aten::tanh → prim::Loop'])
    const renamed = structuredClone(before)
    renamed.inputs[0]!.type = 'int'
    delete renamed.inputs[0]!.tensor
    expect(compare(before, renamed).changes).toEqual(['input x: Tensor → int'])
  })

  it('a whole inserted layer is found', () => {
    const before = transformerGraph(12)
    const layer = (name: string, graph: Graph): GraphNode[] =>
      graph.nodes.filter((node) => node.scope?.[1] === name)
    const after = transformerGraph(13)
    const working = buildModel(after)
    const size = layer('layers.12', after).filter((node) => working.constant[node.id] !== 1).length
    const diff = compare(before, after)
    expect(diff.counts).toMatchObject({ added: size, removed: 0 })
  })

  it('random edits are compared with correct counts', () => {
    const random = randomNumbers(9)
    for (let round = 0; round < 10; round += 1) {
      const before = randomGraph(250, 20 + round)
      let after = structuredClone(before)
      const edits = 1 + Math.floor(random() * 5)
      for (let edit = 0; edit < edits; edit += 1) {
        const at = Math.floor(random() * after.nodes.length)
        after = insertAfter(after, at, `aten::edit${edit}`)
        for (const node of everyNode(after.nodes)) {
          node.inputs = node.inputs.map((name) => (name === 'inserted' ? `inserted${edit}` : name))
          for (const value of node.outputs)
            if (value.name === 'inserted') value.name = `inserted${edit}`
          for (const block of node.blocks ?? [])
            block.outputs = block.outputs.map((name) =>
              name === 'inserted' ? `inserted${edit}` : name,
            )
        }
        after.outputs = after.outputs.map((name) =>
          name === 'inserted' ? `inserted${edit}` : name,
        )
      }
      const left = buildModel(before)
      const right = buildModel(after)
      const diff = diffGraphs(left, right)
      // Each before-node is one after-node at most, of the same operator, and the two maps agree.
      const used = new Set<number>()
      for (const [id, node] of diff.nodes.entries()) {
        if (node.before < 0) continue
        expect(used.has(node.before)).toBe(false)
        used.add(node.before)
        expect(left.nodes[node.before]?.kind).toBe(right.nodes[id]?.kind)
        expect(diff.after[node.before]).toBe(id)
      }
      const working = (model: typeof left): number =>
        model.nodes.filter((node) => model.constant[node.id] !== 1).length
      const { same, changed, added, removed } = diff.counts
      expect(same + changed + added).toBe(working(right))
      expect(same + changed + removed).toBe(working(left))
      const edited = right.nodes.filter(
        (node) => node.kind.startsWith('aten::edit') && diff.nodes[node.id]?.status === 'added',
      )
      expect(edited).toHaveLength(edits)
      expect(added).toBeLessThanOrEqual(edits + 2)
    }
  })

  it('100,000 nodes are compared', () => {
    const graph = syntheticGraph(100_000)
    const before = buildModel(graph)
    const after = buildModel(insertAfter(graph, 50_000, 'aten::erf'))
    const diff = diffGraphs(before, after)
    expect(diff.counts).toMatchObject({ added: 1, removed: 0 })
  })
})

describe('the overlay of two graphs', () => {
  it('the overlay has present and removed nodes, with lines to those that replaced them', () => {
    const graph = (kind: string): Graph =>
      graphOf(
        ['x'],
        [
          constant('two', 2),
          op('mul', ['x', 'two'], 'a'),
          op(kind, ['a'], 'b'),
          op('add', ['a', 'b'], 'c'),
        ],
        ['c'],
      )
    const before = buildModel(graph('relu'))
    const after = buildModel(graph('tanh'))
    const overlay = mergeForOverlay(before, after, diffGraphs(before, after))
    const model = buildModel(overlay.graph)
    expect(model.nodes.map((node) => node.kind)).toEqual([
      'prim::Constant',
      'aten::mul',
      'aten::relu',
      'aten::tanh',
      'aten::add',
    ])
    expect(overlay.status).toEqual(['same', 'same', 'removed', 'added', 'changed'])
    expect(Array.from(overlay.origin)).toEqual([0, 1, ~2, 2, 3])
    expect(producersOf(model, 4)).toEqual([1, 3, 2])
    expect(overlay.oldInputs).toEqual(new Map([[4, 1]]))
  })

  it.each(samples)(
    'the overlay of %s and any graph is a valid graph: nothing twice, everything declared before use',
    (_, make) => {
      const one = make()
      for (const other of [
        insertAfter(one, 2, 'aten::erf'),
        branchingGraph(),
        randomGraph(120, 77),
        transformerGraph(2),
      ]) {
        for (const [left, right] of [
          [one, other],
          [other, one],
        ] as const) {
          const before = buildModel(left)
          const after = buildModel(right)
          const diff = diffGraphs(before, after)
          const overlay = mergeForOverlay(before, after, diff)
          const model = buildModel(overlay.graph)
          expect(model.nodes).toHaveLength(overlay.status.length)
          const ids = Array.from(everyNode(overlay.graph.nodes), (node) => node.id)
          expect(ids).toEqual(ids.map((_, index) => index))
          // Every node of now in order; every removed one once.
          expect(Array.from(overlay.origin).filter((origin) => origin >= 0)).toEqual(
            after.nodes.map((node) => node.id),
          )
          const gone = Array.from(overlay.origin).flatMap((origin) =>
            origin < 0 && before.constant[~origin] !== 1 ? [~origin] : [],
          )
          expect(gone.sort((a, b) => a - b)).toEqual(diff.removed)
          const usedBefore = model.values.filter(
            ({ producer, uses }) =>
              producer >= 0 &&
              model.constant[producer] !== 1 &&
              uses.some((user) => user <= producer),
          )
          expect(usedBefore).toEqual([])
        }
      }
    },
  )
})

describe('the diff as text', () => {
  it('added, removed and changed nodes are listed in order', () => {
    const graph = (kind: string): Graph =>
      graphOf(
        ['x'],
        [op('mul', ['x', 'x'], 'a'), op(kind, ['a'], 'b'), op('add', ['a', 'b'], 'c')],
        ['c'],
      )
    const before = buildModel(graph('relu'))
    const after = buildModel(graph('tanh'))
    expect(writeDiffText(before, after, diffGraphs(before, after))).toBe(
      [
        '--- compute (script)',
        '+++ compute (script)',
        '  … 1 unchanged',
        '+ %b : Tensor = aten::tanh(%a)',
        '- %b : Tensor = aten::relu(%a)',
        '~ %c : Tensor = aten::add(%a, %b)',
        '    input 1: aten::relu → aten::tanh',
        '1 added, 1 removed, 1 changed; 3 nodes now',
        '',
      ].join('\n'),
    )
  })
})

describe('sequences', () => {
  it('longest common subsequences are found, also of long sequences', () => {
    expect(alignSequences([...'abcbdab'], [...'bdcaba'])).toHaveLength(4)
    expect(alignSequences([...'abc'], [...'abc'])).toEqual([
      [0, 0],
      [1, 1],
      [2, 2],
    ])
    expect(increasing([3, 1, 2, 5, 4])).toHaveLength(3)
    const random = randomNumbers(1)
    const long = Array.from({ length: 5000 }, () => Math.floor(random() * 4000))
    const other = [-1, ...long.slice(0, 2000), -2, ...long.slice(2100), -3]
    const pairs = alignSequences(long, other)
    expect(pairs.length).toBeGreaterThan(2000)
    for (const [index, [a, b]] of pairs.entries()) {
      expect(long[a]).toBe(other[b])
      if (index > 0) expect(a > pairs[index - 1]![0] && b > pairs[index - 1]![1]).toBe(true)
    }
  })
})
