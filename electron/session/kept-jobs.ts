import type { AppOutput } from '../contract/app-calls'
import type { Result } from '../contract/outcome'

/** Jobs of one window whose results wait for the next: more are not kept. */
const mostLeft = 100

interface KeptJob {
  job: string
  result: Promise<Result<unknown>>
  /** What the window needs to show the result; undefined: it would not show it. */
  note?: { kind: string; input: string }
  /** Of the message with the result; 0 while there is none. */
  number: number
}

/** Which message the window has received. */
interface Receipts {
  isConfirmed(number: number): boolean
}

/**
 * The jobs of a window, until it has received their results. If it is killed, the next window that goes on with its
 * engine asks which there are, and makes their calls again: the answer is the result of the job that ran on.
 */
export class KeptJobs {
  private jobs = new Map<string, KeptJob>()
  private left = new Map<string, KeptJob>()
  private readonly notes = new Map<string, { kind: string; input: string }>()

  constructor(private readonly receipts: Receipts) {}

  /** What the window needs to show the result of a job, before it begins. */
  note({ job, kind, input }: AppOutput<'job.left'>[number]): void {
    this.notes.set(job, { kind, input })
  }

  /** The result of a call: of the job of this name that the window before has left, or of `work`. */
  async resultOf(
    call: string,
    input: unknown,
    work: () => Promise<Result<unknown>>,
  ): Promise<Result<unknown>> {
    const job = jobOf(call, input)
    if (job === '') return await work()
    const key = `${call} ${job}`
    const { note, result } = this.left.get(key) ?? { note: this.notes.get(job), result: work() }
    this.left.delete(key)
    this.notes.delete(job)
    this.forgetReceived()
    this.jobs.set(key, { job, result, number: 0, ...(note && { note }) })
    return await result
  }

  /** The result was sent. */
  noteSent(call: string, input: unknown, number: number): void {
    const kept = this.jobs.get(`${call} ${jobOf(call, input)}`)
    if (kept) kept.number = number
  }

  private forgetReceived(): void {
    for (const [key, { number }] of this.jobs)
      if (number > 0 && this.receipts.isConfirmed(number)) this.jobs.delete(key)
  }

  /** The window is gone, and another one goes on. Called while the receipts of the one before still count. */
  leave(): void {
    this.forgetReceived()
    const all = [...this.left, ...this.jobs].filter(([, { note }]) => note !== undefined)
    this.left = new Map(all.slice(-mostLeft))
    this.jobs = new Map()
    this.notes.clear()
  }

  /** Jobs of the window before whose results it has not received. */
  leftJobs(): AppOutput<'job.left'> {
    return [...this.left.values()].flatMap(({ job, note }) => (note ? [{ job, ...note }] : []))
  }
}

/** The name of the job that a call starts; "" if it starts none. */
function jobOf(call: string, input: unknown): string {
  if (call.startsWith('job.') || typeof input !== 'object' || input === null) return ''
  return 'job' in input && typeof input.job === 'string' ? input.job : ''
}
