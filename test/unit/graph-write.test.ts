import { describe, expect, it } from 'vitest'

import { graph as graphShape } from '../../electron/contract/graph'
import type { Graph } from '../../electron/contract/graph'
import { buildModel } from '../../graph/build-model'
import { measureWith } from '../../graph/describe'
import { layoutGraph } from '../../graph/layout/layout-graph'
import { writeDot } from '../../graph/write/dot'
import { writeJson } from '../../graph/write/json'
import { escapeXml, writeSvg } from '../../graph/write/svg'
import type { SvgOptions } from '../../graph/write/svg'
import { resnetGraph, syntheticGraph, transformerGraph } from '../perf/graphs'
import { everyElement, readXml } from '../support/read-xml'
import { branchingGraph, constant, graphOf, op, randomGraph } from './graph-samples'

/** Text that has to be escaped everywhere: quotes, markup, ends of lines, control characters, half a pair. */
const nasty = 'a"b\\N<i>&\'\n\u0001]]>\ud800é😀'

const nastyGraph = (): Graph => {
  const graph = graphOf(
    ['x'],
    [
      constant('c', nasty, 'str'),
      { ...op('add', ['x', 'c'], 'y', [nasty, 'a']), attributes: { note: nasty } },
      { ...op('relu', ['y'], 'z', [nasty, 'a']), schema: `aten::relu(Tensor "self') -> Tensor` },
    ],
    ['z'],
  )
  graph.name = nasty
  return graph
}

const samples: [string, () => Graph][] = [
  ['control flow', branchingGraph],
  ['ResNet-50', resnetGraph],
  ['a transformer', () => transformerGraph(3)],
  ['random blocks', () => randomGraph(150, 8)],
  ['random nodes', () => syntheticGraph(100)],
  ['text that must be escaped', nastyGraph],
]

function svgOf(graph: Graph, options: SvgOptions = { theme: 'light' }): string {
  const model = buildModel(graph)
  const layout = layoutGraph(model, {
    folded: new Set(),
    showConstants: options.showConstants ?? false,
    measure: measureWith(model, options.showConstants),
  })
  return writeSvg(model, layout, options)
}

describe('a graph as SVG', () => {
  it.each(samples)('the SVG of %s is well-formed and shows everything', (_, make) => {
    const graph = make()
    const model = buildModel(graph)
    for (const showConstants of [false, true]) {
      const svg = readXml(svgOf(graph, { theme: 'dark', showConstants }))
      const elements = everyElement(svg)
      const boxes = elements.filter(
        (element) => element.name === 'g' && element.attributes.has('transform'),
      )
      const nodes = model.nodes.filter((node) => showConstants || model.constant[node.id] !== 1)
      expect(boxes.length).toBeGreaterThanOrEqual(nodes.length)
      // Tooltips: of the picture, of each box, of each line.
      const lines = elements.filter((element) => element.attributes.has('marker-end'))
      for (const element of [svg, ...boxes, ...lines])
        expect(element.children.some((child) => child.name === 'title')).toBe(true)
      for (const line of lines) {
        expect(line.attributes.get('d')).toMatch(/^M-?[\d.]+ -?[\d.]+([VC][-\d. ]+)*$/)
      }
      for (const element of elements)
        for (const value of element.attributes.values())
          expect(value).not.toMatch(/NaN|Infinity|undefined/)
    }
  })

  it('the SVG has themes, and marks that differ in more than colour', () => {
    const light = svgOf(branchingGraph())
    expect(light).not.toBe(svgOf(branchingGraph(), { theme: 'dark' }))
    const marked = svgOf(branchingGraph(), {
      theme: 'light',
      markOf: (node) =>
        node === 2 ? 'added' : node === 3 ? 'removed' : node === 5 ? 'changed' : undefined,
    })
    expect(marked).toContain('>+ select<')
    expect(marked).toContain('>− eq<')
    expect(marked).toContain('>~ relu<')
    expect(light).not.toContain('>+ select<')
  })

  it('characters that XML does not allow are escaped', () => {
    expect(escapeXml('<a href="x">&\u0000\ud800😀')).toBe(
      '&lt;a href=&quot;x&quot;&gt;&amp;\ufffd\ufffd😀',
    )
  })
})

