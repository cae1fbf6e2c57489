/** Milliseconds before progress is sent: work that is over by then shows none, and much of it shows the latest. */
const pause = 100

/** Sends the state of some work now and then, however often it changes. */
export class LatestProgress {
  private timer: NodeJS.Timeout | undefined

  constructor(private readonly send: () => void) {}

  changed(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined
      this.send()
    }, pause)
  }

  /** The work is over: nothing more is sent. */
  end(): void {
    clearTimeout(this.timer)
  }
}
