import { act, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'

import type { FollowedRun, RunResults, RunState } from '../../../electron/contract/run-calls'
import { commandStore } from '../../../renderer/store/commands'
import { noResults } from '../../../renderer/store/runs'
import { main } from './window'

/** A run of three shards, one of which is done. */
export function runStateOf(more: Partial<RunState> = {}): RunState {
  return {
    id: '1126-101010-abc',
    verb: 'bench',
    title: 'long rows',
    place: 'slurm',
    phase: 'working',
    problem: '',
    openJobs: 2,
    done: 1,
    failed: 0,
    shards: 3,
    created: 1_700_000_000_000,
    folder: '/runs/1126-101010-abc',
    ...more,
  }
}

export function followedOf(results: Partial<RunResults>, more: Partial<FollowedRun>): FollowedRun {
  return {
    state: runStateOf({ phase: 'done', done: 3, openJobs: 0 }),
    end: 'over',
    results: { ...noResults, ...results },
    benchmarks: [],
    missing: [],
    ...more,
  }
}

/** Workers can be started here and by Slurm. */
export function givePlaces(): void {
  main.give('runs.places', [
    { name: 'local', kind: 'local', missing: '' },
    { name: 'slurm', kind: 'slurm', missing: '' },
    { name: 'gpu', kind: 'cluster', missing: 'this machine has no program sbatch' },
  ])
  main.give('runs.start', runStateOf({ phase: 'idle', openJobs: 0, done: 0 }))
}

/** Chooses Slurm with three jobs. @param id the beginning of the panel's test ids */
export async function chooseSlurm(id: string): Promise<void> {
  await userEvent.selectOptions(screen.getByTestId(`${id}-where`), 'slurm')
  const jobs = screen.getByTestId(`${id}-jobs`)
  await userEvent.clear(jobs)
  await userEvent.type(jobs, '3{Enter}')
}

/** What main sends about a run that is followed. */
export function sendResults(
  job: string,
  results: Partial<RunResults>,
  more: { done: number; waiting?: string; news?: string[] },
): void {
  act(() => {
    main.send('runs.progressed', {
      job,
      total: 3,
      waiting: '',
      news: [],
      ...more,
      results: { ...noResults, ...results },
    })
  })
}

export function isEnabled(id: string): boolean {
  return (
    commandStore
      .getState()
      .commands.find((command) => command.id === id)
      ?.enabled?.() === true
  )
}
