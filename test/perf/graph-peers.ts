import { spawn } from 'node:child_process'

import type { GraphLayout } from '../../graph/layout/layout'
import { keyOf } from '../../graph/layout/layout'
import type { GraphModel } from '../../graph/model'

/** A graph as the peers get it: the boxes, frames and edges that our own layout draws. */
interface PeerGraph {
  boxes: { width: number; height: number; parent: number }[]
  /** Of frames: the frame around each, -1 for none. */
  frames: number[]
  edges: [number, number][]
}

export function peerGraph(model: GraphModel, layout: GraphLayout): PeerGraph {
  const { items, frames, edges } = layout
  // A header stands in its node's frame; what else is where, the rectangles say.
  const frameOf = new Map(Array.from(frames.key, (key, index) => [key, index]))
  const around = (group: number): number => {
    for (let at = group; at > 0; at = model.groups[at]?.parent ?? 0) {
      const frame = frameOf.get(keyOf('group', at))
      if (frame !== undefined) return frame
    }
    return -1
  }
  const parentOfKey = (key: number): number => {
    const id = key >> 2
    switch (key & 3) {
      case 0:
        return frameOf.get(key) ?? around(model.groupOf[id] ?? 0)
      case 1:
        return around(model.groups[id]?.parent ?? 0)
      case 2:
        return around(model.values[id]?.group ?? 0)
      default:
        return around(model.returns[id]?.group ?? 0)
    }
  }
  return {
    boxes: Array.from({ length: items.count }, (_, index) => ({
      width: items.w[index] ?? 0,
      height: items.h[index] ?? 0,
      parent: parentOfKey(items.key[index] ?? 0),
    })),
    frames: Array.from({ length: frames.count }, (_, index) => {
      const key = frames.key[index] ?? 0
      const id = key >> 2
      if ((key & 3) === 0) return around(model.groupOf[id] ?? 0)
      const owner = model.groups[id]?.node ?? -1
      return owner >= 0
        ? (frameOf.get(keyOf('node', owner)) ?? -1)
        : around(model.groups[id]?.parent ?? 0)
    }),
    edges: Array.from({ length: edges.count }, (_, edge): [number, number] => [
      edges.from[edge] ?? 0,
      edges.to[edge] ?? 0,
    ]),
  }
}

/** Both with their defaults for layered drawings; groups as groups. Each prints the seconds of every round. */
const scripts = {
  dagre: `
const dagre = require('@dagrejs/dagre')
const once = (graph) => {
  // Only what has groups pays for them.
  const g = new dagre.graphlib.Graph({ compound: graph.frames.length > 0 })
  g.setGraph({})
  g.setDefaultEdgeLabel(() => ({}))
  graph.frames.forEach((_, index) => g.setNode('f' + index, {}))
  graph.boxes.forEach(({ width, height }, index) => g.setNode('b' + index, { width, height }))
  graph.frames.forEach((parent, index) => parent >= 0 && g.setParent('f' + index, 'f' + parent))
  graph.boxes.forEach(({ parent }, index) => parent >= 0 && g.setParent('b' + index, 'f' + parent))
  graph.edges.forEach(([from, to]) => g.setEdge('b' + from, 'b' + to))
  dagre.layout(g)
}`,
  elkjs: `
const ELK = require('elkjs/lib/elk.bundled.js')
const elk = new ELK()
const once = (graph) => {
  const root = { id: 'root', children: [], edges: [], layoutOptions: { 'elk.algorithm': 'layered', 'elk.direction': 'DOWN', 'elk.hierarchyHandling': 'INCLUDE_CHILDREN' } }
  const frames = graph.frames.map((_, index) => ({ id: 'f' + index, children: [] }))
  graph.frames.forEach((parent, index) => (parent >= 0 ? frames[parent] : root).children.push(frames[index]))
  graph.boxes.forEach(({ width, height, parent }, index) => (parent >= 0 ? frames[parent] : root).children.push({ id: 'b' + index, width, height }))
  root.edges = graph.edges.map(([from, to], index) => ({ id: 'e' + index, sources: ['b' + from], targets: ['b' + to] }))
  return elk.layout(root)
}`,
}
export type PeerName = keyof typeof scripts

const main = `
let text = ''
process.stdin.setEncoding('utf8').on('data', (part) => (text += part)).on('end', async () => {
  const { graph, rounds } = JSON.parse(text)
  for (let round = 0; round < rounds; round += 1) {
    const started = performance.now()
    await once(graph)
    console.log((performance.now() - started) / 1000)
  }
})`

/**
 * Seconds of each round of a peer in a process of its own; those it managed within the time limit, so
 * [] when it did not even do one. Says why when it ended by itself.
 */
export async function peerSeconds(
  name: PeerName,
  graph: PeerGraph,
  rounds: number,
  limitSeconds: number,
  root: string,
): Promise<{ samples: number[]; note: string }> {
  // A deep recursion is no reason to lose: both recurse once a layer or more.
  const args = ['--stack-size=8000', '--max-old-space-size=3000', '-e', scripts[name] + main]
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['pipe', 'pipe', 'pipe'] })
  const samples: number[] = []
  let errors = ''
  let rest = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    samples.push(...lines.map(Number).filter((seconds) => !Number.isNaN(seconds)))
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
  child.stdin.on('error', () => undefined)
  child.stdin.end(JSON.stringify({ graph, rounds }))
  return new Promise((resolve) => {
    let timedOut = false
    const timer = setTimeout(() => {
      timedOut = true
      child.kill('SIGKILL')
    }, limitSeconds * 1000)
    child.once('close', (code) => {
      clearTimeout(timer)
      const [reason = ''] = errors.split('\n').filter((line) => /Error|FATAL|heap/.test(line))
      const failure = code === 0 ? '' : `failed: ${reason.trim() || `exit code ${String(code)}`}`
      const note = samples.length > 0 ? '' : timedOut ? `> ${limitSeconds} s` : failure
      resolve({ samples, note })
    })
  })
}
