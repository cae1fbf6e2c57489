/**
 * Sends one thing of each name at a time. What is given while one is on its way replaces what waits: over a slow line,
 * older states would only keep newer ones waiting.
 */
export class NewestOfEach {
  /** What waits for the end of what is on its way; undefined for nothing. */
  private readonly waiting = new Map<string, (() => Promise<unknown>) | undefined>()

  send(name: string, work: () => Promise<unknown>): void {
    if (this.waiting.has(name)) this.waiting.set(name, work)
    else void this.run(name, work)
  }

  private async run(name: string, first: () => Promise<unknown>): Promise<void> {
    for (
      let work: (() => Promise<unknown>) | undefined = first;
      work;
      work = this.waiting.get(name)
    ) {
      this.waiting.set(name, undefined)
      await work()
    }
    this.waiting.delete(name)
  }
}
