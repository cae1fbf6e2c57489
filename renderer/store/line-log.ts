/** One line of a log; `tag` says where it came from (a generation and a stream). */
export type LogLine = { readonly text: string; readonly tag: string }

// CSI and OSC sequences and lone escapes: compilers colour their output even through a pipe.
const ansi = /\u001b\[[0-9;?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[@-_]/g

const maxLines = 20_000
const maxLineLength = 4_000

/**
 * Text that arrives in chunks, kept as lines. Bounded in both directions: an operator may print
 * 100 MB, or one line without an end.
 */
export class LineLog {
  private lines: LogLine[] = []
  private partial = new Map<string, string>()
  private droppedLines = 0
  private current = 0

  /** Changes whenever the lines do: what a view subscribes to. */
  get version(): number {
    return this.current
  }

  /** Lines that were dropped at the front. */
  get dropped(): number {
    return this.droppedLines
  }

  get length(): number {
    return this.lines.length + this.openTags().length
  }

  append(text: string, tag = ''): void {
    const parts = ((this.partial.get(tag) ?? '') + text.replace(ansi, '')).split('\n')
    const rest = parts.pop() ?? ''
    for (const part of parts) this.push(part, tag)
    if (rest.length > maxLineLength) {
      this.push(rest, tag)
      this.partial.delete(tag)
    } else if (rest === '') {
      this.partial.delete(tag)
    } else {
      this.partial.set(tag, rest)
    }
    this.trim()
    this.current += 1
  }

  at(index: number): LogLine | undefined {
    if (index < this.lines.length) return this.lines[index]
    const tag = this.openTags()[index - this.lines.length]
    return tag === undefined ? undefined : { text: this.partial.get(tag) ?? '', tag }
  }

  clear(): void {
    this.lines = []
    this.partial.clear()
    this.droppedLines = 0
    this.current += 1
  }

  /** Everything kept, for the clipboard. */
  text(): string {
    const open = this.openTags().map((tag) => this.partial.get(tag) ?? '')
    return [...this.lines.map((line) => line.text), ...open].join('\n')
  }

  private openTags(): string[] {
    return [...this.partial.keys()]
  }

  private push(text: string, tag: string): void {
    const end = text.endsWith('\r') ? text.slice(0, -1) : text
    // A progress bar rewrites its line with carriage returns; the last writing is what one would see.
    const shown = end.slice(end.lastIndexOf('\r') + 1)
    const cut = shown.length > maxLineLength ? `${shown.slice(0, maxLineLength)} …` : shown
    this.lines.push({ text: cut, tag })
  }

  private trim(): void {
    // Trimmed in large steps, so that the cost of moving the array is shared by many lines.
    if (this.lines.length <= maxLines + 2_000) return
    const extra = this.lines.length - maxLines
    this.lines = this.lines.slice(extra)
    this.droppedLines += extra
  }
}

/** Calls `notify` soon, once for many calls: a log may receive thousands of chunks a second. */
export function throttled(notify: () => void, milliseconds: number): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  return () => {
    timer ??= setTimeout(() => {
      timer = undefined
      notify()
    }, milliseconds)
  }
}
