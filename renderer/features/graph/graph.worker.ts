import type { Graph } from '../../../electron/contract/graph'
import { buildModel } from '../../../graph/build-model'

import type { GraphModel } from '../../../graph/model'
import { pathBetween } from '../../../graph/traverse'
import type { FromGraphWorker, GraphCalls, ToGraphWorker } from './graph-messages'
import type { ViewId } from './paint/paint-messages'
import type { PaintedScene } from './scene'
import { exportGraph } from './worker/write-picture'
import { inspect } from './worker/inspect'
import { nodeAtTextLine, nodesAtPlace } from './worker/places'
import { BoxMaker, type Fonts } from './worker/make-scene'
import { observe } from './worker/overlays'
import { searchView } from './worker/search-view'
import { ShownView } from './worker/shown-view'

/**
 * Holds the graphs: parses, lays out, compares, searches. It may be busy for seconds with a very large
 * graph; what was painted before can be looked at all the while, since another worker paints.
 */

const documents = new Map<number, GraphModel>()
let fonts: Fonts = { ui: 'system-ui', mono: 'monospace' }
let maker: BoxMaker | null = null
const boxes = (): BoxMaker => (maker ??= new BoxMaker(fonts))

const views: Record<ViewId, ShownView> = {
  main: new ShownView(boxes, (scene, shift, isFinal) => postScene('main', scene, shift, isFinal)),
  before: new ShownView(boxes, (scene, shift, isFinal) =>
    postScene('before', scene, shift, isFinal),
  ),
}

function post(message: FromGraphWorker, transfer: Transferable[] = []): void {
  self.postMessage(message, { transfer })
}

function postScene(
  view: ViewId,
  scene: PaintedScene,
  shift: { dx: number; dy: number },
  isFinal: boolean,
): void {
  const parts: unknown[] = [scene.items, scene.frames, scene.edges].flatMap((part) =>
    Object.values(part),
  )
  const buffers = parts.filter(ArrayBuffer.isView).map((list) => list.buffer as ArrayBuffer)
  post({ type: 'scene', view, scene, shift, isFinal }, buffers)
}

type Answers = {
  [N in keyof GraphCalls]: (input: GraphCalls[N]['input']) => GraphCalls[N]['output']
}

const answers: Answers = {
  load: ({ doc, graph }) => {
    const model = buildModel(JSON.parse(graph) as Graph)
    documents.set(doc, model)
    return {
      name: model.graph.name,
      form: model.graph.form,
      nodes: model.nodes.length,
      groups: model.groups.length - 1,
      custom: model.nodes.reduce((count, node) => count + (node.custom === true ? 1 : 0), 0),
    }
  },
  drop: ({ docs }) => {
    for (const doc of docs) documents.delete(doc)
    return null
  },
  show: (request) => {
    const model = documents.get(request.doc)
    if (!model) throw new Error(`graph ${request.doc} is not loaded`)
    const other = request.compare === null ? undefined : documents.get(request.compare.doc)
    return views[request.view].show(request, model, other ?? null)
  },
  hide: ({ view }) => {
    views[view] = new ShownView(boxes, (scene, shift, isFinal) =>
      postScene(view, scene, shift, isFinal),
    )
    return null
  },
  fold: ({ view, what, key }) => {
    const result = views[view].fold(what, key)
    if (!result) throw new Error('no graph is shown')
    return result
  },
  reveal: ({ view, node }) => {
    const shown = views[view]
    const own = shown.shownNode(node)
    if (own === null) return null
    const target = shown.boxedNode(own)
    shown.open(target)
    return shown.keyOfNode(target)
  },
  search: ({ view, query }) => {
    const { result, hits } = searchView(views[view], query)
    post({ type: 'hits', view, hits })
    return result
  },
  inspect: ({ view, key }) => inspect(views[view], key),
  path: ({ view, from, to }) => {
    const shown = views[view]
    if (!shown.model) return null
    const ends = [shown.nodesOfKey(from), shown.nodesOfKey(to)] as const
    const path = shortest(shown.model, ends[0], ends[1])
    if (path === null) return null
    const keys = new Set(path.map((node) => shown.keyOfNode(node)))
    // Inputs and outputs of the graph are no nodes: they are the path's ends themselves.
    return [...new Set([from, ...keys, to])]
  },
  atLine: ({ view, file, line }) => {
    const shown = views[view]
    const keys = nodesAtPlace(shown, file, line).map((node) => shown.keyOfNode(node))
    return [...new Set(keys)]
  },
  atText: ({ view, line }) => nodeAtTextLine(views[view], line),
  overlay: ({ view, kind, observation }) => {
    const { result, overlay } = observe(views[view], kind, observation)
    post({ type: 'overlay', view, overlay })
    return result
  },
  export: ({ view, format, dark }) => {
    const shown = views[view]
    const model = documents.get(shown.doc)
    if (!model) throw new Error('no graph is shown')
    const other = shown.compared === null ? undefined : documents.get(shown.compared)
    return exportGraph(shown, model, other ?? null, format, dark)
  },
}

/** A few nodes at each end are tried: what a folded group contains, who takes an input. */
function shortest(model: GraphModel, from: number[], to: number[]): number[] | null {
  let best: number[] | null = null
  for (const start of from.slice(0, 8)) {
    for (const end of to.slice(0, 8)) {
      const path = pathBetween(model, start, end)
      if (path && (best === null || path.length < best.length)) best = path
    }
  }
  return best
}

self.onmessage = (event: MessageEvent<ToGraphWorker>): void => {
  const message = event.data
  if (message.type === 'fonts') {
    fonts = { ui: message.ui, mono: message.mono }
    maker = null
    return
  }
  try {
    const answer = answers[message.name] as (input: unknown) => unknown
    post({ type: 'answer', id: message.id, value: answer(message.input) })
  } catch (problem) {
    const text = problem instanceof Error ? (problem.stack ?? problem.message) : String(problem)
    post({ type: 'failed', id: message.id, message: text })
  }
}
