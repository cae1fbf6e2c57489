import { execFile } from 'node:child_process'

import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { WorkersPlace } from '../../contract/shards'
import { environmentWithoutTree } from '../toolchain/process-tree'
import type { JobState, Nodes } from './nodes'
import type { RunFolder } from './run-folder'
import { shellWords } from '../toolchain/shell-word'
import { endedJobs, placesInQueue, statesOfJobs } from './slurm-states'

type SlurmPlace = Extract<WorkersPlace, { kind: 'slurm' }>

/** Milliseconds for an answer of Slurm, and its bytes. */
const limits = { timeout: 60_000, maxBuffer: 64 << 20 }

interface Answer {
  exitCode: number
  stdout: string
  stderr: string
}

/** If the controller does not answer for a moment, it is asked again, so many times. */
const mostSilences = 20

/** The nodes of a Slurm cluster. A submission is a job array with a task for each worker. */
export class SlurmNodes implements Nodes {
  private silences = 0

  constructor(
    private readonly place: SlurmPlace,
    /** Milliseconds: clusters ask users not to ask more often. */
    readonly pause = 5_000,
  ) {}

  async submit(run: RunFolder, count: number): Promise<Result<string[]>> {
    const { id } = run.manifest
    const input = `#!/bin/sh\nexec ${shellWords([...this.place.opsmith, 'work', run.folder])}\n`
    const submitted = await this.ask(
      [
        'sbatch',
        '--parsable',
        `--job-name=opsmith-${id}`,
        `--output=${run.path('logs', '%A_%a.log').replaceAll(' ', '\\ ')}`,
        '--open-mode=append',
        `--chdir=${run.manifest.project}`,
        ...this.place.options,
        `--array=0-${count - 1}`,
      ],
      input,
    )
    if (!submitted.ok) return submitted
    const job = /^\d+/m.exec(submitted.value.stdout)?.[0]
    if (submitted.value.exitCode !== 0 || job === undefined)
      return err('target.unavailable', 'Slurm did not accept the jobs.', {
        hint: 'Read what sbatch printed. The options of sbatch come from `clusters` in the settings file and from SBATCH_ variables.',
        detail: submitted.value.stderr.trim(),
      })
    return ok(Array.from({ length: count }, (_, task) => `${job}_${task}`))
  }

  async states(_run: RunFolder, jobs: readonly string[]): Promise<Result<Map<string, JobState>>> {
    const arrays = arraysOf(jobs)
    const states = new Map<string, JobState>()
    const forgotten: string[] = []
    for (const array of arrays) {
      const shown = await this.ask(['scontrol', 'show', 'job', array, '--oneliner'])
      if (!shown.ok) return shown
      const { exitCode, stdout, stderr } = shown.value
      if (exitCode === 0) for (const [job, state] of statesOfJobs(stdout)) states.set(job, state)
      else if (/Invalid job id/i.test(stderr)) forgotten.push(array)
      else {
        this.silences += 1
        if (this.silences > mostSilences)
          return err('target.unavailable', 'Slurm does not answer.', { detail: stderr.trim() })
        // The states that we have stay.
        return ok(new Map())
      }
    }
    this.silences = 0
    await this.addForgotten(states, forgotten, jobs)
    return ok(await this.withPlaces(states))
  }

  /** Jobs that ended some minutes ago: accounting knows more, if the cluster has it. */
  private async addForgotten(
    states: Map<string, JobState>,
    arrays: readonly string[],
    jobs: readonly string[],
  ): Promise<void> {
    const missing = jobs.filter((job) => !states.has(job))
    if (missing.length === 0) return
    const ids = arrays.length > 0 ? arrays : arraysOf(missing)
    const words = ['sacct', '-X', '-n', '-P', '-j', ids.join(',')]
    const asked = await this.ask([...words, '-o', 'JobID,State,ExitCode,NodeList,Timelimit'])
    const known = asked.ok ? endedJobs(asked.value.stdout) : new Map<string, JobState>()
    for (const job of missing)
      states.set(
        job,
        known.get(job) ?? {
          kind: 'ended',
          reason: 'Slurm no longer knows the job',
          lives: 1,
          isCancelled: false,
        },
      )
  }

  /** Adds the place in the queue to the notes of jobs that wait. */
  private async withPlaces(states: Map<string, JobState>): Promise<Map<string, JobState>> {
    if (![...states.values()].some(({ kind }) => kind === 'waiting')) return states
    const asked = await this.ask(['squeue', '-h', '-t', 'PD', '-S', '-p,i', '-o', '%F %P'])
    if (!asked.ok) return states
    const places = placesInQueue(asked.value.stdout)
    return new Map(
      [...states].map(([job, state]) => {
        const at = places.get(job.split('_')[0] ?? '')
        return state.kind === 'waiting' && at
          ? [
              job,
              { ...state, note: `place ${at.place} of ${at.length} in the queue; ${state.note}` },
            ]
          : [job, state]
      }),
    )
  }

  async cancel(_run: RunFolder, jobs: readonly string[]): Promise<Result<null>> {
    const cancelled = await this.ask(['scancel', ...jobs])
    if (!cancelled.ok) return cancelled
    return cancelled.value.exitCode === 0
      ? ok(null)
      : err('target.unavailable', 'Slurm did not cancel all jobs of the run.', {
          hint: `Cancel them with \`scancel ${arraysOf(jobs).join(' ')}\`.`,
          detail: cancelled.value.stderr.trim(),
        })
  }

  /** Jobs get the environment of sbatch. */
  private async ask(words: readonly string[], input = ''): Promise<Result<Answer>> {
    const [program = '', ...rest] = words
    return await new Promise((resolve) => {
      const options = { ...limits, env: environmentWithoutTree() }
      const child = execFile(program, rest, options, (error, stdout, stderr) => {
        if (error?.code === 'ENOENT')
          resolve(
            err(
              'target.unavailable',
              `This machine has no program ${program}, so it cannot use Slurm.`,
              {
                hint: 'Run the command on a login node of the cluster, for example with --on ssh:LOGIN.',
              },
            ),
          )
        else resolve(ok({ exitCode: error ? 1 : 0, stdout, stderr }))
      })
      child.stdin?.on('error', () => undefined)
      child.stdin?.end(input)
    })
  }
}

/** "12" of "12_0", "12_1". */
function arraysOf(jobs: readonly string[]): string[] {
  return [...new Set(jobs.map((job) => job.split('_')[0] ?? ''))]
}
