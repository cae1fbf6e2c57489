import { useEffect, type ReactElement } from 'react'

import type { CheckedReport } from '../../../electron/contract/gradcheck'
import { Button } from '../../shell/primitives/Button'
import { EmptyState } from '../../shell/primitives/EmptyState'
import { ErrorView } from '../../shell/primitives/ErrorView'
import { formatCount, formatNumber, formatSeconds } from '../../shell/primitives/format'
import { Icon } from '../../shell/primitives/Icon'
import { NeedsBuild } from '../../shell/primitives/NeedsBuild'
import { RunView } from '../../shell/primitives/RunView'
import { StaleBar } from '../../shell/primitives/StaleBar'
import { Waiting } from '../../shell/primitives/Waiting'
import { useLasting } from '../../shell/primitives/lasting'
import { runCommand } from '../../store/commands'
import { gradcheckStore, useGradcheck } from './store'
import { keepCase } from './keep'
import { unexpected } from './problems'
import { allGradchecksJob, gradcheckJob, stopGradchecks } from './jobs'
import { chooseEntry, chooseOther, runGradcheck } from './run'
import { useHost } from '../../store/host'
import { useJob } from '../../store/job'
import { showPanel } from '../../store/layout'
import { currentManifest, useProject } from '../../store/project'
import { useRuns } from '../../store/runs'
import { useSchemas } from '../../store/schemas'
import { useStaleness } from '../../store/staleness'
import { CaseEditor } from './CaseEditor'
import { CheckList } from './CheckList'
import { changeText } from './finding-names'
import { Findings } from './Findings'
import { GradcheckBar } from './GradcheckBar'
import { ErrorHistorySection } from './HistorySection'
import { JacobianSection } from './JacobianView'
import { GradcheckRunResults } from './RunResults'
import { gradcheckRuns } from './runs'
import { SearchSection } from './SearchSection'
import { EpsSweepSection } from './SweepSection'

const again = { label: 'Check', command: 'gradcheck.run' }

export function GradcheckPanel(): ReactElement {
  const hasChecks = useProject((state) => (state.project?.manifest?.gradchecks.length ?? 0) > 0)
  const isLoaded = useSchemas((state) => state.load !== null)
  const isRun = useRuns(gradcheckRuns, (state) => state.shownRun !== null)
  useFirstChoice(isLoaded && !isRun)
  if (!isLoaded && !hasChecks && !isRun) {
    return (
      <NeedsBuild
        icon="target"
        text="Compares gradients with finite differences, element by element, and names probable causes of wrong gradients. Build first."
      />
    )
  }
  return (
    <div className="panel-column split-panel" data-testid="gradcheck-panel">
      <GradcheckBar />
      <div className="split-body">
        <CheckList />
        <div className="split-main scroll" data-testid="gradcheck-main">
          {isRun ? (
            <RunView of={gradcheckRuns}>
              {(results) => <GradcheckRunResults results={results} />}
            </RunView>
          ) : (
            <>
              <CaseEditor />
              <Result />
            </>
          )}
        </div>
      </div>
    </div>
  )
}

/** Something sensible to look at: the first check that fails against expectation, else the first. */
function useFirstChoice(isReady: boolean): void {
  const checking = useJob(allGradchecksJob, (state) => state.running !== null)
  useEffect(() => {
    const { draft, outcomes } = gradcheckStore.getState()
    if (!isReady || checking) return
    if (draft.op !== '') {
      // The fields are as they were in an earlier session, whose result was not kept.
      const { value, error, running } = gradcheckJob.store.getState()
      if (value === null && error === null && running === null) void runGradcheck()
      return
    }
    const manifest = currentManifest()
    if ((manifest?.gradchecks.length ?? 0) > 0) {
      chooseEntry(unexpected(outcomes)[0]?.entry ?? 0)
      return
    }
    const call = manifest?.calls[0]
    if (call) chooseOther(call.op)
  }, [isReady, checking])
}

