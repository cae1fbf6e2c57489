import type { Result } from '../../contract/outcome'
import type { RunFolder } from './run-folder'

/** What is known of a job: a worker's place on a node, or in a queue for one. */
export type JobState =
  /** `note` is a sentence for people: the position in the queue, the reason for which it waits. */
  | { kind: 'waiting'; note: string; lives: number }
  | { kind: 'running'; lives: number }
  | { kind: 'ended'; reason: string; lives: number; isCancelled: boolean }

/** Where the workers of a run come from. A job has one worker at a time, one for each of its lives. */
export interface Nodes {
  /** Milliseconds between two questions for the states of jobs. */
  readonly pause: number
  /** Starts jobs, and returns their names. */
  submit(run: RunFolder, count: number): Promise<Result<string[]>>
  /** A job that is not in the answer is not known yet. `lives` is 1 until a job was started again. */
  states(run: RunFolder, jobs: readonly string[]): Promise<Result<Map<string, JobState>>>
  /** Ends them, without waiting. */
  cancel(run: RunFolder, jobs: readonly string[]): Promise<Result<null>>
}

/** The name of a job's worker. @param life from 0 */
export function workerName(job: string, life: number): string {
  return `${job}.${life}`
}
