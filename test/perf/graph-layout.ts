import { buildModel } from '../../graph/build-model'
import { measureWith } from '../../graph/describe'
import { diffGraphs } from '../../graph/diff/diff-graphs'
import type { GraphLayout } from '../../graph/layout/layout'
import { layoutGraph, layoutInSteps } from '../../graph/layout/layout-graph'
import type { Graph } from '../../electron/contract/graph'
import { peerGraph, peerSeconds } from './graph-peers'
import type { PeerName } from './graph-peers'
import { resnetGraph, syntheticGraph, transformerGraph } from './graphs'
import { row } from './measure'
import type { BenchmarkOptions, Row } from './measure'

const rounds = 5
/** What a peer may take for one graph, all its rounds together. */
const peerLimit = 60

const seconds = (since: number): number => (performance.now() - since) / 1000

/** Model, first picture, layout and layout again after an edit, beside dagre and elkjs on the same graph. */
export async function runLayouts(options: BenchmarkOptions): Promise<Row[]> {
  const graphs: { name: string; make: () => Graph; peers: PeerName[] }[] = [
    { name: 'ResNet-50', make: resnetGraph, peers: ['dagre', 'elkjs'] },
    { name: 'transformer, 24 layers', make: () => transformerGraph(24), peers: ['dagre', 'elkjs'] },
    { name: 'DAG of 1,000', make: () => syntheticGraph(1000), peers: ['dagre', 'elkjs'] },
    { name: 'DAG of 10,000', make: () => syntheticGraph(10_000), peers: ['dagre', 'elkjs'] },
    // dagre would take hours and all memory.
    { name: 'DAG of 100,000', make: () => syntheticGraph(100_000), peers: ['elkjs'] },
  ]
  const rows: Row[] = []
  for (const { name, make, peers } of graphs) {
    options.say(name)
    const graph = make()
    const models: number[] = []
    const firsts: number[] = []
    const layouts: number[] = []
    const again: number[] = []
    let model = buildModel(graph)
    let layout: GraphLayout | undefined
    for (let round = 0; round < rounds; round += 1) {
      let started = performance.now()
      model = buildModel(graph)
      models.push(seconds(started))
      const measure = measureWith(model)
      started = performance.now()
      const steps = layoutInSteps(model, { folded: new Set(), showConstants: false, measure })
      let step = steps.next()
      if (!step.done) {
        firsts.push(seconds(started))
        step = steps.next()
      }
      layouts.push(seconds(started))
      if (!step.done) throw new Error('a third picture')
      layout = step.value
      started = performance.now()
      layoutGraph(model, {
        folded: new Set(),
        showConstants: false,
        measure,
        previous: { layout, match: (key) => key },
      })
      again.push(seconds(started))
    }
    if (!layout) continue
    rows.push(
      row(`${name}: model of ${graph.nodes.length.toLocaleString('en')} nodes`, 's', models),
    )
    if (firsts.length > 0) rows.push(row(`${name}: first picture`, 's', firsts))
    const peerInput = peerGraph(model, layout)
    for (const peer of peers) {
      options.say(`${name}: ${peer}`)
      const { samples, note } = await peerSeconds(peer, peerInput, 3, peerLimit, options.root)
      const what = `${name}: layout of ${layout.items.count.toLocaleString('en')} boxes`
      rows.push(
        row(what, 's', layouts, { name: note === '' ? peer : `${peer} (${note})`, samples }),
      )
    }
    rows.push(row(`${name}: layout that keeps to the last`, 's', again))
    const diffs: number[] = []
    for (let round = 0; round < 3; round += 1) {
      const started = performance.now()
      diffGraphs(model, model)
      diffs.push(seconds(started))
    }
    rows.push(
      row(`${name}: diff`, 's', diffs),
      row(`${name}: layout's arrays`, 'MB', [megabytes(layout)]),
    )
  }
  return rows
}

function megabytes(layout: GraphLayout): number {
  let bytes = 0
  for (const part of [layout.items, layout.frames, layout.edges])
    for (const value of Object.values(part))
      if (typeof value !== 'number') bytes += value.byteLength
  return bytes / 1e6
}