function Result(): ReactElement | null {
  const report = useJob(gradcheckJob, (state) => state.value?.report)
  const error = useJob(gradcheckJob, (state) => state.error)
  const stamp = useJob(gradcheckJob, (state) => state.stamp)
  const isWorking = useJob(gradcheckJob, (state) => state.running !== null)
  const lasts = useLasting(isWorking)
  const op = useGradcheck((state) => state.draft.op)
  const staleness = useStaleness(stamp, 'run')
  if (op === '') return <EmptyState text="Choose an operator or a function to check." quiet />
  const isStale = staleness === 'older'
  return (
    <>
      {!lasts && <StaleBar staleness={staleness} stamp={stamp} again={again} />}
      <div className={isStale ? 'stale' : lasts ? 'still-working' : ''}>
        {error && (
          <div className="panel-pad">
            <ErrorView error={error} testId="gradcheck-error">
              {error.exit && (
                <Button onClick={() => showPanel('host-output')}>Show the crash</Button>
              )}
              {(error.code === 'build.required' || error.code === 'library.load') && (
                <Button icon="play" onClick={() => runCommand('build.run')}>
                  Build
                </Button>
              )}
              <Button icon="refresh" onClick={() => void runGradcheck()}>
                Check again
              </Button>
            </ErrorView>
          </div>
        )}
        {report && (
          <>
            <Verdict report={report} />
            <Findings report={report} />
            <Jacobians report={report} />
          </>
        )}
        {!report && !error && (
          <Waiting
            working={isWorking}
            onCheck={() => void runGradcheck()}
            onStop={() => void stopGradchecks()}
          />
        )}
      </div>
      {!error && (
        <>
          <EpsSweepSection />
          <ErrorHistorySection />
          <SearchSection />
        </>
      )}
    </>
  )
}

function Verdict({ report }: { report: CheckedReport }): ReactElement {
  const entry = useGradcheck((state) => state.entry)
  const expected = useProject((state) =>
    entry === null ? null : (state.project?.manifest?.gradchecks[entry]?.expect ?? 'passed'),
  )
  const verdict = report.ok ? 'passed' : 'failed'
  const change = changeText(report)
  const isKept = entry !== null
  return (
    <div
      className={report.ok ? 'verdict-bar good' : 'verdict-bar bad'}
      role="status"
      data-testid="gradcheck-verdict"
      data-verdict={verdict}
    >
      <span className={report.ok ? 'tone-ok verdict-word' : 'tone-error verdict-word'}>
        <Icon name={report.ok ? 'check' : 'error'} />
        <strong>{report.ok ? 'Passed' : 'Failed'}</strong>
      </span>
      {expected !== null && expected !== verdict && (
        <strong>but expected to {expected === 'passed' ? 'pass' : 'fail'}</strong>
      )}
      {expected === 'failed' && verdict === 'failed' && <span>as expected</span>}
      {report.error !== null && (
        <span>
          <span className="muted">largest error</span>{' '}
          <span className="number">{formatNumber(report.error, 3)}</span>
        </span>
      )}
      {change !== '' && (
        <span className="muted" data-testid="gradcheck-change">
          {change}
        </span>
      )}
      <span className="muted">
        {formatCount(report.calls, 'call')}, {formatSeconds(report.seconds)}
      </span>
      <span className="grow" />
      {!isKept && (
        <Button
          icon="plus"
          onClick={() => void keepCase('passed')}
          title="Adds this case to opsmith.json. The case then runs after every build."
          testId="gradcheck-keep"
        >
          Keep this case
        </Button>
      )}
    </div>
  )
}

/** The Jacobians of an op host that ended are gone with it. */
function Jacobians({ report }: { report: CheckedReport }): ReactElement {
  const generation = useJob(gradcheckJob, (state) => state.value?.generation ?? 0)
  const host = useHost((state) => state.host)
  const isOther = host !== null && generation !== 0 && host.generation !== generation
  if (generation < 0 || isOther) {
    return (
      <p className="panel-pad muted" role="status">
        The Jacobians are gone: the process that held them has exited.{' '}
        <button type="button" className="link" onClick={() => void runGradcheck()}>
          Check again
        </button>
      </p>
    )
  }
  return <JacobianSection report={report} />
}
