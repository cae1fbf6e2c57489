import { useEffect, type ReactElement } from 'react'

import type { RunState } from '../../../electron/contract/run-calls'
import { EntryName } from '../../shell/primitives/EntryName'
import { Section } from '../../shell/primitives/Section'
import { useJob } from '../../store/job'
import { followJob } from './follow-job'
import { loadRuns, showRun } from './spread'
import { useTimings } from './store'

/** The runs of this project, the newest first: to look at, or to attach to. */
export function RunList(): ReactElement | null {
  const runs = useTimings((state) => state.runs)
  useEffect(() => void loadRuns(), [])
  if (runs.length === 0) return null
  return (
    <Section title="Runs" note={String(runs.length)}>
      {runs.map((run) => (
        <RunEntry key={run.id} run={run} />
      ))}
    </Section>
  )
}

function RunEntry({ run }: { run: RunState }): ReactElement {
  const isShown = useTimings(({ view, shownRun }) => view === 'run' && shownRun === run.id)
  const done = useJob(followJob, ({ running, progress }) =>
    running !== null && progress?.run === run.id && progress.total > 0 ? progress.done : null,
  )
  const particular = `${startText(run)}, ${run.place}`
  return (
    <button
      type="button"
      className={isShown ? 'entry-row selected' : 'entry-row'}
      aria-pressed={isShown}
      title={`${run.title}\n${particular}\n${run.folder}`}
      data-testid="timings-run-entry"
      data-phase={run.phase}
      onClick={() => void showRun(run)}
    >
      <EntryName title={run.title} particular={particular} />
      <span className="number muted timings-row-time">{wordOf(run, done)}</span>
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
