import type { GraphPalette, PaintedScene, SceneHits, SceneOverlay } from '../scene'

/** Side length of a tile in device pixels. */
export const tileSize = 512

/** Which of the pictures: the graph, and beside it the one it is compared with. */
export type ViewId = 'main' | 'before'

/** A box in world units. */
export type Box = { x: number; y: number; w: number; h: number }

/** Lines in world units; line i is made of the points `start[i]` to `start[i + 1]`. */
export type Lines = { start: Uint32Array; points: Float32Array }

/** What is under the pointer: an item's key, or the frame (an open group) around the point. */
export type Hit = { key: number | null; frame: number | null; box: Box | null }

/** An item with all it is joined to, for the highlight and for walking by keys. */
export type Surroundings = {
  scene: number
  box: Box
  producers: { keys: number[]; boxes: Box[]; lines: Lines }
  users: { keys: number[]; boxes: Box[]; lines: Lines }
}

export type FlowDirection = 'up' | 'down' | 'left' | 'right'

/** What the window asks the painter; every question has one answer. */
export type PaintCalls = {
  hit: { input: { view: ViewId; x: number; y: number; slack: number }; output: Hit }
  surroundings: { input: { view: ViewId; key: number }; output: Surroundings | null }
  boxes: { input: { view: ViewId; keys: number[] }; output: { boxes: Box[]; lines: Lines } }
  walk: {
    input: { view: ViewId; key: number | null; direction: FlowDirection; x: number; y: number }
    output: number | null
  }
  /** The item nearest to a point, to hold on to when the layout changes. */
  nearest: { input: { view: ViewId; x: number; y: number }; output: number | null }
  png: { input: { view: ViewId; longest: number }; output: { base64: string } | null }
}
export type PaintCallName = keyof PaintCalls

export type ToPainter =
  | { type: 'look'; palette: GraphPalette; ratio: number; epoch: number }
  | { type: 'scene'; view: ViewId; scene: PaintedScene | null; epoch: number }
  | { type: 'overlay'; view: ViewId; overlay: SceneOverlay | null; epoch: number }
  | { type: 'hits'; view: ViewId; hits: SceneHits | null; epoch: number }
  /**
   * Replaces the list before: pairs of tile numbers, the first `visible` of them in view. At half the
   * pace the painter rests as long as it works, so that few processors still show every frame.
   */
  | {
      type: 'want'
      view: ViewId
      scale: number
      tiles: Int32Array
      visible: number
      pace: 'full' | 'half'
    }
  | { type: 'ask'; id: number; name: PaintCallName; input: PaintCalls[PaintCallName]['input'] }

export type FromPainter =
  | {
      type: 'tile'
      view: ViewId
      epoch: number
      scale: number
      column: number
      row: number
      bitmap: ImageBitmap
    }
  /** The whole graph, small: `scale` device pixels a world unit. */
  | { type: 'overview'; view: ViewId; epoch: number; scale: number; bitmap: ImageBitmap }
  | { type: 'answer'; id: number; value: unknown }
  | { type: 'failed'; id: number; message: string }
