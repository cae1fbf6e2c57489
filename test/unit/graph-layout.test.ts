import { describe, expect, it } from 'vitest'

import { buildModel } from '../../graph/build-model'
import { measureWith } from '../../graph/describe'
import { diffGraphs } from '../../graph/diff/diff-graphs'
import { idOfKey, keyOf, kindOfKey } from '../../graph/layout/layout'
import type { GraphLayout, LayoutOptions } from '../../graph/layout/layout'
import { layoutGraph, layoutInSteps } from '../../graph/layout/layout-graph'
import type { GraphModel } from '../../graph/model'
import type { Graph } from '../../electron/contract/graph'
import { randomNumbers, resnetGraph, syntheticGraph, transformerGraph } from '../perf/graphs'
import { branchingGraph, graphOf, op, randomGraph } from './graph-samples'

function lay(model: GraphModel, more: Partial<LayoutOptions> = {}): GraphLayout {
  return layoutGraph(model, {
    folded: new Set(),
    showConstants: false,
    measure: measureWith(model, more.showConstants),
    ...more,
  })
}

interface Box {
  name: string
  left: number
  top: number
  right: number
  bottom: number
}

function boxes(list: GraphLayout['items'] | GraphLayout['frames'], what: string): Box[] {
  return Array.from({ length: list.count }, (_, index) => ({
    name: `${what} ${kindOfKey(list.key[index]!)} ${idOfKey(list.key[index]!)}`,
    left: list.x[index]!,
    top: list.y[index]!,
    right: list.x[index]! + list.w[index]!,
    bottom: list.y[index]! + list.h[index]!,
  }))
}

const slack = 0.51
const overlaps = (a: Box, b: Box): boolean =>
  a.left < b.right - slack &&
  b.left < a.right - slack &&
  a.top < b.bottom - slack &&
  b.top < a.bottom - slack
const contains = (outer: Box, inner: Box): boolean =>
  outer.left <= inner.left + slack &&
  outer.top <= inner.top + slack &&
  outer.right >= inner.right - slack &&
  outer.bottom >= inner.bottom - slack

