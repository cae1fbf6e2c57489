/** What a vertex of a layered drawing is. */
export const roles = {
  box: 0,
  /** Where lines come into the container: on its upper border. */
  entry: 1,
  /** Where lines leave the container: on its lower border. */
  exit: 2,
  /** A block of a node: keeps its order among its siblings. */
  block: 3,
} as const

/**
 * One container's graph, to be drawn in layers. Vertices are boxes (open containers inside are boxes
 * already) and ports; offsets are pixels from a vertex's centre.
 */
export interface LayeredProblem {
  count: number
  width: Float64Array
  height: Float64Array
  role: Uint8Array
  edgeCount: number
  edgeTo: Int32Array
  edgeToOffset: Float64Array
  /** 0 for edges that only order things (a header and its blocks). */
  edgeDrawn: Uint8Array
  /** Edges of the same chain leave from the same place and share their way as far as it goes. */
  edgeChain: Int32Array
  chainCount: number
  chainFrom: Int32Array
  chainOffset: Float64Array
  /** Where things were in the drawing to keep to: centres, NaN for what is new. */
  hints?: {
    x: Float64Array
    y: Float64Array
    /** The x that an edge had at a height (in the hints' coordinates); NaN when it was not there. */
    edgeAt: (edge: number, y: number) => number
  }
}

/** Pixels. */
export const spacing = {
  box: 22,
  line: 10,
  layer: 34,
  /** Between the border and what is inside. */
  frame: 14,
  /** The label of a frame. */
  label: 20,
  /** Between parts that nothing connects. */
  component: 36,
} as const

/** Compressed rows: entries of row r are items[start[r]] up to items[start[r + 1]]. */
export interface Rows {
  start: Uint32Array
  items: Int32Array
}

/** Groups `count` entries by `rowOf[entry]`, in order. */
export function groupRows(rows: number, rowOf: ArrayLike<number>, count: number): Rows {
  const start = new Uint32Array(rows + 1)
  for (let entry = 0; entry < count; entry += 1) {
    const row = rowOf[entry] as number
    start[row + 1] = (start[row + 1] as number) + 1
  }
  for (let row = 0; row < rows; row += 1)
    start[row + 1] = (start[row + 1] as number) + (start[row] as number)
  const fill = start.slice()
  const items = new Int32Array(count)
  for (let entry = 0; entry < count; entry += 1) {
    const row = rowOf[entry] as number
    const at = fill[row] as number
    fill[row] = at + 1
    items[at] = entry
  }
  return { start, items }
}
