/** Joins text that comes in many small pieces: the window gets thirty messages a second, not thousands. */
export class TextBatch {
  private text = ''
  private timer: NodeJS.Timeout | undefined

  constructor(private readonly send: (text: string) => void) {}

  add(text: string): void {
    this.text += text
    this.timer ??= setTimeout(() => {
      this.flush()
    }, 33)
  }

  flush(): void {
    clearTimeout(this.timer)
    this.timer = undefined
    if (this.text === '') return
    const text = this.text
    this.text = ''
    this.send(text)
  }
}

/** A batch for each source of text; sources are equal that JSON writes alike. */
export class TextBatches<Source> {
  private readonly batches = new Map<string, TextBatch>()

  constructor(private readonly send: (source: Source, text: string) => void) {}

  add(source: Source, text: string): void {
    const key = JSON.stringify(source)
    let batch = this.batches.get(key)
    if (!batch) {
      batch = new TextBatch((joined) => {
        this.send(source, joined)
      })
      this.batches.set(key, batch)
    }
    batch.add(text)
  }

  flush(): void {
    for (const batch of this.batches.values()) batch.flush()
  }
}
