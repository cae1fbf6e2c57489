import { serveGraphs } from './graph'
import { painter } from './canvas/painter-client'
import type { FromGraphWorker, GraphCallName, GraphCalls, ToGraphWorker } from './graph-messages'
import type { ViewId } from './paint/paint-messages'

type Waiting = { resolve: (value: unknown) => void; reject: (reason: Error) => void }

/** Told of every new picture; `show` hands it to the painter. */
type SceneListener = (
  view: ViewId,
  shift: { dx: number; dy: number },
  isFinal: boolean,
  show: () => void,
) => void

/** The window's side of the graph worker. It is started with the first graph. */
class GraphClient {
  onScene: SceneListener = (_view, _shift, _isFinal, show) => show()
  private worker: Worker | null = null
  private readonly waiting = new Map<number, Waiting>()
  private asked = 0
  private fonts: { ui: string; mono: string } | null = null

  setFonts(ui: string, mono: string): void {
    this.fonts = { ui, mono }
  }

  ask<N extends GraphCallName>(
    name: N,
    input: GraphCalls[N]['input'],
  ): Promise<GraphCalls[N]['output']> {
    this.asked += 1
    const id = this.asked
    return new Promise((resolve, reject) => {
      this.waiting.set(id, {
        resolve: (value) => resolve(value as GraphCalls[N]['output']),
        reject,
      })
      this.send({ type: 'ask', id, name, input })
    })
  }

  private send(message: ToGraphWorker): void {
    if (!this.worker) {
      this.worker = new Worker(new URL('./graph.worker.ts', import.meta.url), { type: 'module' })
      this.worker.onmessage = (event: MessageEvent<FromGraphWorker>) => this.take(event.data)
      if (this.fonts) this.worker.postMessage({ type: 'fonts', ...this.fonts })
    }
    this.worker.postMessage(message)
  }

  private take(message: FromGraphWorker): void {
    switch (message.type) {
      case 'answer':
        this.waiting.get(message.id)?.resolve(message.value)
        this.waiting.delete(message.id)
        return
      case 'failed':
        this.waiting.get(message.id)?.reject(new Error(message.message))
        this.waiting.delete(message.id)
        return
      case 'scene':
        this.onScene(message.view, message.shift, message.isFinal, () =>
          painter.setScene(message.view, message.scene),
        )
        return
      case 'overlay':
        painter.setOverlay(message.view, message.overlay)
        return
      case 'hits':
        painter.setHits(message.view, message.hits)
    }
  }
}

export const graphClient = new GraphClient()

serveGraphs({
  load: (doc, graph) => graphClient.ask('load', { doc, graph }),
  drop: (docs) => void graphClient.ask('drop', { docs }),
})
