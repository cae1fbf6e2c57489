/** Joins text that comes in many small pieces: the window is told thirty times a second, not thousands. */
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
