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
import { StaleBar } from '../../shell/primitives/StaleBar'
import { askedKey, benchStore, chosenRow, shownRows, useBench } from './bench'
import { benchInputs, listedBenchmarks } from './bench-case'
import { loadBuilds, loadHistory, runAllBenches, runBench } from './bench-run'
import { runCommand, shortcutOf } from '../../store/commands'
import { useStaleness } from '../../store/files'
import { useInputs, useInputSpecs } from '../../store/inputs'
import { showPanel } from '../../store/layout'
import { useProject } from '../../store/project'
import { useSchemas } from '../../store/schemas'
import { changeSettings, useSettings } from '../../store/settings'
import { BenchCase } from './BenchCase'
import { BenchList } from './BenchList'
import { CostSection } from './CostSection'
import { DeviceSection } from './DeviceSection'
import { HistorySection } from './HistorySection'
import { ResultTable } from './ResultTable'
import { RooflineSection } from './RooflineSection'
import { SamplesSection } from './SamplesSection'
import { SweepSection } from './SweepSection'

export function TimingsPanel(): ReactElement {
  const isLoaded = useSchemas((state) => state.load !== null)
  const hasRows = useBench((state) => shownRows(state).length > 0)
  useEffect(() => {
    if (isLoaded) void loadBuilds()
  }, [isLoaded])
  if (!isLoaded && !hasRows) {
    return (
      <NeedsBuild
        icon="clock"
        text="Measures operators, forward and backward, beside a reference, another operator or an earlier build. Build first."
      />
    )
  }
  return (
    <div className="panel-column split-panel timings-panel" data-testid="timings-panel">
      <div className="panel-bar split-bar">
        <OnBuild />
        <Waiting />
        <PanelMenu />
        <EnlargeButton panel="timings" />
      </div>
      <div className="split-body">
        <BenchList />
        <Main />
      </div>
    </div>
  )
}

function OnBuild(): ReactElement {
  const onBuild = useSettings((settings) => settings.benchOnBuild)
  return (
    <label className="check" title="What is shown here is measured again after each good build">
      <input
        type="checkbox"
        checked={onBuild}
        data-testid="timings-on-build"
        onChange={(event) => void changeSettings({ benchOnBuild: event.target.checked })}
      />
      on build
    </label>
  )
}

/** Why nothing is measured yet: what the workbench does by itself would be in the times. */
function Waiting(): ReactElement {
  const waiting = useBench((state) => state.work?.waiting ?? '')
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
  useBench((state) => `${state.draft.op === ''} ${state.work === null}`)
  return (
    <CommandMenu
      name="Timings"
      testId="timings-menu"
      sections={[
        ['bench.run', 'bench.all', 'bench.stop'],
        ['bench.keep', 'bench.onBuild'],
      ]}
    />
  )
}

function Main(): ReactElement {
  const view = useBench((state) => state.view)
  return (
    <div className="split-main scroll">
      {view === 'one' && <BenchCase />}
      <Result />
    </div>
  )
}

function Result(): ReactElement {
  const view = useBench((state) => state.view)
  const rows = useBench(shownRows)
  const known = useBench((state) => (view === 'all' ? state.all : state.one))
  const error = useBench((state) => (view === 'all' ? state.allError : state.oneError))
  const work = useBench((state) => (state.work?.of === view ? state.work : null))
  const row = useBench(chosenRow)
  const staleness = useStaleness(
    work && work.rows.length > 0 ? null : (known?.stamp ?? null),
    'run',
  )
  const dtype = useDtype()
  const report = known?.report ?? undefined
  const isOther = useIsOther()
  const isOld = staleness === 'older' || isOther
  return (
    <>
      {work === null && <StaleBar staleness={staleness} />}
      {isOther && <OtherFields />}
      {error && <Failure error={error} />}
      {rows.length === 0 && !error && <Nothing />}
      {rows.length > 0 && (
        <div
          className={
            isOld && work === null ? 'stale' : work && work.rows.length === 0 ? 'still-working' : ''
          }
        >
          {known?.isStopped === true && work === null && (
            <p className="panel-pad muted">Stopped before its end: these rows were done.</p>
          )}
          {view === 'one' && <SweepSection rows={rows} />}
          <ResultTable rows={rows} machine={report?.machine} />
          {view === 'one' && <RooflineSection rows={rows} report={report} dtype={dtype} />}
          {row && (
            <>
              <SamplesSection row={row} />
              <DeviceSection row={row} devices={report?.devices ?? []} />
              <CostSection row={row} machine={report?.machine} />
              {view === 'one' && <History />}
            </>
          )}
          {report && work === null && (
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
  return useBench(
    ({ view, one, work, draft }) =>
      view === 'one' && work === null && one !== null && one.asked !== askedKey(draft),
  )
}

function OtherFields(): ReactElement {
  return (
    <div className="stale-bar" role="status" data-testid="timings-other-fields">
      <Icon name="history" />
      <span className="grow">Measured with other fields than those above.</span>
      <button type="button" className="link" onClick={() => void runBench()}>
        Measure
      </button>
    </div>
  )
}

/** Of the first floating input: what the arithmetic is done in where no dtype is swept. */
function useDtype(): string {
  const draft = useBench((state) => state.draft)
  const specs = useInputSpecs()
  const floating = benchInputs(draft, specs).find(([, spec]) => /float|complex/.test(spec.dtype))
  return floating?.[1].dtype ?? 'float32'
}

function History(): ReactElement | null {
  const row = useBench(chosenRow)
  const isDone = useBench((state) => state.work === null && state.one !== null)
  useEffect(() => {
    if (isDone && benchStore.getState().history.length === 0) void loadHistory()
  }, [isDone, row])
  return row ? <HistorySection row={row} /> : null
}

function Failure({ error }: { error: WorkbenchError }): ReactElement {
  const view = useBench((state) => state.view)
  return (
    <div className="panel-pad">
      <ErrorView error={error} testId="timings-error">
        {error.exit && <Button onClick={() => showPanel('host-output')}>Show the crash</Button>}
        {(error.code === 'build.required' || error.code === 'library.load') && (
          <Button icon="play" onClick={() => runCommand('build.run')}>
            Build
          </Button>
        )}
        <Button icon="refresh" onClick={() => void (view === 'all' ? runAllBenches() : runBench())}>
          Measure again
        </Button>
      </ErrorView>
    </div>
  )
}

function Nothing(): ReactElement {
  const view = useBench((state) => state.view)
  const working = useBench((state) => (state.work?.of === state.view ? state.work : null))
  const op = useBench((state) => state.draft.op)
  const count = useProject((state) => listedBenchmarks(state.project?.manifest).length)
  const isKept = useProject((state) => (state.project?.manifest?.benchmarks.length ?? 0) > 0)
  if (working) {
    return (
      <p className="panel-pad muted" role="status">
        <span className="spinner" />{' '}
        {working.waiting === '' ? 'warming up …' : `waits: ${working.waiting}`}
      </p>
    )
  }
  if (view === 'one') {
    return op === '' ? (
      <EmptyState text="Choose what to measure." quiet />
    ) : (
      <EmptyState
        text="Median, spread and samples of each call come here, and how it compares."
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
          ? 'Every benchmark of opsmith.json beside what it is compared with, in one table.'
          : 'opsmith.json has no benchmarks: the forward of each of its calls is measured. Choose one to measure more of it.'
      }
    >
      <Button primary icon="play" onClick={() => void runAllBenches()} testId="timings-measure-all">
        Measure all <kbd>{shortcutOf('bench.all')}</kbd>
      </Button>
    </EmptyState>
  )
}
