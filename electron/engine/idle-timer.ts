/** Tells when nothing was done for a while, and when something is done again. */
export class IdleTimer {
  private timer: NodeJS.Timeout | undefined
  private isIdle = false

  /** @param milliseconds without touch() before onIdle is called */
  constructor(
    private readonly milliseconds: number,
    private readonly events: { onIdle: () => void; onWake: () => void },
  ) {}

  /** Starts the wait again; ends the idle state. */
  touch(): void {
    clearTimeout(this.timer)
    this.timer = setTimeout(() => {
      this.isIdle = true
      this.events.onIdle()
    }, this.milliseconds)
    this.timer.unref()
    if (!this.isIdle) return
    this.isIdle = false
    this.events.onWake()
  }

  stop(): void {
    clearTimeout(this.timer)
    this.isIdle = false
  }
}
