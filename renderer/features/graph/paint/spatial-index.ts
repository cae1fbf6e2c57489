/**
 * A hierarchical grid of rectangles: each lies in exactly one cell, of the level whose cells are at
 * least as large as it is, so a query looks at a few cells per level and never meets one twice.
 * Building and querying are linear in what they touch (the "loose" grid of collision detection).
 */
export class SpatialIndex {
  private readonly levels: Level[] = []
  private readonly originX: number
  private readonly originY: number
  /** What is found comes back in here: queries are made for every tile. */
  private readonly found: number[] = []

  /** Corner arrays of `count` rectangles; `left[i] <= right[i]`. */
  constructor(
    count: number,
    private readonly left: Float32Array,
    private readonly top: Float32Array,
    private readonly right: Float32Array,
    private readonly bottom: Float32Array,
  ) {
    let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity]
    for (let i = 0; i < count; i += 1) {
      x0 = Math.min(x0, left[i] ?? 0)
      y0 = Math.min(y0, top[i] ?? 0)
      x1 = Math.max(x1, right[i] ?? 0)
      y1 = Math.max(y1, bottom[i] ?? 0)
    }
    this.originX = count > 0 ? x0 : 0
    this.originY = count > 0 ? y0 : 0
    const width = Math.max(1, x1 - x0)
    const height = Math.max(1, y1 - y0)
    // At most a quarter of a million cells on the finest level, however long the graph is.
    const finest = Math.max(256, Math.sqrt((width * height) / 2 ** 18), width / 4096, height / 4096)
    const levelOf = new Uint8Array(count)
    const sizes: number[] = []
    for (let i = 0; i < count; i += 1) {
      const extent = Math.max(
        (right[i] ?? 0) - (left[i] ?? 0),
        (bottom[i] ?? 0) - (top[i] ?? 0),
        finest,
      )
      const level = Math.min(30, Math.ceil(Math.log2(extent / finest) - 1e-9))
      levelOf[i] = level
      sizes[level] = (sizes[level] ?? 0) + 1
    }
    sizes.forEach((size, level) => {
      const members = new Uint32Array(size)
      let next = 0
      for (let i = 0; i < count; i += 1) if (levelOf[i] === level) members[next++] = i
      this.levels.push(this.makeLevel(finest * 2 ** level, width, height, members))
    })
  }

  /** Indices of the rectangles that touch this one, in no order. The array is reused by the next query. */
  query(left: number, top: number, right: number, bottom: number): number[] {
    const found = this.found
    found.length = 0
    for (const level of this.levels) {
      const { cell, columns, rows, start, members } = level
      // A rectangle reaches at most half a cell out of the cell of its centre.
      const c0 = place(left - cell / 2 - this.originX, cell, columns)
      const c1 = place(right + cell / 2 - this.originX, cell, columns)
      const r0 = place(top - cell / 2 - this.originY, cell, rows)
      const r1 = place(bottom + cell / 2 - this.originY, cell, rows)
      for (let row = r0; row <= r1; row += 1) {
        const from = start[row * columns + c0] ?? 0
        const to = start[row * columns + c1 + 1] ?? 0
        for (let at = from; at < to; at += 1) {
          const i = members[at] ?? 0
          if (
            (this.right[i] ?? 0) >= left &&
            (this.left[i] ?? 0) <= right &&
            (this.bottom[i] ?? 0) >= top &&
            (this.top[i] ?? 0) <= bottom
          ) {
            found.push(i)
          }
        }
      }
    }
    return found
  }

  private makeLevel(cell: number, width: number, height: number, members: Uint32Array): Level {
    const columns = Math.floor(width / cell) + 1
    const rows = Math.floor(height / cell) + 1
    const start = new Uint32Array(columns * rows + 1)
    const cellOf = new Uint32Array(members.length)
    members.forEach((i, at) => {
      const x = ((this.left[i] ?? 0) + (this.right[i] ?? 0)) / 2
      const y = ((this.top[i] ?? 0) + (this.bottom[i] ?? 0)) / 2
      const column = place(x - this.originX, cell, columns)
      const index = place(y - this.originY, cell, rows) * columns + column
      cellOf[at] = index
      start[index + 1] = (start[index + 1] ?? 0) + 1
    })
    for (let i = 1; i < start.length; i += 1) start[i] = (start[i] ?? 0) + (start[i - 1] ?? 0)
    const sorted = new Uint32Array(members.length)
    const next = start.slice()
    members.forEach((i, at) => {
      const index = cellOf[at] ?? 0
      const slot = next[index] ?? 0
      sorted[slot] = i
      next[index] = slot + 1
    })
    return { cell, columns, rows, start, members: sorted }
  }
}

type Level = {
  cell: number
  columns: number
  rows: number
  start: Uint32Array
  members: Uint32Array
}

function place(offset: number, cell: number, cells: number): number {
  return Math.min(Math.max(Math.floor(offset / cell), 0), cells - 1)
}
