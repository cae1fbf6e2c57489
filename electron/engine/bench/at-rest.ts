/** Milliseconds. Longer is not waited: what goes on then is told of the rows, as other programs' load is. */
const longest = 20_000
const interval = 50

/**
 * Waits until the workbench does nothing by itself that takes from what is timed: clangd reads what was saved,
 * the compile server starts.
 * @param ownWork what it does now, in words
 * @param onWait told when that changes; "" at the end
 * @param stop ends the waiting
 */
export async function atRest(
  ownWork: () => readonly string[],
  onWait: (what: string) => void,
  stop?: AbortSignal,
): Promise<void> {
  const until = performance.now() + longest
  let told = ''
  for (;;) {
    const what = ownWork().join(', ')
    const goesOn = what !== '' && performance.now() < until && !stop?.aborted
    const now = goesOn ? what : ''
    if (now !== told) onWait(now)
    told = now
    if (!goesOn) return
    await new Promise((resolve) => setTimeout(resolve, interval))
  }
}
