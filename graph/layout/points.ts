/** Points of lines, growing; of three points in a vertical row the middle one is left out. */
export class PointList {
  private data = new Float32Array(4096)
  /** Points so far. */
  count = 0
  private lineStart = 0

  startLine(): void {
    this.lineStart = this.count
  }

  add(x: number, y: number): void {
    const { data } = this
    const last = this.count - 1
    const single = Math.fround(x)
    if (last >= this.lineStart && data[last * 2] === single) {
      if (data[last * 2 + 1] === Math.fround(y)) return
      if (last - 1 >= this.lineStart && data[last * 2 - 2] === single) {
        data[last * 2 + 1] = y
        return
      }
    }
    if (this.count * 2 + 2 > data.length) {
      const larger = new Float32Array(data.length * 2)
      larger.set(data)
      this.data = larger
    }
    this.data[this.count * 2] = x
    this.data[this.count * 2 + 1] = y
    this.count += 1
  }

  finish(): Float32Array {
    return this.data.slice(0, this.count * 2)
  }
}
