/**
 * Widths of texts from the widths of their characters: a hundred thousand labels in the time that a
 * canvas measures a few hundred. Kerning is left out; it makes words narrower by a pixel at most.
 */
export class TextMeasure {
  private readonly context = new OffscreenCanvas(1, 1).getContext('2d')
  private readonly widths = new Map<number, number>()

  constructor(
    /** A CSS font: "600 12px system-ui". */
    font: string,
  ) {
    if (this.context) this.context.font = font
  }

  width(text: string): number {
    let sum = 0
    for (let i = 0; i < text.length; i += 1) sum += this.character(text.charCodeAt(i))
    return sum
  }

  /** Shortened to fit, with an ellipsis at its end. */
  fit(text: string, room: number): string {
    let sum = 0
    const dots = this.character(0x2026)
    let fits = 0
    for (let i = 0; i < text.length; i += 1) {
      sum += this.character(text.charCodeAt(i))
      if (sum > room) return `${text.slice(0, fits)}…`
      if (sum + dots <= room) fits = i + 1
    }
    return text
  }

  private character(code: number): number {
    const known = this.widths.get(code)
    if (known !== undefined) return known
    const width = this.context?.measureText(String.fromCharCode(code)).width ?? 7
    this.widths.set(code, width)
    return width
  }
}

/** Texts by number: most boxes of a large graph say the same few things. */
export class TextTable {
  readonly strings: string[] = []
  private readonly numbers = new Map<string, number>()

  /** -1 for the empty text. */
  add(text: string): number {
    if (text === '') return -1
    const known = this.numbers.get(text)
    if (known !== undefined) return known
    this.numbers.set(text, this.strings.length)
    this.strings.push(text)
    return this.strings.length - 1
  }
}
