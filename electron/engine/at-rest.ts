import fs from 'node:fs/promises'

/** One of the workbench's own helpers: what it does is in every time that is taken meanwhile. */
export interface OwnWork {
  /** "clangd reads the sources" */
  what: string
  /** It says itself that it works. */
  busy: boolean
  /** Its process, 0 for none: it may work on without saying so, as clangd does for its index. */
  pid: number
}

/** Milliseconds. Longer is not waited: what goes on then is told of the rows, as other programs' load is. */
const longest = 20_000
const interval = 200
/** Of one core; counted in hundredths of a second (proc(5), USER_HZ). */
const working = 0.2
const ticksPerSecond = 100

interface ProcessLook {
  /** Seconds of processor time that it has used. */
  seconds: number
  /** It runs, or waits for a core. */
  runnable: boolean
}

/** What the system knows of a process; undefined where it does not tell. */
async function lookAt(pid: number): Promise<ProcessLook | undefined> {
  try {
    const stat = await fs.readFile(`/proc/${pid}/stat`, 'utf8')
    // After the name, which may hold anything: state is field 3, utime 14 and stime 15.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const seconds = (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
    return { seconds, runnable: fields[0] === 'R' }
  } catch {
    return undefined
  }
}

/** Tells, from one call to the next, which of the processes that it is given have worked meanwhile. */
class Watch {
  private at = performance.now()
  private used = new Map<number, number>()

  async working(pids: readonly number[]): Promise<Set<number>> {
    const now = performance.now()
    const seconds = (now - this.at) / 1000
    const used = new Map<number, number>()
    const found = new Set<number>()
    for (const pid of pids) {
      const look = await lookAt(pid)
      if (!look) continue
      used.set(pid, look.seconds)
      // Of one that is new nothing is known yet. One that waits for a core uses none, and works all the same.
      const before = this.used.get(pid)
      const isWorking = before === undefined || (look.seconds - before) / seconds > working
      if (isWorking || look.runnable) found.add(pid)
    }
    this.at = now
    this.used = used
    return found
  }
}

/**
 * Waits until the workbench does nothing by itself that takes from what is timed: clangd reads what was saved,
 * the compile server starts.
 * @param ownWork its helpers now
 * @param onWait told in words when that changes; "" at the end
 * @param stop ends the waiting
 */
export async function atRest(
  ownWork: () => readonly OwnWork[],
  onWait: (what: string) => void,
  stop?: AbortSignal,
): Promise<void> {
  const until = performance.now() + longest
  const watch = new Watch()
  let told = ''
  for (let look = 0; ; look += 1) {
    const helpers = ownWork()
    const pids = helpers.flatMap(({ pid }) => (pid > 0 ? [pid] : []))
    const working = await watch.working(pids)
    const busy = helpers.filter((one) => one.busy || working.has(one.pid))
    const goesOn = busy.length > 0 && performance.now() < until && !stop?.aborted
    // The first look only begins to watch.
    const isKnown = look > 0 || busy.some((one) => one.busy)
    const now = goesOn && isKnown ? busy.map(({ what }) => what).join(', ') : ''
    if (now !== told) onWait(now)
    told = now
    if (!goesOn) return
    await new Promise((resolve) => setTimeout(resolve, interval))
  }
}