/** A reader of the part of DOT's grammar that we write: statements, subgraphs, attribute lists. */
function parseDot(text: string): {
  nodes: Map<string, Map<string, string>>
  edges: [string, string][]
  clusters: string[]
} {
  const tokens = [
    ...text.matchAll(/"(?:[^"\\\n]|\\.)*"|->|[{}[\];,=]|[A-Za-z_][\w]*|-?[\d.]+|\S/g),
  ].map(([token]) => token)
  let at = 0
  const take = (expected?: string): string => {
    const token = tokens[at] ?? ''
    if (expected !== undefined && token !== expected)
      throw new Error(`${token} instead of ${expected}`)
    at += 1
    return token
  }
  const id = (): string => {
    const token = take()
    if (!/^("[^]*"|[A-Za-z_]\w*|-?[\d.]+)$/.test(token)) throw new Error(`no name: ${token}`)
    return token
  }
  const nodes = new Map<string, Map<string, string>>()
  const edges: [string, string][] = []
  const clusters: string[] = []
  const list = (): Map<string, string> => {
    const result = new Map<string, string>()
    if (tokens[at] !== '[') return result
    take('[')
    while (tokens[at] !== ']') {
      const key = id()
      take('=')
      result.set(key, id())
      if (tokens[at] === ',') take(',')
    }
    take(']')
    return result
  }
  const statements = (): void => {
    take('{')
    while (tokens[at] !== '}') {
      const name = id()
      if (name === 'subgraph') {
        clusters.push(id())
        statements()
        continue
      }
      if (tokens[at] === '=') {
        take('=')
        id()
      } else if (tokens[at] === '->') {
        take('->')
        edges.push([name, id()])
        list()
      } else if (name === 'node' || name === 'edge') list()
      else {
        if (nodes.has(name)) throw new Error(`${name} twice`)
        nodes.set(name, list())
      }
      take(';')
    }
    take('}')
  }
  take('digraph')
  id()
  statements()
  if (at !== tokens.length) throw new Error(`more after the end: ${tokens[at] ?? ''}`)
  return { nodes, edges, clusters }
}

describe('a graph as DOT', () => {
  it.each(samples)('the DOT of %s can be read and has everything', (_, make) => {
    const model = buildModel(make())
    const none = { folded: new Set<number>(), showConstants: false }
    const { nodes, edges, clusters } = parseDot(writeDot(model, none))
    for (const [from, to] of edges) {
      expect(nodes.has(from)).toBe(true)
      expect(nodes.has(to)).toBe(true)
    }
    const working = model.nodes.filter((node) => model.constant[node.id] !== 1)
    for (const node of working) expect(nodes.has(`n${node.id}`)).toBe(true)
    expect(new Set(clusters).size).toBe(clusters.length)
    expect(clusters.every((name) => name.startsWith('cluster_'))).toBe(true)
    const all = new Set(model.groups.map((group) => group.index).filter((index) => index > 0))
    expect(parseDot(writeDot(model, { ...none, folded: all })).clusters).toEqual([])
    expect(
      parseDot(writeDot(model, { ...none, showConstants: true })).nodes.size,
    ).toBeGreaterThanOrEqual(nodes.size)
  })

  it('blocks are clusters, and words of Graphviz are quoted', () => {
    const dot = writeDot(buildModel(branchingGraph()), { folded: new Set(), showConstants: false })
    expect(parseDot(dot).clusters).toHaveLength(5)
    expect(dot).toContain('label="then"')
    const escaped = writeDot(buildModel(nastyGraph()), { folded: new Set(), showConstants: false })
    expect(escaped).toContain('a\\"b\\\\N<i>')
  })
})

describe('a graph as JSON', () => {
  it.each(samples)('the JSON of %s reads back as the same graph', (_, make) => {
    const graph = make()
    const text = writeJson(graph)
    expect(graphShape.parse(JSON.parse(text))).toEqual(JSON.parse(JSON.stringify(graph)))
  })

  it('the keys have one order, and each node is a line', () => {
    const graph = branchingGraph()
    const shuffled: Graph = JSON.parse(
      JSON.stringify(graph, (_, value: unknown) =>
        value !== null && typeof value === 'object' && !Array.isArray(value)
          ? Object.fromEntries(Object.entries(value).reverse())
          : value,
      ),
    )
    expect(writeJson(shuffled).replace(/\{"dtype[^}]*\}/g, '')).toContain(
      '"id":4,"kind":"prim::If"',
    )
    const lines = writeJson(graph, { warnings: [] }).split('\n')
    expect(lines[1]).toBe('  "warnings": [],')
    expect(lines.filter((line) => line.includes('"kind":'))).toHaveLength(
      buildModel(graph).nodes.length,
    )
  })
})
