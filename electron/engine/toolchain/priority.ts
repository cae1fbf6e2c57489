import fs from 'node:fs'
import os from 'node:os'

/** A tenth of what a program gets that somebody waits for, where both want a core. */
const background = os.constants.priority.PRIORITY_BELOW_NORMAL
/** Milliseconds: the kernel takes one change of a session in a tenth of a second from who is not root. */
const untilNextTry = 120

/** Gives a process that leads its session what other programs leave of the processors, to its end. */
export function yieldProcessors(pid: number): void {
  try {
    os.setPriority(pid, background)
    setSessionNiceness(pid, background)
  } catch {
    // It has ended already.
  }
}

/**
 * Desktop kernels weigh sessions, not the processes in them (sched(7)), and a child that is detached is a session.
 * False where the kernel asks for more time between two changes.
 */
function setSessionNiceness(pid: number, niceness: number): boolean {
  try {
    fs.writeFileSync(`/proc/${pid}/autogroup`, String(niceness))
    return true
  } catch (error) {
    // It has ended already, or this kernel does not weigh sessions.
    return (error as NodeJS.ErrnoException).code !== 'EAGAIN'
  }
}

/**
 * The share of a session that works for the user now and for nobody then. A process that was made nice stays it,
 * unless it is root's; a session does not. Where the kernel does not weigh sessions, nothing changes.
 */
export class SessionShare {
  private isBackground = false
  private timer: NodeJS.Timeout | undefined

  /** @param pid of the session's leader; undefined where it could not be started */
  constructor(private readonly pid: number | undefined) {}

  setBackground(isBackground: boolean): void {
    if (this.isBackground === isBackground) return
    this.isBackground = isBackground
    this.apply()
  }

  private apply(): void {
    clearTimeout(this.timer)
    const { pid } = this
    if (pid === undefined) return
    if (setSessionNiceness(pid, this.isBackground ? background : 0)) return
    this.timer = setTimeout(() => {
      this.apply()
    }, untilNextTry)
    this.timer.unref()
  }

  /** The process has ended: its number may be another's. */
  close(): void {
    clearTimeout(this.timer)
    this.isBackground = false
  }
}
