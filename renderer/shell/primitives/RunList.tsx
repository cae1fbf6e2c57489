import { useEffect, type ReactElement } from 'react'

import type { RunState } from '../../../electron/contract/run-calls'
import { useJob } from '../../store/job'
import { useRuns, type Runs } from '../../store/runs'
import { EntryName } from './EntryName'
import { Section } from './Section'

/** The runs of this project, the newest first: to look at, or to attach to. */
export function RunList({ of }: { of: Runs }): ReactElement | null {
  const runs = useRuns(of, (state) => state.runs)
  useEffect(() => void of.load(), [of])
  if (runs.length === 0) return null
  return (
    <Section title="Runs" note={String(runs.length)}>
      {runs.map((run) => (
        <RunEntry key={run.id} of={of} run={run} />
      ))}
    </Section>
  )
}

function RunEntry({ of, run }: { of: Runs; run: RunState }): ReactElement {
  const isShown = useRuns(of, ({ shownRun }) => shownRun === run.id)
  const done = useJob(of.followJob, ({ running, progress }) =>
    running !== null && progress?.run === run.id && progress.total > 0 ? progress.done : null,
  )
  const particular = `${startText(run)}, ${run.place}`
  return (
    <button
      type="button"
      className={isShown ? 'entry-row selected' : 'entry-row'}
      aria-pressed={isShown}
      title={`${run.title}\n${particular}\n${run.folder}`}
      data-testid={`${of.id}-run-entry`}
      data-phase={run.phase}
      onClick={() => void of.show(run)}
    >
      <EntryName title={run.title} particular={particular} />
      <span className="number muted entry-figure">{wordOf(run, done)}</span>
    </button>
  )
}

function startText({ created }: RunState): string {
  const options = { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' } as const
  return new Date(created).toLocaleString('en-GB', options)
}

const words: Record<RunState['phase'], string> = {
  working: '',
  idle: '',
  unknown: '',
  stopped: 'stopped',
  done: 'done',
  ended: 'ended',
}

function wordOf({ phase, done, shards }: RunState, followed: number | null): string {
  const word = words[phase]
  return followed === null && word !== '' ? word : `${followed ?? done} of ${shards}`
}
