import { useState, type ReactElement, type ReactNode } from 'react'

import type { RunResults, RunState } from '../../../electron/contract/run-calls'
import { useJob } from '../../store/job'
import {
  goesOn,
  noResults,
  useRuns,
  type Followed,
  type FollowProgress,
  type Runs,
} from '../../store/runs'
import { Button } from './Button'
import { Elapsed, Progress } from './Elapsed'
import { ErrorView } from './ErrorView'
import { formatCount } from './format'

type Props = {
  of: Runs
  /** The results so far. @param benchmarks their names, [] while they are not known */
  children: (results: RunResults, benchmarks: readonly string[]) => ReactNode
}

/** One run: how far it is, why it waits, and its results as they come. */
export function RunView({ of, children }: Props): ReactElement | null {
  const id = useRuns(of, (state) => state.shownRun)
  const run = useRuns(of, ({ runs, shownRun }) => runs.find((one) => one.id === shownRun))
  const { running, progress, value, error } = useJob(of.followJob, (state) => state)
  const read = useJob(of.readJob, (state) => state)
  if (id === null) return null
  const now = running !== null && progress?.run === id ? progress : null
  const last = value?.run === id ? { value, error } : read.value?.run === id ? read : null
  const ended = now === null ? (last?.value ?? null) : null
  return (
    <div data-testid={`${of.id}-run-view`}>
      <Head key={id} of={of} id={id} run={run} now={now} />
      {now && <Workers of={of} now={now} />}
      {now === null && run && <Phase of={of} run={run} />}
      {ended && last?.error && (
        <div className="panel-pad">
          <ErrorView error={last.error} testId={`${of.id}-run-error`} />
        </div>
      )}
      {children(now?.results ?? ended?.results ?? noResults, ended?.benchmarks ?? noNames)}
      {ended && <Missing of={of} ended={ended} />}
    </div>
  )
}

const noNames: string[] = []

type HeadProps = { of: Runs; id: string; run: RunState | undefined; now: FollowProgress | null }

function Head({ of, id, run, now }: HeadProps): ReactElement {
  const [asks, setAsks] = useState(false)
  const startedAt = useJob(of.followJob, (state) => state.startedAt)
  const isStopping = useJob(of.followJob, (state) => state.stopping)
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
            <span className="number" data-testid={`${of.id}-run-progress`}>
              {now.total > 0 && `${now.done} of ${now.total}, `}
              <Elapsed since={startedAt} />
            </span>
          </span>
        )}
        {now && (
          <Button
            icon="stop"
            disabled={isStopping}
            pressed={asks}
            onClick={() => setAsks(!asks)}
            testId={`${of.id}-run-stop`}
          >
            Stop
          </Button>
        )}
        {!now && run && <Actions of={of} run={run} />}
        <Button
          icon="back"
          onClick={of.hide}
          title="Shows the fields again"
          testId={`${of.id}-run-back`}
        >
          Back
        </Button>
      </div>
      {now && asks && <LeaveOrStop of={of} id={id} onDone={() => setAsks(false)} />}
    </div>
  )
}

/** The run is not of the window: it can go on without it. */
function LeaveOrStop({
  of,
  id,
  onDone,
}: {
  of: Runs
  id: string
  onDone: () => void
}): ReactElement {
  const answer = (act: () => Promise<void>): void => {
    onDone()
    void act()
  }
  return (
    <div className="case-call" role="group" aria-label="Leave the run, or stop it?">
      <span className="grow" role="alert">
        Leave the run, or stop it? If you leave it, it goes on. If you stop it, Opsmith keeps the
        results so far.
      </span>
      <Button primary onClick={() => answer(of.leave)} testId={`${of.id}-run-leave`}>
        Leave the run
      </Button>
      <Button onClick={() => answer(() => of.stop(id))} testId={`${of.id}-run-end`}>
        Stop the run
      </Button>
    </div>
  )
}

function Actions({ of, run }: { of: Runs; run: RunState }): ReactElement {
  const { id, phase } = run
  const isGoing = goesOn(run)
  return (
    <>
      {(isGoing || phase === 'idle') && (
        <Button
          primary
          icon="play"
          onClick={() => void of.follow(id)}
          title={
            isGoing
              ? 'Shows results as they come'
              : `Starts workers for the ${of.parts.toLowerCase()} that are left`
          }
          testId={`${of.id}-run-attach`}
        >
          {isGoing ? 'Attach' : 'Go on'}
        </Button>
      )}
      {isGoing ? (
        <Button icon="stop" onClick={() => void of.stop(id)} testId={`${of.id}-run-end`}>
          Stop the run
        </Button>
      ) : (
        <Button icon="clear" onClick={() => void of.remove(id)} testId={`${of.id}-run-remove`}>
          Remove
        </Button>
      )}
    </>
  )
}

const mostNews = 4

/** The queue, and what happened to workers. */
function Workers({ of, now }: { of: Runs; now: FollowProgress }): ReactElement {
  const isStarting = now.done === 0 && now.waiting === ''
  return (
    <div className="panel-pad muted" data-testid={`${of.id}-run-workers`}>
      {(isStarting || now.waiting !== '') && (
        <p role="status" data-testid={`${of.id}-run-waiting`}>
          <span className="spinner" /> {isStarting ? 'Waiting for the first result …' : now.waiting}
        </p>
      )}
      {now.news.slice(-mostNews).map((text, index) => (
        <p key={`${now.news.length} ${index}`}>{text}</p>
      ))}
    </div>
  )
}

function Phase({ of, run }: { of: Runs; run: RunState }): ReactElement {
  return (
    <p className="panel-pad muted" role="status" data-testid={`${of.id}-run-phase`}>
      {phaseText(of, run)}
    </p>
  )
}

function phaseText(
  { parts }: Runs,
  { phase, openJobs, problem, done, failed, shards }: RunState,
): string {
  const far = `${parts} done: ${done} of ${shards}.`
  if (phase === 'working')
    return `The run goes on, with ${formatCount(openJobs, 'job')} queued or running. ${far}`
  if (phase === 'idle')
    return `The run is not finished, but no job is queued or running. To continue, choose “Go on”. ${far}`
  if (phase === 'unknown') return `The state of the run is not known: ${problem} ${far}`
  if (phase === 'stopped') return `The run was stopped. ${far}`
  return failed === 0 ? 'The run is done.' : `The run has ended. ${far}`
}

function Missing({ of, ended: { missing } }: { of: Runs; ended: Followed }): ReactElement | null {
  if (missing.length === 0) return null
  return (
    <ul className="note-list error panel-pad" data-testid={`${of.id}-run-missing`}>
      {missing.map((text) => (
        <li key={text} className="selectable">
          {text}
        </li>
      ))}
    </ul>
  )
}
