import { useEffect, type ReactElement } from 'react'

import type { WorkbenchError } from '../../../electron/contract/outcome'
import { Button } from '../../shell/primitives/Button'
import { CommandMenu } from '../../shell/primitives/CommandMenu'
import { EmptyState } from '../../shell/primitives/EmptyState'
import { EnlargeButton } from '../../shell/primitives/EnlargeButton'
import { ErrorView } from '../../shell/primitives/ErrorView'
import { formatSeconds } from '../../shell/primitives/format'
import { Icon } from '../../shell/primitives/Icon'
import { NeedsBuild } from '../../shell/primitives/NeedsBuild'
import { RunFields } from '../../shell/primitives/RunFields'
import { RunView } from '../../shell/primitives/RunView'
import { StaleBar } from '../../shell/primitives/StaleBar'
import { UncalledCuda } from '../../shell/primitives/UncalledCuda'
import { useJob } from '../../store/job'
import { historyJob, timingJob } from './jobs'
import { shownTimingRows, useChosenRow, useIsTiming, useShownJob, useWaiting } from './shown'
import { askedKey, useTimings } from './store'
import { timingInputs, listedBenchmarks } from './draft'
import { loadBuilds, loadHistory } from './run'
import { runCommand, shortcutOf } from '../../store/commands'
import { useInputs, useInputSpecs } from '../../store/inputs'
import { showPanel } from '../../store/layout'
import { useProject } from '../../store/project'
import { useSchemas } from '../../store/schemas'
import { changeSettings, useSettings } from '../../store/settings'
import { useStaleness } from '../../store/staleness'
import { TimingCase } from './TimingCase'
import { TimingList } from './TimingList'
import { CostSection } from './CostSection'
import { DeviceSection } from './DeviceSection'
import { TimeHistorySection } from './HistorySection'
import { machineText, ResultTable } from './ResultTable'
import { timingRuns } from './runs'
import { RunTimes } from './RunTimes'
import { RooflineSection } from './RooflineSection'
import { SamplesSection } from './SamplesSection'
import { measure, measureAll } from './spread'
import { SizeSweepSection } from './SweepSection'
import { timeText } from './time-units'

export function TimingsPanel(): ReactElement {
  const isLoaded = useSchemas((state) => state.load !== null)
  const hasRows = useShownJob((state) => shownTimingRows(state).length > 0)
  useEffect(() => {
    if (isLoaded) void loadBuilds()
  }, [isLoaded])
  const isRun = useTimings((state) => state.view === 'run')
  if (!isLoaded && !hasRows && !isRun) {
    return (
      <NeedsBuild
        icon="clock"
        text="Measures operators, forward and backward, and compares them with a reference, another operator or an earlier build. Build first."
      />
    )
  }
  return (
    <div className="panel-column split-panel timings-panel" data-testid="timings-panel">
      <div className="panel-bar split-bar">
        <OnBuild />
        <Headline />
        <Waiting />
        <PanelMenu />
        <EnlargeButton panel="timings" />
      </div>
      <Uncalled />
      <div className="split-body">
        <TimingList />
        <Main />
      </div>
    </div>
  )
}

/** Of what is measured, or of the whole project. */
function Uncalled(): ReactElement {
  const op = useTimings(({ view, draft }) => (view === 'one' ? draft.op : ''))
  return op === '' ? <UncalledCuda /> : <UncalledCuda op={op} />
}

function OnBuild(): ReactElement {
  const onBuild = useSettings((settings) => settings.timeOnBuild)
  return (
    <label className="check" title="After each good build, measures again what this panel shows">
      <input
        type="checkbox"
        checked={onBuild}
        data-testid="timings-on-build"
        onChange={(event) => void changeSettings({ timeOnBuild: event.target.checked })}
      />
      measure after each build
    </label>
  )
}

/** The time that is looked at closely, which no scrolling hides; of all benchmarks there is a table below. */
function Headline(): ReactElement | null {
  const view = useTimings((state) => state.view)
  const row = useChosenRow()
  if (view !== 'one' || !row?.summary) return null
  return (
    <span className="timings-headline" data-testid="timings-headline">
      <span className="muted">{row.direction}</span>{' '}
      <strong className="number">{timeText(row.summary.median)}</strong>
    </span>
  )
}

/** Why nothing is measured yet: what the workbench does by itself would be in the times. */
function Waiting(): ReactElement {
  const waiting = useWaiting()
  return (
    <span
      className="grow muted timings-waiting"
      role="status"
      title={waiting}
      data-testid="timings-waiting"
    >
      {waiting !== '' && (
        <>
          <span className="spinner" /> waits: {waiting}
        </>
      )}
    </span>
  )
}

function PanelMenu(): ReactElement {
  // What can be done depends on these.
  useTimings((state) => state.draft.op === '')
  useIsTiming()
  return (
    <CommandMenu
      name="Timings"
      testId="timings-menu"
      sections={[
        ['timing.run', 'timing.all', 'timing.stop'],
        ['timing.keep', 'timing.onBuild'],
      ]}
    />
  )
}

/** Where *Measure all* measures. */
function AllPlace(): ReactElement | null {
  const isEmpty = useProject(({ project }) => listedBenchmarks(project?.manifest).length === 0)
  if (isEmpty) return null
  return (
    <div className="case-form">
      <div className="case-options">
        <RunFields of={timingRuns} />
      </div>
    </div>
  )
}

function Main(): ReactElement {
  const view = useTimings((state) => state.view)
  return (
    <div className="split-main scroll">
      {view === 'one' && <TimingCase />}
      {view === 'all' && <AllPlace />}
      {view === 'run' ? (
        <RunView of={timingRuns}>
          {({ rows }, benchmarks) => <RunTimes rows={rows} benchmarks={benchmarks} />}
        </RunView>
      ) : (
        <Result />
      )}
    </div>
  )
}

