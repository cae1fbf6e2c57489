/** Milliseconds. */
const lately = 60_000
/** Ends within that time after which a renderer is started anew without a question. */
const mostReloads = 3

/** Counts the ends of renderers: one that ends again and again is not to be started for ever. */
export class RecentEnds {
  private times: number[] = []

  /**
   * Notes an end.
   * @param now milliseconds
   * @returns how many there were lately, where these are too many; 0 otherwise
   */
  note(now: number): number {
    this.times = [...this.times.filter((time) => now - time < lately), now]
    return this.times.length > mostReloads ? this.times.length : 0
  }
}
