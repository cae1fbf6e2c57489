import { parseCpp } from './syntax-tree'
import type { SyntaxNode } from './syntax-tree'

export interface Position {
  /** 1-based. */
  line: number
  column: number
}

/** One source, parsed. */
export class SourceFile {
  private readonly lineStarts: number[]
  private readonly derived = new Map<unknown, unknown>()

  constructor(
    /** Absolute path. */
    readonly file: string,
    readonly text: string,
    readonly root: SyntaxNode,
  ) {
    this.lineStarts = [0]
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
      this.lineStarts.push(at + 1)
    }
  }

  static async parse(root: string, file: string, text: string): Promise<SourceFile> {
    return new SourceFile(file, text, await parseCpp(root, text))
  }

  /** What a function finds in this file, looked for once: files that are not edited cost lints nothing. */
  once<T>(find: (source: SourceFile) => T): T {
    if (!this.derived.has(find)) this.derived.set(find, find(this))
    return this.derived.get(find) as T
  }

  textOf(node: SyntaxNode | undefined): string {
    return node ? this.text.slice(node.start, node.end) : ''
  }

  positionOf(offset: number): Position {
    let low = 0
    let high = this.lineStarts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.lineStarts[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    return { line: low + 1, column: offset - (this.lineStarts[low] ?? 0) + 1 }
  }

  /** The blanks a line begins with, of the line at an offset. */
  indentAt(offset: number): string {
    const start = this.lineStarts[this.positionOf(offset).line - 1] ?? 0
    return /^[ \t]*/.exec(this.text.slice(start))?.[0] ?? ''
  }
}