function Result(): ReactElement {
  const view = useTimings((state) => state.view)
  const { value: known, error, running, progress } = useShownJob((state) => state)
  const rows = useShownJob(shownTimingRows)
  const row = useChosenRow()
  const isRunning = running !== null
  const hasNewRows = isRunning && (progress?.rows.length ?? 0) > 0
  const staleness = useStaleness(hasNewRows ? null : (known?.stamp ?? null), 'run')
  const dtype = useDtype()
  const report = known?.report ?? undefined
  const isOther = useIsOther()
  const isOld = staleness === 'older' || isOther
  return (
    <>
      {!isRunning && (
        <StaleBar
          staleness={staleness}
          stamp={known?.stamp ?? null}
          again={{ label: 'Measure', command: view === 'all' ? 'timing.all' : 'timing.run' }}
        />
      )}
      {isOther && <OtherFields />}
      {error && <Failure error={error} />}
      {rows.length === 0 && !error && <Nothing />}
      {rows.length > 0 && (
        <div
          className={
            isOld && !isRunning ? 'stale' : isRunning && !hasNewRows ? 'still-working' : ''
          }
        >
          {known?.isStopped === true && !isRunning && (
            <p className="panel-pad muted">The measurement was stopped. These rows are complete.</p>
          )}
          {view === 'one' && <SizeSweepSection rows={rows} />}
          <ResultTable rows={rows} named={report ? machineText(report.machine) : ''} />
          {view === 'one' && <RooflineSection rows={rows} report={report} dtype={dtype} />}
          {row && (
            <>
              <SamplesSection row={row} />
              <DeviceSection row={row} devices={report?.devices ?? []} />
              <CostSection row={row} machine={report?.machine} />
              {view === 'one' && <History />}
            </>
          )}
          {report && !isRunning && (
            <p className="panel-pad muted">Measured in {formatSeconds(report.seconds)}.</p>
          )}
        </div>
      )}
    </>
  )
}

/** Whether what is shown was measured before the fields above said what they say. */
function useIsOther(): boolean {
  useInputSpecs()
  useInputs((state) => state.device)
  const isTiming = useIsTiming()
  const timed = useJob(timingJob, (state) => state.value)
  return useTimings(
    ({ view, draft }) =>
      view === 'one' && !isTiming && timed !== null && timed.asked !== askedKey(draft),
  )
}

function OtherFields(): ReactElement {
  return (
    <div className="stale-bar" role="status" data-testid="timings-other-fields">
      <Icon name="history" />
      <span className="grow">These results are for different settings.</span>
      <button type="button" className="link" onClick={() => void measure()}>
        Measure
      </button>
    </div>
  )
}

/** Of the first floating input: what the arithmetic is done in where no dtype is swept. */
function useDtype(): string {
  const draft = useTimings((state) => state.draft)
  const specs = useInputSpecs()
  const floating = timingInputs(draft, specs).find(([, spec]) => /float|complex/.test(spec.dtype))
  return floating?.[1].dtype ?? 'float32'
}

function History(): ReactElement | null {
  const row = useChosenRow()
  const isTiming = useIsTiming()
  const isDone = useJob(timingJob, (state) => state.value !== null) && !isTiming
  useEffect(() => {
    if (isDone && (historyJob.store.getState().value ?? []).length === 0) void loadHistory()
  }, [isDone, row])
  return row ? <TimeHistorySection row={row} /> : null
}

function Failure({ error }: { error: WorkbenchError }): ReactElement {
  const view = useTimings((state) => state.view)
  return (
    <div className="panel-pad">
      <ErrorView error={error} testId="timings-error">
        {error.exit && <Button onClick={() => showPanel('host-output')}>Show the crash</Button>}
        {(error.code === 'build.required' || error.code === 'library.load') && (
          <Button icon="play" onClick={() => runCommand('build.run')}>
            Build
          </Button>
        )}
        <Button icon="refresh" onClick={() => void (view === 'all' ? measureAll() : measure())}>
          Measure again
        </Button>
      </ErrorView>
    </div>
  )
}

function Nothing(): ReactElement {
  const view = useTimings((state) => state.view)
  const isRunning = useShownJob((state) => state.running !== null)
  const waiting = useWaiting()
  const op = useTimings((state) => state.draft.op)
  const count = useProject((state) => listedBenchmarks(state.project?.manifest).length)
  const isKept = useProject((state) => (state.project?.manifest?.benchmarks.length ?? 0) > 0)
  if (isRunning) {
    return (
      <p className="panel-pad muted" role="status">
        <span className="spinner" /> {waiting === '' ? 'warming up …' : `waits: ${waiting}`}
      </p>
    )
  }
  if (view === 'one') {
    return op === '' ? (
      <EmptyState text="Choose an operator or a function to measure." quiet />
    ) : (
      <EmptyState
        text="After a measurement, this panel shows the median, the spread and the samples of each call, and the comparisons."
        quiet
      />
    )
  }
  if (count === 0) {
    return <EmptyState text="Choose an operator or a function to measure." quiet />
  }
  return (
    <EmptyState
      icon="clock"
      text={
        isKept
          ? 'Measures all benchmarks of opsmith.json and their references, and shows them in one table.'
          : 'opsmith.json has no benchmarks. “Measure all” measures the forward of each call in opsmith.json. To measure the backward or other sizes, choose a call.'
      }
    >
      <Button primary icon="play" onClick={() => void measureAll()} testId="timings-measure-all">
        Measure all <kbd>{shortcutOf('timing.all')}</kbd>
      </Button>
    </EmptyState>
  )
}
