/** Painted squares of one picture at one scale. */
export type Level = { epoch: number; scale: number; tiles: Map<number, ImageBitmap>; used: number }

/** A megabyte each; enough for two screens of a large window and what was just left. */
const mostTiles = 110

/** Column and row as one number; both may be negative. */
export function tileKey(column: number, row: number): number {
  return (column + 0x100000) * 0x400000 + (row + 0x100000)
}

export class TileCache {
  readonly levels: Level[] = []
  private clock = 0

  level(epoch: number, scale: number): Level | undefined {
    return this.levels.find((level) => level.epoch === epoch && level.scale === scale)
  }

  put(epoch: number, scale: number, column: number, row: number, bitmap: ImageBitmap): void {
    let level = this.level(epoch, scale)
    if (!level) {
      level = { epoch, scale, tiles: new Map(), used: 0 }
      this.levels.push(level)
    }
    this.clock += 1
    level.used = this.clock
    const key = tileKey(column, row)
    level.tiles.get(key)?.close()
    level.tiles.set(key, bitmap)
    this.shrink(level)
  }

  touch(level: Level): void {
    this.clock += 1
    level.used = this.clock
  }

  /** What was painted of other pictures is of no use any more. */
  keepOnly(epochs: readonly number[]): void {
    for (let i = this.levels.length - 1; i >= 0; i -= 1) {
      const level = this.levels[i]
      if (level && !epochs.includes(level.epoch)) this.drop(level)
    }
  }

  clear(): void {
    for (const level of [...this.levels]) this.drop(level)
  }

  private shrink(current: Level): void {
    let count = 0
    for (const level of this.levels) count += level.tiles.size
    while (count > mostTiles) {
      const others = this.levels.filter((level) => level !== current)
      const oldest = others.sort((a, b) => a.used - b.used)[0]
      if (oldest) {
        count -= oldest.tiles.size
        this.drop(oldest)
      } else {
        // Maps keep the order of insertion: the first is what was painted longest ago.
        const first = current.tiles.entries().next().value
        if (!first) return
        first[1].close()
        current.tiles.delete(first[0])
        count -= 1
      }
    }
  }

  private drop(level: Level): void {
    for (const bitmap of level.tiles.values()) bitmap.close()
    level.tiles.clear()
    this.levels.splice(this.levels.indexOf(level), 1)
  }
}
