/** When the key was pressed whose command begins now; null where no key began it. */
let pressed: number | null = null

/** Begins work that a key asks for. @param at the event's timeStamp */
export function beginAt(at: number, work: () => void): void {
  pressed = at
  try {
    work()
  } finally {
    pressed = null
  }
}

/**
 * When the user asked for what begins now, in milliseconds as performance.now() counts them. To be called before
 * the first await: a key waits in the queue while the window is busy, and that is part of what the user feels.
 */
export function askedAt(): number {
  return pressed ?? performance.now()
}
