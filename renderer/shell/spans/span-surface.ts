import type { ProfileMemory } from '../../../electron/contract/profile'
import {
  axisHeight,
  drawSpans,
  memoryHeight,
  rowHeight,
  type SpanStyle,
  type SpanMarks,
  type SpanPicture,
} from './draw-spans'
import { panned, spanAt, zoomed, type NamedSpans, type TimeRange } from './spans'

/** A canvas with spans, and below them memory over the same time. */
export class SpanSurface implements SpanPicture {
  range: TimeRange
  /** Pixels that the rows are scrolled by. */
  top = 0
  readonly size = { width: 0, height: 0 }
  marks: SpanMarks = { selected: null, hovered: null, time: null, found: null }
  onRange: (range: TimeRange) => void = () => undefined
  private look: SpanStyle | null = null
  private ratio = 1
  private frame = 0

  constructor(
    private readonly canvas: HTMLCanvasElement,
    readonly named: NamedSpans,
    readonly memory: readonly ProfileMemory[],
  ) {
    this.range = { from: 0, to: named.spans.end }
  }

  resize(width: number, height: number, ratio: number): void {
    this.size.width = width
    this.size.height = height
    this.ratio = ratio
    this.canvas.width = Math.max(1, Math.round(width * ratio))
    this.canvas.height = Math.max(1, Math.round(height * ratio))
    this.canvas.style.width = `${width}px`
    this.canvas.style.height = `${height}px`
    this.scrollBy(0)
    this.drawNow()
  }

  setLook(look: SpanStyle): void {
    this.look = look
    this.draw()
  }

  mark(marks: Partial<SpanMarks>): void {
    this.marks = { ...this.marks, ...marks }
    this.draw()
  }

  /** What is drawn of the rows: all but the axis and memory. */
  rowsHeight(): number {
    return this.size.height - axisHeight - this.memory.length * memoryHeight
  }

  time(x: number): number {
    const { from, to } = this.range
    return from + (x / Math.max(1, this.size.width)) * (to - from)
  }

  hit(x: number, y: number): number | null {
    if (y < axisHeight || y >= axisHeight + this.rowsHeight()) return null
    const row = Math.floor((y - axisHeight + this.top) / rowHeight)
    const slack = (2 * (this.range.to - this.range.from)) / Math.max(1, this.size.width)
    return spanAt(this.named.spans, row, this.time(x), slack)
  }

  /** The device whose memory lies at that height. */
  memoryAt(y: number): ProfileMemory | undefined {
    const below = y - axisHeight - this.rowsHeight()
    return below < 0 ? undefined : this.memory[Math.floor(below / memoryHeight)]
  }

  zoomAt(x: number, factor: number): void {
    this.setRange(zoomed(this.range, this.time(x), factor, this.named.spans.end))
  }

  panBy(dx: number, dy: number): void {
    const { from, to } = this.range
    const by = (-dx / Math.max(1, this.size.width)) * (to - from)
    this.setRange(panned(this.range, by, this.named.spans.end))
    this.scrollBy(-dy)
  }

  fit(): void {
    this.top = 0
    this.setRange({ from: 0, to: this.named.spans.end })
  }

  /** The span over most of the width. */
  zoomTo(id: number): void {
    const start = this.named.spans.start[id] ?? 0
    const duration = this.named.spans.duration[id] ?? 0
    const whole = { from: 0, to: this.named.spans.end }
    const factor = (whole.to - whole.from) / Math.max(1, 1.2 * duration)
    const { from, to } = zoomed(whole, start + duration / 2, factor, whole.to)
    const by = start + duration / 2 - (from + to) / 2
    this.setRange(panned({ from, to }, by, whole.to))
    this.show(id)
  }

  /** Moves as little as it takes to see a span. */
  show(id: number): void {
    const { start, duration, row, end } = this.named.spans
    const first = start[id] ?? 0
    const last = first + (duration[id] ?? 0)
    const { from, to } = this.range
    if (last < from || first > to) {
      this.setRange(panned(this.range, (first + last) / 2 - (from + to) / 2, end))
    }
    const y = (row[id] ?? 0) * rowHeight
    if (y < this.top) this.top = y
    else if (y + rowHeight > this.top + this.rowsHeight()) {
      this.top = y + rowHeight - this.rowsHeight()
    }
    this.draw()
  }

  dispose(): void {
    cancelAnimationFrame(this.frame)
  }

  private setRange(range: TimeRange): void {
    this.range = range
    this.onRange(range)
    this.draw()
  }

  private scrollBy(dy: number): void {
    const most = this.named.spans.byRow.length * rowHeight - this.rowsHeight()
    this.top = Math.min(Math.max(0, this.top + dy), Math.max(0, most))
    this.draw()
  }

  private draw(): void {
    cancelAnimationFrame(this.frame)
    this.frame = requestAnimationFrame(() => this.drawNow())
  }

  private drawNow(): void {
    const context = this.canvas.getContext('2d')
    if (!context || !this.look || this.size.width === 0) return
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0)
    drawSpans(context, this, this.look)
  }
}