/** Everything that is wrong with a layout, in words. */
function faults(model: GraphModel, layout: GraphLayout): string[] {
  const found: string[] = []
  const items = boxes(layout.items, 'box')
  const frames = boxes(layout.frames, 'frame')
  // Boxes: sorted by their left sides, those that can touch lie together.
  const sorted = [...items].sort((a, b) => a.left - b.left)
  for (const [index, box] of sorted.entries()) {
    for (let other = index + 1; other < sorted.length; other += 1) {
      const next = sorted[other]!
      if (next.left >= box.right) break
      if (overlaps(box, next)) found.push(`${box.name} overlaps ${next.name}`)
    }
  }
  for (const [index, frame] of frames.entries()) {
    for (const other of frames.slice(index + 1))
      if (overlaps(frame, other) && !contains(frame, other))
        found.push(`${frame.name} cuts ${other.name}`)
    for (const box of items)
      if (overlaps(frame, box) && !contains(frame, box))
        found.push(`${frame.name} cuts ${box.name}`)
  }
  const whole: Box = {
    name: 'all',
    left: layout.left,
    top: layout.top,
    right: layout.left + layout.width,
    bottom: layout.top + layout.height,
  }
  for (const box of [...items, ...frames])
    if (!contains(whole, box)) found.push(`${box.name} is outside`)

  // Each node, group and terminal is where it belongs.
  const frameOf = new Map(Array.from(layout.frames.key, (key, index) => [key, frames[index]!]))
  const itemAt = new Map(Array.from(layout.items.key, (key, index) => [key, items[index]!]))
  if (itemAt.size !== layout.items.count) found.push('a key twice')
  for (const [key, box] of itemAt) {
    const id = idOfKey(key)
    const kind = kindOfKey(key)
    let group =
      kind === 'node'
        ? model.groupOf[id]!
        : kind === 'group'
          ? model.groups[id]!.parent
          : kind === 'input'
            ? model.values[id]!.group
            : model.returns[id]!.group
    for (; group > 0; group = model.groups[group]!.parent) {
      const frame = frameOf.get(keyOf('group', group))
      if (!frame) found.push(`${box.name}: group ${group} around it has no frame`)
      else if (!contains(frame, box)) found.push(`${box.name} is outside of ${frame.name}`)
    }
  }

  const { edges } = layout
  for (let edge = 0; edge < edges.count; edge += 1) {
    const from = items[edges.from[edge]!]!
    const to = items[edges.to[edge]!]!
    const name = `${from.name} → ${to.name}`
    const start = frameOf.get(layout.items.key[edges.from[edge]!]!) ?? from
    const points: [number, number][] = []
    for (let point = edges.pointStart[edge]!; point < edges.pointStart[edge + 1]!; point += 1)
      points.push([edges.points[point * 2]!, edges.points[point * 2 + 1]!])
    if (points.length < 2) {
      found.push(`${name}: no line`)
      continue
    }
    const [x0, y0] = points[0]!
    const [x1, y1] = points.at(-1)!
    if (Math.abs(y0 - start.bottom) > slack || x0 < start.left || x0 > start.right)
      found.push(`${name} does not begin under its box`)
    if (Math.abs(y1 - to.top) > slack || x1 < to.left || x1 > to.right)
      found.push(`${name} does not end on its box`)
    for (const [index, [, y]] of points.entries())
      if (index > 0 && y < points[index - 1]![1] - 0.01) found.push(`${name} goes up`)
    if (edges.valueStart[edge] === edges.valueStart[edge + 1]) found.push(`${name} carries nothing`)
    if (edges.express[edge] === 1) continue
    for (const [index, [x, y]] of points.entries()) {
      const [nextX, nextY] = points[index + 1] ?? [x, y]
      // The band that the curve between two points stays in.
      const band: Box = {
        name,
        left: Math.min(x, nextX),
        right: Math.max(x, nextX) + 2 * slack + 0.01,
        top: y,
        bottom: nextY,
      }
      for (const box of items)
        if (box !== from && box !== to && overlaps(band, box))
          found.push(`${name} crosses ${box.name}`)
    }
  }
  return found
}

/** What must be seen of a graph: each use of a computed value between two boxes is a line. */
function missingLines(model: GraphModel, layout: GraphLayout): string[] {
  const lines = new Set<string>()
  const { edges, items } = layout
  for (let edge = 0; edge < edges.count; edge += 1) {
    for (let at = edges.valueStart[edge]!; at < edges.valueStart[edge + 1]!; at += 1)
      lines.add(`${edges.values[at]!} ${items.key[edges.to[edge]!]!}`)
  }
  const missing: string[] = []
  for (const value of model.values) {
    if (value.producer >= 0 && model.constant[value.producer] === 1) continue
    for (const user of value.uses) {
      if (model.constant[user] === 1) continue
      if (!lines.has(`${value.index} ${keyOf('node', user)}`))
        missing.push(`%${value.name} to node ${user}`)
    }
  }
  return missing
}

const graphs: [string, () => Graph][] = [
  ['an empty graph', () => graphOf(['x'], [], ['x'])],
  ['control flow', branchingGraph],
  ['ResNet-50', resnetGraph],
  ['a transformer', () => transformerGraph(6)],
  ...[1, 2, 3].map((seed): [string, () => Graph] => [
    `200 random nodes (${seed})`,
    () => syntheticGraph(200, seed),
  ]),
  ['3,000 random nodes', () => syntheticGraph(3000)],
  ...[1, 2, 3, 4, 5, 6, 7, 8].map((seed): [string, () => Graph] => [
    `nested blocks and modules (${seed})`,
    () => randomGraph(seed * 60, seed),
  ]),
]

