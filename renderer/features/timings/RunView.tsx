import { useMemo, useState, type ReactElement } from 'react'

import type { RunRow, RunState } from '../../../electron/contract/run-calls'
import { Button } from '../../shell/primitives/Button'
import { Elapsed, Progress } from '../../shell/primitives/Elapsed'
import { ErrorView } from '../../shell/primitives/ErrorView'
import { formatCount } from '../../shell/primitives/format'
import { useJob } from '../../store/job'
import { followJob, readJob, type Followed, type FollowProgress } from './follow-job'
import { ResultTable } from './ResultTable'
import { followRun, goesOn, leaveRun, removeRun, stopRun } from './spread'
import { useTimings } from './store'
import { SizeSweepSection } from './SweepSection'

/** One run: how far it is, why it waits, and the times of its points as they come. */
export function RunView(): ReactElement | null {
  const id = useTimings((state) => state.shownRun)
  const run = useTimings(({ runs, shownRun }) => runs.find((one) => one.id === shownRun))
  const { running, progress, value, error } = useJob(followJob, (state) => state)
  const read = useJob(readJob, (state) => state)
  if (id === null) return null
  const now = running !== null && progress?.run === id ? progress : null
  const last = value?.run === id ? { value, error } : read.value?.run === id ? read : null
  const ended = now === null ? (last?.value ?? null) : null
  return (
    <div data-testid="timings-run-view">
      <Head key={id} id={id} run={run} now={now} />
      {now && <Workers now={now} />}
      {now === null && run && <Phase run={run} />}
      {ended && last?.error && (
        <div className="panel-pad">
          <ErrorView error={last.error} testId="timings-run-error" />
        </div>
      )}
      <Times rows={now?.rows ?? ended?.rows ?? noRows} benchmarks={ended?.benchmarks ?? noNames} />
      {ended && <Missing ended={ended} />}
    </div>
  )
}

const noRows: RunRow[] = []
const noNames: string[] = []

type HeadProps = { id: string; run: RunState | undefined; now: FollowProgress | null }

function Head({ id, run, now }: HeadProps): ReactElement {
  const [asks, setAsks] = useState(false)
  const startedAt = useJob(followJob, (state) => state.startedAt)
  const isStopping = useJob(followJob, (state) => state.stopping)
  return (
    <div className="case-form">
      <div className="case-call">
        <span className="grow ellipsis">
          <strong className="mono">{run?.title ?? id}</strong>{' '}
          <span className="muted">{run?.place}</span>
        </span>
        {now && (
          <span className="running-work" role="status">
            <Progress done={now.done} steps={now.total} label="Run" />
            <span className="number" data-testid="timings-run-progress">
              {now.total > 0 && `${now.done} of ${now.total}, `}
              <Elapsed since={startedAt} calm />
            </span>
          </span>
        )}
        {now && (
          <Button
            icon="stop"
            disabled={isStopping}
            pressed={asks}
            onClick={() => setAsks(!asks)}
            testId="timings-run-stop"
          >
            Stop
          </Button>
        )}
        {!now && run && <Actions run={run} />}
      </div>
      {now && asks && <LeaveOrStop id={id} onDone={() => setAsks(false)} />}
    </div>
  )
}

/** The run is not of the window: it can go on without it. */
function LeaveOrStop({ id, onDone }: { id: string; onDone: () => void }): ReactElement {
  const answer = (act: () => Promise<void>): void => {
    onDone()
    void act()
  }
  return (
    <div className="case-call" role="group" aria-label="Leave the run, or stop it?">
      <span className="grow" role="alert">
        Leave the run, or stop it? A run that you leave goes on. The results of a stopped run stay.
      </span>
      <Button primary onClick={() => answer(leaveRun)} testId="timings-run-leave">
        Leave the run
      </Button>
      <Button onClick={() => answer(() => stopRun(id))} testId="timings-run-end">
        Stop the run
      </Button>
    </div>
  )
}

function Actions({ run }: { run: RunState }): ReactElement {
  const { id, phase } = run
  const isGoing = goesOn(run)
  return (
    <>
      {(isGoing || phase === 'idle') && (
        <Button
          primary
          icon="play"
          onClick={() => void followRun(id)}
          title={
            isGoing ? 'Shows results as they come' : 'Starts workers for the points that are left'
          }
          testId="timings-run-attach"
        >
          {isGoing ? 'Attach' : 'Go on'}
        </Button>
      )}
      {isGoing ? (
        <Button icon="stop" onClick={() => void stopRun(id)} testId="timings-run-end">
          Stop the run
        </Button>
      ) : (
        <Button icon="clear" onClick={() => void removeRun(id)} testId="timings-run-remove">
          Remove
        </Button>
      )}
    </>
  )
}

const mostNews = 4

/** The queue, and what happened to workers. */
function Workers({ now }: { now: FollowProgress }): ReactElement {
  const isStarting = now.rows.length === 0 && now.waiting === ''
  return (
    <div className="panel-pad muted" data-testid="timings-run-workers">
      {(isStarting || now.waiting !== '') && (
        <p role="status" data-testid="timings-run-waiting">
          <span className="spinner" /> {isStarting ? 'Waiting for the first point …' : now.waiting}
        </p>
      )}
      {now.news.slice(-mostNews).map((text, index) => (
        <p key={`${now.news.length} ${index}`}>{text}</p>
      ))}
    </div>
  )
}

function Phase({ run }: { run: RunState }): ReactElement {
  return (
    <p className="panel-pad muted" role="status" data-testid="timings-run-phase">
      {phaseText(run)}
    </p>
  )
}

function phaseText({ phase, openJobs, problem, done, failed, shards }: RunState): string {
  const far = `Points done: ${done} of ${shards}.`
  if (phase === 'working')
    return `The run goes on, with ${formatCount(openJobs, 'job')} in the queue or at work. ${far}`
  if (phase === 'idle') return `The run is not finished, and no job is left. ${far}`
  if (phase === 'unknown') return `The state of the run is not known: ${problem} ${far}`
  if (phase === 'stopped') return `The run was stopped. ${far}`
  return failed === 0 ? 'The run is done.' : `The run has ended. ${far}`
}

type TimesProps = { rows: readonly RunRow[]; benchmarks: readonly string[] }

/** Times of different hardware are in different tables. */
function Times({ rows, benchmarks }: TimesProps): ReactElement {
  const groups = useMemo(() => {
    const sorted = [...rows].sort((a, b) => a.shard - b.shard)
    const hardware = [...new Set(sorted.map((row) => row.hardware))]
    return hardware.map((name) => ({
      name,
      rows: sorted.filter((row) => row.hardware === name),
      nodeOf: new Map(sorted.map((row) => [row, row.node] as const)),
    }))
  }, [rows])
  return (
    <>
      {groups.map((group) => (
        <div key={group.name}>
          <ResultTable
            rows={group.rows}
            named={group.name}
            run={{ nodeOf: group.nodeOf, benchmarks }}
          />
          {benchmarks.length < 2 && <SizeSweepSection rows={group.rows} />}
        </div>
      ))}
      {groups.length > 1 && (
        <p className="panel-pad muted">
          The nodes differ, so there is a table for each kind. Do not compare times of different
          tables.
        </p>
      )}
    </>
  )
}

function Missing({ ended: { missing } }: { ended: Followed }): ReactElement | null {
  if (missing.length === 0) return null
  return (
    <ul className="timings-notes error panel-pad" data-testid="timings-run-missing">
      {missing.map((text) => (
        <li key={text} className="selectable">
          {text}
        </li>
      ))}
    </ul>
  )
}
