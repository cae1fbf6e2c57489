import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import fs from 'node:fs/promises'

import { ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { WorkersPlace } from '../../contract/shards'
import { environmentWithoutTree } from '../toolchain/process-tree'
import { workerName } from './nodes'
import type { JobState, Nodes } from './nodes'
import type { RunFolder } from './run-folder'
import { shellWord, shellWords } from '../toolchain/shell-word'

type CommandPlace = Extract<WorkersPlace, { kind: 'commands' }>

/** Milliseconds without a sign of life after which a worker counts as dead; see `beatTime`. */
const silence = 60_000

/** Exit codes of a shell: 128 and the number of a signal. */
function exitReason(code: number, target: string): string {
  if (code === 0) return `the worker on ${target} ended`
  if (code === 137)
    return `the worker on ${target} was killed (signal 9), for example because memory ran out`
  return code > 128
    ? `the worker on ${target} was ended by signal ${code - 128}`
    : `the worker on ${target} ended with exit code ${code}`
}

/**
 * Workers that a command starts: on this machine, or on others by ssh. They live on when the command has ended. The file
 * system is all that is common: a file says how a worker ended, and its journal grows while it lives.
 */
export class CommandNodes implements Nodes {
  readonly pause = 500
  /** Sizes of journals, and since when they are as they are, by our own clock. */
  private readonly signs = new Map<string, { size: number; since: number }>()
  private next = 0

  constructor(private readonly place: CommandPlace) {}

  async submit(run: RunFolder, count: number): Promise<Result<string[]>> {
    const jobs: string[] = []
    for (let index = 0; index < count; index += 1) {
      const at = this.next % this.place.targets.length
      this.next += 1
      const job = `${at}-${randomUUID().slice(0, 8)}`
      await this.start(run, job, at)
      jobs.push(job)
    }
    return ok(jobs)
  }

  /** Starts a worker. What its target's command says on the way is in the log. */
  private async start(run: RunFolder, job: string, at: number): Promise<void> {
    const target = this.place.targets[at]
    if (!target) return
    const log = run.path('logs', `${job}.log`)
    const end = run.path('jobs', `${job}.exit`)
    const place = String(this.next - 1)
    const worker = shellWords([
      ...target.opsmith,
      'work',
      run.folder,
      '--job',
      job,
      '--place',
      place,
    ])
    // Renamed, so that nobody reads half of it. A session of its own: the end of a terminal or of ssh does not reach it.
    const inner = `${worker} >>${shellWord(log)} 2>&1; echo $? >${shellWord(`${end}.new`)}; mv ${shellWords([`${end}.new`, end])}`
    const script = `cd ${shellWord(run.manifest.project)} || exit 3; setsid sh -c ${shellWord(inner)} </dev/null >/dev/null 2>&1 &`
    const [program = '', ...words] = target.command
    const child = spawn(program, [...words, target.isJoined ? shellWord(script) : script], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: environmentWithoutTree(),
      detached: true,
    })
    const said = createWriteStream(log, { flags: 'a' })
    child.stdout.pipe(said, { end: false })
    child.stderr.pipe(said, { end: false })
    const code = await new Promise<number | null>((resolve) => {
      child.once('error', () => resolve(127))
      child.once('close', resolve)
    })
    said.end()
    if (code === 0) return
    const why =
      code === 3
        ? `${target.name} cannot open the project folder ${run.manifest.project}: the project must have the same path on all machines of a run`
        : `${target.name} could not be reached: ${program} ended with exit code ${code ?? 'unknown'}`
    await fs.writeFile(end, `${why}\n`)
  }

  async states(run: RunFolder, jobs: readonly string[]): Promise<Result<Map<string, JobState>>> {
    const states = await Promise.all(
      jobs.map(async (job) => [job, await this.state(run, job)] as const),
    )
    return ok(new Map(states))
  }

  private async state(run: RunFolder, job: string): Promise<JobState> {
    const ended = (reason: string): JobState => ({
      kind: 'ended',
      lives: 1,
      isCancelled: false,
      reason,
    })
    const target = this.place.targets[parseInt(job, 10)]?.name ?? 'its machine'
    const text = await fs.readFile(run.path('jobs', `${job}.exit`), 'utf8').catch(() => '')
    if (text !== '')
      return ended(/^\d+\s*$/.test(text) ? exitReason(Number(text), target) : text.trim())
    const journal = run.path('workers', `${workerName(job, 0)}.jsonl`)
    const size = await fs.stat(journal).then(
      (stat) => stat.size,
      () => -1,
    )
    const sign = this.signs.get(job)
    if (sign?.size !== size) this.signs.set(job, { size, since: performance.now() })
    else if (performance.now() - sign.since > silence)
      return ended(
        `the worker on ${target} did not report for ${silence / 1000} s: it was killed, or the machine is down`,
      )
    return { kind: 'running', lives: 1 }
  }

  /** Workers see the file `stop`. */
  async cancel(): Promise<Result<null>> {
    return ok(await Promise.resolve(null))
  }
}