describe('the layout of a graph', () => {
  it.each(graphs)(
    'the layout of %s has no overlaps, its lines go down from box to box, and nothing is lost',
    (_, make) => {
      const model = buildModel(make())
      const layout = lay(model)
      expect(faults(model, layout)).toEqual([])
      expect(missingLines(model, layout)).toEqual([])
      const shown = Array.from(layout.items.key).filter((key) => kindOfKey(key) === 'node')
      const working = model.nodes.filter((node) => model.constant[node.id] !== 1)
      expect(shown.map(idOfKey).sort((a, b) => a - b)).toEqual(working.map((node) => node.id))
    },
  )

  it.each(graphs.slice(1))(
    'the layout of %s is valid with constants shown and with anything folded',
    (_, make) => {
      const model = buildModel(make())
      const all = lay(model, { showConstants: true })
      expect(faults(model, all)).toEqual([])
      expect(Array.from(all.items.key).filter((key) => kindOfKey(key) === 'node')).toHaveLength(
        model.nodes.length,
      )
      const random = randomNumbers(7)
      // Without groups nothing can be folded: the layout is the one that the test above looks at.
      const rounds = model.groups.length > 1 ? 3 : 0
      for (let round = 0; round < rounds; round += 1) {
        const folded = new Set(
          model.groups
            .filter(() => random() < 0.4)
            .flatMap(({ index }) => (index > 0 ? [index] : [])),
        )
        const layout = lay(model, { folded })
        // A frame of a folded group is not there; what is in it is one box or inside of one.
        for (const key of layout.frames.key)
          if (kindOfKey(key) === 'group') expect(folded.has(idOfKey(key))).toBe(false)
        for (const key of layout.items.key)
          if (kindOfKey(key) === 'group') expect(folded.has(idOfKey(key))).toBe(true)
        expect(faults(model, layout)).toEqual([])
      }
    },
  )

  it('everything can be folded into boxes of the root', () => {
    const model = buildModel(transformerGraph(24))
    const layers = model.groups.filter((group) => group.parent === 0).map((group) => group.index)
    const layout = lay(model, { folded: new Set(layers) })
    expect(layout.items.count).toBe(24 + 3)
    expect(layout.frames.count).toBe(0)
  })

  it('an If can be shown with one block folded, and as one box with both folded', () => {
    const model = buildModel(branchingGraph())
    const branch = model.nodes.find((node) => node.kind === 'prim::If')!
    const [thenBlock = -1, elseBlock = -1] = model.blocksOf.get(branch.id) ?? []
    const one = lay(model, { folded: new Set([thenBlock]) })
    expect(Array.from(one.items.key)).toContain(keyOf('group', thenBlock))
    expect(Array.from(one.frames.key)).toContain(keyOf('group', elseBlock))
    const both = lay(model, { folded: new Set([thenBlock, elseBlock]) })
    expect(Array.from(both.items.key)).toContain(keyOf('node', branch.id))
    expect(Array.from(both.items.key)).not.toContain(keyOf('group', thenBlock))
    expect(Array.from(both.frames.key)).not.toContain(keyOf('node', branch.id))
    expect(faults(model, both)).toEqual([])
  })

  it('the then block is left of the else block', () => {
    for (const seed of [1, 2, 3, 4]) {
      const model = buildModel(randomGraph(200, seed))
      const layout = lay(model)
      const left = new Map(Array.from(layout.frames.key, (key, at) => [key, layout.frames.x[at]!]))
      for (const blocks of model.blocksOf.values()) {
        const places = blocks.map((block) => left.get(keyOf('group', block))!)
        expect(places).toEqual([...places].sort((a, b) => a - b))
      }
    }
  })

  it('a chain is straight, also next to a line that skips it', () => {
    const nodes = [op('relu', ['x'], 'a0')]
    for (let index = 1; index < 30; index += 1) {
      const skip = index % 5 === 0 && index > 5 ? [`a${index - 5}`] : []
      nodes.push(op('tanh', [`a${index - 1}`, ...skip], `a${index}`))
    }
    const model = buildModel(graphOf(['x'], nodes, ['a29']))
    const layout = lay(model)
    const centres = Array.from(layout.items.x, (x, at) => x + layout.items.w[at]! / 2)
    expect(Math.max(...centres) - Math.min(...centres)).toBeLessThan(0.5)
  })

  it('repeated layers are drawn alike', () => {
    const model = buildModel(transformerGraph(8))
    const layout = lay(model)
    const frames = new Map(Array.from(layout.frames.key, (key, at) => [key, at]))
    const sizes = model.groups
      .filter((group) => /^layers\.\d+$/.test(group.label))
      .map((group) => frames.get(keyOf('group', group.index))!)
      .map((at) => `${layout.frames.w[at]!} × ${layout.frames.h[at]!}`)
    expect(sizes).toHaveLength(8)
    expect(new Set(sizes).size).toBe(1)
  })

  it('the layout is the same each time', () => {
    const model = buildModel(randomGraph(400, 5))
    expect(lay(model)).toEqual(lay(model))
  })

  it('unconnected parts are placed next to each other and fill the shape of a picture', () => {
    const nodes = Array.from({ length: 400 }, (_, index) => op('rand', [], `r${index}`))
    const model = buildModel(graphOf([], nodes, []))
    const layout = lay(model)
    expect(faults(model, layout)).toEqual([])
    expect(layout.width / layout.height).toBeGreaterThan(0.5)
    expect(layout.width / layout.height).toBeLessThan(4)
  })

  it('a graph with cycles, as other tools may write it, is drawn', () => {
    const model = buildModel(
      graphOf(
        ['x'],
        [op('add', ['x', 'c'], 'a'), op('relu', ['a'], 'b'), op('tanh', ['b'], 'c')],
        ['c'],
      ),
    )
    const layout = lay(model)
    expect(layout.items.count).toBe(5)
    expect(faults(model, layout).filter((fault) => !fault.includes('goes up'))).toEqual([])
    expect(layout.edges.express.reduce((sum, flag) => sum + flag, 0)).toBe(1)
  })

  it('long lines do not blow up the layout: a value used everywhere, a net of distant edges', () => {
    const random = randomNumbers(3)
    const nodes = Array.from({ length: 4000 }, (_, index) =>
      op(
        'add',
        [
          index === 0 ? 'x' : `a${index - 1}`,
          index === 0 ? 'x' : `a${Math.floor(random() * index)}`,
        ],
        `a${index}`,
      ),
    )
    const model = buildModel(graphOf(['x'], nodes, ['a3999']))
    const layout = lay(model)
    expect(layout.edges.points.length / 2).toBeLessThan(60_000)
    expect(faults(model, layout)).toEqual([])
  })

  it('a first picture has everything, and a better one follows', () => {
    const model = buildModel(syntheticGraph(5000))
    const measure = measureWith(model)
    const steps = layoutInSteps(model, { folded: new Set(), showConstants: false, measure })
    const first = steps.next()
    expect(first.done).toBe(false)
    const early = structuredClone(first.value)
    const last = steps.next()
    expect(last.done).toBe(true)
    expect(faults(model, early)).toEqual([])
    expect(missingLines(model, early)).toEqual([])
    expect(Array.from(last.value.items.key)).toEqual(Array.from(early.items.key))
    const length = ({ edges }: GraphLayout): number => {
      let sum = 0
      for (let edge = 0; edge < edges.count; edge += 1)
        for (let at = edges.pointStart[edge]! + 1; at < edges.pointStart[edge + 1]!; at += 1)
          sum += Math.abs(edges.points[at * 2]! - edges.points[at * 2 - 2]!)
      return sum
    }
    expect(length(last.value)).toBeLessThan(length(early))
  })
})

