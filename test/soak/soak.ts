export interface SoakOptions {
  /** How often a project is edited, built, run and checked. */
  cycles: number
  /** Cycles from one line of figures to the next. */
  every: number
  /** How many processes are killed. */
  kills: number
  /** Of the random moments; the same seed gives the same ones. */
  seed: number
  say(line: string): void
}

export interface SoakResult {
  /** What did not hold, a sentence each. */
  problems: string[]
}
