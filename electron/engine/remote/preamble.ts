/** Bytes that a shell's profile may print before what is waited for. */
const mostSkipped = 1 << 20

/** Skips what comes before a line, for example what a shell's profile prints. */
export class Preamble {
  private seen = Buffer.alloc(0)
  isOver = false

  constructor(private readonly line: string) {}

  /** Text before the line, so far. */
  get skipped(): string {
    return this.seen.toString('utf8')
  }

  /** More was printed than a profile does. */
  get isTooLong(): boolean {
    return !this.isOver && this.seen.length > mostSkipped
  }

  /** What of these bytes comes after the line. */
  take(bytes: Uint8Array): Uint8Array {
    if (this.isOver) return bytes
    const all = Buffer.concat([this.seen, bytes])
    const at = all.indexOf(this.line)
    this.isOver = at >= 0
    this.seen = this.isOver ? all.subarray(0, at) : all
    return this.isOver ? all.subarray(at + this.line.length) : new Uint8Array()
  }
}