/** How far each box that is in both went, the largest first, without the part that all share. */
function moves(
  before: GraphLayout,
  after: GraphLayout,
  keyBefore: (key: number) => number,
): number[] {
  const places = new Map(
    Array.from(before.items.key, (key, at) => [
      key,
      [before.items.x[at]! + before.items.w[at]! / 2, before.items.y[at]!],
    ]),
  )
  const result: number[] = []
  for (let at = 0; at < after.items.count; at += 1) {
    const place = places.get(keyBefore(after.items.key[at]!))
    if (!place) continue
    const x = after.items.x[at]! + after.items.w[at]! / 2
    result.push(Math.hypot(x - place[0]!, after.items.y[at]! - place[1]!))
  }
  return result.sort((a, b) => b - a)
}

describe('the stability of the layout', () => {
  const matchBy = (before: GraphModel, after: GraphModel): ((key: number) => number) => {
    const diff = diffGraphs(before, after)
    return (key) => {
      const id = idOfKey(key)
      const kind = kindOfKey(key)
      if (kind !== 'node') return key
      const old = diff.nodes[id]?.before ?? -1
      return old < 0 ? -1 : keyOf('node', old)
    }
  }

  it('nothing moves when nothing changed', () => {
    for (const graph of [syntheticGraph(400), randomGraph(300, 2), transformerGraph(3)]) {
      const model = buildModel(graph)
      const before = lay(model)
      const after = lay(model, { previous: { layout: before, match: (key) => key } })
      expect(moves(before, after, (key) => key)[0]).toBeLessThan(1)
      expect(faults(model, after)).toEqual([])
    }
  })

  it('almost nothing moves when a leaf is added', () => {
    const graph = syntheticGraph(600)
    const before = buildModel(graph)
    const old = lay(before)
    const more = structuredClone(graph)
    const source = more.nodes[300]!.outputs[0]!
    more.nodes.splice(301, 0, {
      ...more.nodes[300]!,
      kind: 'aten::erf',
      inputs: [source.name],
      outputs: [{ name: 'new', type: 'Tensor' }],
    })
    const after = buildModel(more)
    const match = matchBy(before, after)
    const now = lay(after, { previous: { layout: old, match } })
    expect(faults(after, now)).toEqual([])
    const distances = moves(old, now, match)
    expect(distances.length).toBe(old.items.count)
    // Nothing but neighbours in its layer made room.
    expect(distances.filter((distance) => distance > 1).length).toBeLessThan(old.items.count * 0.02)
  })

  it('inserting a node into a chain moves what is below down and nothing sideways', () => {
    const graph = transformerGraph(4)
    const before = buildModel(graph)
    const old = lay(before)
    const more = structuredClone(graph)
    const at = more.nodes.findIndex((node) => node.kind === 'aten::gelu')
    const gelu = more.nodes[at]!
    const output = gelu.outputs[0]!
    more.nodes.splice(at + 1, 0, {
      ...gelu,
      kind: 'aten::erf',
      inputs: [output.name],
      outputs: [{ ...output, name: 'new' }],
    })
    more.nodes[at + 2]!.inputs = more.nodes[at + 2]!.inputs.map((name) =>
      name === output.name ? 'new' : name,
    )
    for (const node of more.nodes.slice(at + 3))
      node.inputs = node.inputs.map((name) => (name === output.name ? 'new' : name))
    const after = buildModel(more)
    const match = matchBy(before, after)
    const now = lay(after, { previous: { layout: old, match } })
    expect(faults(after, now)).toEqual([])
    const centre = (layout: GraphLayout, index: number): number =>
      layout.items.x[index]! + layout.items.w[index]! / 2
    const oldAt = new Map(Array.from(old.items.key, (key, index) => [key, index]))
    let sideways = 0
    const heights = new Set<number>()
    for (let index = 0; index < now.items.count; index += 1) {
      const was = oldAt.get(match(now.items.key[index]!))
      if (was === undefined) continue
      if (Math.abs(centre(now, index) - centre(old, was)) > 1) sideways += 1
      heights.add(Math.round(now.items.y[index]! - old.items.y[was]!))
    }
    expect(sideways).toBeLessThan(now.items.count * 0.02)
    // What is above stays, what is below goes down by one box.
    expect(heights.size).toBeLessThanOrEqual(6)
  })

  it('folding a group leaves the rest in place', () => {
    const model = buildModel(transformerGraph(4))
    const before = lay(model)
    const layer = model.groups.find((group) => group.label === 'layers.2')!
    const after = lay(model, {
      folded: new Set([layer.index]),
      previous: { layout: before, match: (key) => key },
    })
    expect(faults(model, after)).toEqual([])
    const wasAt = new Map(
      Array.from(before.items.key, (key, at) => [
        key,
        before.items.x[at]! + before.items.w[at]! / 2,
      ]),
    )
    const sideways = Array.from(after.items.key, (key, at) => {
      const x = wasAt.get(key)
      return x === undefined ? 0 : Math.abs(x - after.items.x[at]! - after.items.w[at]! / 2)
    })
    expect(Math.max(...sideways)).toBeLessThan(40)
  })
})
