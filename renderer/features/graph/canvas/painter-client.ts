import type { GraphPalette, PaintedScene, SceneHits, SceneOverlay } from '../scene'
import type {
  FromPainter,
  PaintCallName,
  PaintCalls,
  ToPainter,
  ViewId,
} from '../paint/paint-messages'

/** What a picture covers, in world units. */
export type Extent = { left: number; top: number; width: number; height: number }

/** Who shows what is painted. */
type Surface = {
  /** The painter was given something new; `size` when it is a new layout. */
  expect(epoch: number, size?: Extent): void
  takeTile(tile: Extract<FromPainter, { type: 'tile' }>): void
  takeOverview(overview: Extract<FromPainter, { type: 'overview' }>): void
}

type Waiting = { resolve: (value: unknown) => void; reject: (reason: Error) => void }

/** The window's side of the paint worker. It is started with the first scene. */
class PainterClient {
  private worker: Worker | null = null
  private readonly waiting = new Map<number, Waiting>()
  private readonly surfaces = new Map<ViewId, Surface>()
  private asked = 0
  private epochs = 0
  private look: { palette: GraphPalette; ratio: number } | null = null
  private readonly sizes = new Map<ViewId, Extent>()
  /** The newest picture of each view: everything that is painted carries its number. */
  private readonly current = new Map<ViewId, number>()

  attach(view: ViewId, surface: Surface): () => void {
    this.surfaces.set(view, surface)
    const epoch = this.current.get(view)
    if (epoch !== undefined) surface.expect(epoch, this.sizes.get(view))
    return () => {
      if (this.surfaces.get(view) === surface) this.surfaces.delete(view)
    }
  }

  setLook(palette: GraphPalette, ratio: number): void {
    const before = this.look
    if (before && before.ratio === ratio && sameColours(before.palette, palette)) return
    this.look = { palette, ratio }
    if (!this.worker) return
    const epoch = this.nextEpoch()
    for (const view of this.current.keys()) this.current.set(view, epoch)
    this.send({ type: 'look', palette, ratio, epoch })
    for (const surface of this.surfaces.values()) surface.expect(epoch)
  }

  setScene(view: ViewId, scene: PaintedScene | null): void {
    const epoch = this.nextEpoch()
    this.current.set(view, epoch)
    const { left, top, width, height } = scene ?? { left: 0, top: 0, width: 0, height: 0 }
    const size = { left, top, width, height }
    this.send({ type: 'scene', view, scene, epoch }, scene ? buffersOf(scene) : [])
    this.surfaces.get(view)?.expect(epoch, size)
    this.sizes.set(view, size)
  }

  setOverlay(view: ViewId, overlay: SceneOverlay | null): void {
    const epoch = this.nextEpoch()
    this.current.set(view, epoch)
    this.send({ type: 'overlay', view, overlay, epoch })
    this.surfaces.get(view)?.expect(epoch)
  }

  setHits(view: ViewId, hits: SceneHits | null): void {
    const epoch = this.nextEpoch()
    this.current.set(view, epoch)
    this.send({ type: 'hits', view, hits, epoch })
    this.surfaces.get(view)?.expect(epoch)
  }

  want(view: ViewId, list: Omit<Extract<ToPainter, { type: 'want' }>, 'type' | 'view'>): void {
    this.send({ type: 'want', view, ...list })
  }

  ask<N extends PaintCallName>(
    name: N,
    input: PaintCalls[N]['input'],
  ): Promise<PaintCalls[N]['output']> {
    this.asked += 1
    const id = this.asked
    return new Promise((resolve, reject) => {
      this.waiting.set(id, {
        resolve: (value) => resolve(value as PaintCalls[N]['output']),
        reject,
      })
      this.send({ type: 'ask', id, name, input })
    })
  }

  private nextEpoch(): number {
    this.epochs += 1
    return this.epochs
  }

  private send(message: ToPainter, transfer: Transferable[] = []): void {
    if (!this.worker) {
      this.worker = new Worker(new URL('../paint.worker.ts', import.meta.url), { type: 'module' })
      this.worker.onmessage = (event: MessageEvent<FromPainter>) => this.take(event.data)
      if (this.look)
        this.worker.postMessage({ type: 'look', ...this.look, epoch: this.nextEpoch() })
    }
    this.worker.postMessage(message, transfer)
  }

  private take(message: FromPainter): void {
    switch (message.type) {
      case 'tile': {
        const surface = this.surfaces.get(message.view)
        if (surface) surface.takeTile(message)
        else message.bitmap.close()
        return
      }
      case 'overview': {
        const surface = this.surfaces.get(message.view)
        if (surface) surface.takeOverview(message)
        else message.bitmap.close()
        return
      }
      case 'answer':
        this.waiting.get(message.id)?.resolve(message.value)
        this.waiting.delete(message.id)
        return
      case 'failed':
        this.waiting.get(message.id)?.reject(new Error(message.message))
        this.waiting.delete(message.id)
    }
  }
}

export const painter = new PainterClient()

function sameColours(a: GraphPalette, b: GraphPalette): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

/** A scene is made to be handed over: the arrays go along instead of being copied. */
function buffersOf(scene: PaintedScene): Transferable[] {
  const parts: unknown[] = [scene.items, scene.frames, scene.edges].flatMap((part) =>
    Object.values(part),
  )
  return parts.filter(ArrayBuffer.isView).map((view) => view.buffer as ArrayBuffer)
}
