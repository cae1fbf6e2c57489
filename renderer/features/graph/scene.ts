/**
 * A laid-out graph as it is painted: boxes, frames and lines with their words, nothing that has to be
 * looked up. Made by the graph worker, kept by the paint worker. Lengths are world units: CSS pixels
 * at zoom 1. Words are indices into `strings` (many boxes say the same), -1 for none.
 */
export type PaintedScene = {
  /** Grows with every layout: answers about an older scene are thrown away. */
  id: number
  left: number
  top: number
  width: number
  height: number
  strings: string[]
  items: {
    count: number
    /** See graph/layout: a node, a folded group, an input or an output. */
    key: Int32Array
    x: Float32Array
    y: Float32Array
    w: Float32Array
    h: Float32Array
    /** Dimmed before the title: "aten::". */
    prefix: Int32Array
    title: Int32Array
    /** Lines, with newlines between. */
    detail: Int32Array
    /** Bits of `itemFlag`. */
    flags: Uint8Array
    change: Uint8Array
  }
  frames: {
    count: number
    /** An open group, or a node around its open blocks. */
    key: Int32Array
    x: Float32Array
    y: Float32Array
    w: Float32Array
    h: Float32Array
    depth: Int32Array
    label: Int32Array
  }
  edges: {
    count: number
    from: Int32Array
    to: Int32Array
    /** Index of the value in the model, for its type in the inspector. */
    value: Int32Array
    label: Int32Array
    change: Uint8Array
    pointStart: Uint32Array
    points: Float32Array
  }
}

export const itemFlag = {
  custom: 1,
  /** A folded group: it opens. */
  folded: 2,
  input: 4,
  output: 8,
  constant: 16,
  /** prim::If and its like: what it is about is inside. */
  control: 32,
} as const

/** Where a node stands against the graph it is compared with. */
export const changeKind = { same: 0, added: 1, changed: 2, removed: 3 } as const

/** What an overlay says of each item of a scene. */
export type SceneOverlay = {
  scene: number
  kind: 'none' | 'time' | 'memory' | 'values' | 'device'
  /** Position on the colour map, 0 to 1; NaN: nothing was observed. */
  position: Float32Array
  /** "1.2 ms · 34%"; an index into `strings`, -1 for none. */
  text: Int32Array
  /** 1: NaN among its values, 2: infinities, 3: both. */
  alarm: Uint8Array
  strings: string[]
}

/** Items that a search found; null when nothing is searched. */
export type SceneHits = { scene: number; found: Uint8Array | null }

/** The colours of the window's theme, as canvas wants them. */
export type GraphPalette = {
  background: string
  box: string
  boxBorder: string
  frame: string
  frameBorder: string
  terminal: string
  text: string
  muted: string
  edge: string
  accent: string
  custom: string
  added: string
  changed: string
  removed: string
  alarm: string
  hit: string
  highContrast: boolean
  uiFont: string
  monoFont: string
}

/** Sizes of a box's inside, in world units; the layout measures with the same ones. */
export const boxMetrics = {
  titleSize: 12,
  detailSize: 10.5,
  labelSize: 10,
  lineHeight: 15,
  detailHeight: 13,
  padX: 10,
  padY: 5,
  minWidth: 44,
  maxWidth: 260,
  /** For the mark of a custom operator or a folded group. */
  mark: 14,
} as const
