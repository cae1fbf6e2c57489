import type { ReactElement } from 'react'

import { Button } from '../../shell/primitives/Button'
import { CommandMenu } from '../../shell/primitives/CommandMenu'
import { Details as Log, ErrorView } from '../../shell/primitives/ErrorView'
import { EmptyState } from '../../shell/primitives/EmptyState'
import { EnlargeButton } from '../../shell/primitives/EnlargeButton'
import { formatSeconds } from '../../shell/primitives/format'
import { MainAction } from '../../shell/primitives/MainAction'
import { NeedsBuild } from '../../shell/primitives/NeedsBuild'
import { Segmented } from '../../shell/primitives/Segmented'
import { StaleBar } from '../../shell/primitives/StaleBar'
import { earlierTime } from '../../store/files'
import { useJob } from '../../store/job'
import { useSchemas } from '../../store/schemas'
import { pytestJob, runFailedTests, runTests, type EndedRun } from './job'
import { RecordedCalls } from './RecordedCalls'
import { isBad, setAfterBuild, setRecordsCalls, showView, usePytest } from './store'
import { TestDetails } from './TestDetails'
import { TestTree } from './TestTree'

/** The repository's own tests, run on the library that is built here. */
export function PytestPanel(): ReactElement {
  const isLoaded = useSchemas((state) => state.load !== null)
  const hasTests = usePytest(({ tests }) => Object.keys(tests).length > 0)
  if (!isLoaded && !hasTests) {
    return (
      <NeedsBuild
        icon="flask"
        text="Runs this repository's own tests with pytest. The tests use the library that Opsmith built. Build first."
      />
    )
  }
  return (
    <div className="panel-column split-panel" data-testid="pytest-panel">
      <Bar />
      <Failure />
      <Earlier />
      {hasTests ? <Body /> : <Nothing />}
    </div>
  )
}

function Bar(): ReactElement {
  const job = useJob(pytestJob, (state) => state)
  const failed = usePytest(({ tests }) => Object.values(tests).filter(isBad).length)
  return (
    <>
      <div className="panel-bar split-bar pytest-bar">
        <AfterBuildSwitch />
        <RecordSwitch />
        <span className="grow" />
        <PanelMenu />
        <EnlargeButton panel="pytest" />
      </div>
      <div className="panel-bar split-bar pytest-bar">
        <ViewSwitch />
        <span className="grow" />
        {failed > 0 && job.running === null && (
          <Button onClick={() => void runFailedTests()} testId="pytest-run-failed">
            Run {failed} failed
          </Button>
        )}
        <MainAction
          text="Run all"
          title="Runs all tests that pytest finds"
          command="pytest.all"
          job={job}
          steps={job.progress}
          onStart={() => void runTests()}
          onStop={() => void pytestJob.stop()}
          testId="pytest-run-all"
          stopTestId="pytest-stop"
        />
      </div>
    </>
  )
}

function AfterBuildSwitch(): ReactElement {
  const afterBuild = usePytest((state) => state.afterBuild)
  return (
    <label className="check" title="Runs all tests after each good build">
      <input
        type="checkbox"
        checked={afterBuild}
        data-testid="pytest-after-build"
        onChange={(event) => setAfterBuild(event.target.checked)}
      />
      after each build
    </label>
  )
}

function RecordSwitch(): ReactElement {
  const recordsCalls = usePytest((state) => state.recordsCalls)
  return (
    <label
      className="check"
      title="Records the calls that the tests make to this project's operators. You can add the calls to opsmith.json."
    >
      <input
        type="checkbox"
        checked={recordsCalls}
        data-testid="pytest-record"
        onChange={(event) => setRecordsCalls(event.target.checked)}
      />
      record calls
    </label>
  )
}

function ViewSwitch(): ReactElement | null {
  const view = usePytest((state) => state.view)
  const calls = usePytest((state) => state.calls)
  if (calls === null) return null
  return (
    <Segmented
      label="View"
      value={view}
      options={[
        { value: 'tests', label: 'Tests', testId: 'pytest-view-tests' },
        { value: 'calls', label: `Calls ${calls.length}`, testId: 'pytest-view-calls' },
      ]}
      onChange={showView}
    />
  )
}

function PanelMenu(): ReactElement {
  // What can be done depends on these.
  usePytest(({ chosen, tests }) => `${chosen === null} ${Object.values(tests).some(isBad)}`)
  useJob(pytestJob, (state) => state.running === null)
  return (
    <CommandMenu
      name="Pytest"
      testId="pytest-menu"
      sections={[
        ['pytest.all', 'pytest.chosen', 'pytest.failed', 'pytest.list', 'pytest.stop'],
        ['pytest.record', 'pytest.afterBuild'],
      ]}
    />
  )
}

function Failure(): ReactElement | null {
  const error = useJob(pytestJob, (state) => state.error)
  if (!error) return null
  return (
    <div className="panel-pad">
      <ErrorView error={error} testId="pytest-error" />
    </div>
  )
}

function Nothing(): ReactElement {
  const isRunning = useJob(pytestJob, (state) => state.running !== null)
  if (isRunning) return <EmptyState text="Waiting for pytest to find the tests …" quiet />
  return (
    <EmptyState
      icon="flask"
      text="Run all tests, or list them first. The tests use the library that Opsmith built instead of the installed library."
    />
  )
}

const again = { label: 'Run all', command: 'pytest.all' }

/** Says that the tests below are of an earlier session, and offers to run them again. */
function Earlier(): ReactElement | null {
  const stamp = useJob(pytestJob, (state) => state.stamp)
  const isRunning = useJob(pytestJob, (state) => state.running !== null)
  if (isRunning || earlierTime(stamp) === null) return null
  return <StaleBar staleness="older" stamp={stamp} again={again} />
}

function Body(): ReactElement {
  const run = useJob(pytestJob, (state) => state.value)
  const isRunning = useJob(pytestJob, (state) => state.running !== null)
  const calls = usePytest((state) => (state.view === 'calls' ? state.calls : null))
  if (calls !== null && !isRunning) return <RecordedCalls calls={calls} />
  return (
    <div className="split-body">
      <div className="split-list scroll" data-testid="pytest-list">
        {run && !isRunning && <Summary run={run} />}
        <TestTree />
      </div>
      <div className="split-main scroll">
        <TestDetails />
      </div>
    </div>
  )
}

/** Where the last run was made, and what its tests got: nobody shall believe that they tested an installed library. */
function Summary({ run }: { run: EndedRun }): ReactElement {
  const { python, pytest, torch, replaced, seconds, ended, log, onlyList } = run
  const place = `${python}: pytest ${pytest}, torch ${torch}`
  return (
    <div className="pytest-summary" data-testid="pytest-summary">
      {ended !== '' && <p className="tone-error selectable">{ended}</p>}
      {!onlyList && replaced.length === 0 && (
        <p className="tone-warning">
          No test imported a Python module of the library. If the tests import the library under
          another name, add this name to “pythonModules” in opsmith.json.
        </p>
      )}
      <p className="muted" title={`${place}\n${replaced.join('\n')}`}>
        {formatSeconds(seconds)} with pytest {pytest}
        {replaced.length > 0 && `; modules built by Opsmith: ${replaced.join(', ')}`}
      </p>
      <Log text={`${place}\n\n${log}`} label="Output of pytest" />
    </div>
  )
}
