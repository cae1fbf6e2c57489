import { useState, type ReactElement } from 'react'

import type { BuildReport } from '../../../electron/contract/build'
import { Button } from '../../shell/primitives/Button'
import { CopyButton } from '../../shell/primitives/CopyButton'
import { Elapsed, Progress } from '../../shell/primitives/Elapsed'
import { EmptyState } from '../../shell/primitives/EmptyState'
import { ErrorView } from '../../shell/primitives/ErrorView'
import { formatCount, formatSeconds } from '../../shell/primitives/format'
import { Icon } from '../../shell/primitives/Icon'
import { LogView } from '../../shell/primitives/LogView'
import { Segmented } from '../../shell/primitives/Segmented'
import { StaleBar } from '../../shell/primitives/StaleBar'
import { useLasting } from '../../shell/primitives/lasting'
import { buildLog, useBuild, useBuildOutput } from '../../store/build'
import { runCommand, shortcutOf } from '../../store/commands'
import type { LogLine } from '../../store/line-log'
import { useStaleness } from '../../store/staleness'
import { SanitizedState } from './SanitizedState'
import { StepsTable } from './StepsTable'
import { TimeView } from './TimeView'

export function BuildPanel(): ReactElement {
  const { running, value, error, stamp } = useBuild((state) => state)
  const logVersion = useBuildOutput((output) => output.logVersion)
  const staleness = useStaleness(stamp, 'build')
  const lasts = useLasting(running !== null)
  const [view, setView] = useState<'log' | 'steps' | 'time'>('log')
  const nothing = running === null && value === null && error === null
  if (nothing && buildLog.length === 0) {
    return (
      <EmptyState
        icon="play"
        text="Compiles the project, loads the library and lists its operators."
      >
        <Button primary icon="play" onClick={() => runCommand('build.run')}>
          Build <kbd>{shortcutOf('build.run')}</kbd>
        </Button>
      </EmptyState>
    )
  }
  const stale = !lasts && staleness !== 'fresh'
  return (
    <div className="panel-column" data-testid="build-panel">
      <div className="panel-bar wraps">
        <BuildState />
        <span className="grow" />
        <Segmented
          label="View of the build"
          value={view}
          onChange={setView}
          options={[
            { value: 'log', label: 'Log' },
            { value: 'steps', label: 'Steps' },
            { value: 'time', label: 'Time', testId: 'build-time' },
          ]}
        />
        <Button
          icon="flask"
          title="Build again with ASan and UBSan, and run the calls of opsmith.json"
          testId="build-sanitize"
          onClick={() => runCommand('build.sanitize')}
        >
          Sanitize
        </Button>
        <CopyButton text={() => buildLog.text()} label="Copy the log" />
      </div>
      {!lasts && <StaleBar staleness={staleness} building={running !== null} />}
      <SanitizedState />
      {!lasts && error && (
        <div className="panel-pad">
          <ErrorView error={error} testId="build-error" />
        </div>
      )}
      {!lasts && value?.loadError && (
        <div className="panel-pad">
          <ErrorView error={value.loadError} testId="load-error" />
        </div>
      )}
      <div className={stale ? 'grow-area stale' : 'grow-area'}>
        {view === 'log' ? (
          <LogView log={buildLog} version={logVersion} label="Build log" classOf={classOfLine} />
        ) : view === 'time' ? (
          <TimeView />
        ) : (
          <StepsTable steps={value?.report.steps ?? []} running={running !== null} />
        )}
      </div>
    </div>
  )
}

/** "op.cpp, kernel.cu …": a machine of many cores runs more steps than the bar has room for. */
const shortList = (labels: readonly string[]): string =>
  labels.length > 2 ? `${labels.slice(0, 2).join(', ')} …` : labels.join(', ')

const noProgress = { done: 0, steps: 0, running: [], errors: [] }

function BuildState(): ReactElement {
  const { running, stopping, startedAt, progress, value, error } = useBuild((state) => state)
  const cancelled = useBuildOutput((output) => output.cancelled)
  const { done, steps, running: labels, errors } = progress ?? noProgress
  const lasts = useLasting(running !== null)
  const isFirst = value === null && error === null && !cancelled
  if (running !== null && (lasts || isFirst)) {
    return (
      <>
        <span className="number" role="status">
          {stopping ? 'Stopping' : 'Building'}
          {steps > 0 ? ` ${done}/${steps}` : ' …'}
        </span>
        <Progress done={done} steps={steps} label="Build" />
        <Elapsed since={startedAt} />
        {labels.length > 0 && <span className="muted">{shortList(labels)}</span>}
        {errors.length > 0 && (
          <span className="tone-error" data-testid="build-early-errors">
            <Icon name="error" /> {formatCount(errors.length, 'error')}
          </span>
        )}
        <Button icon="stop" onClick={() => runCommand('work.stop')}>
          Stop
        </Button>
      </>
    )
  }
  if (cancelled) {
    return (
      <span className="muted" role="status">
        <Icon name="stop" /> Stopped
      </span>
    )
  }
  if (error) {
    return (
      <span className="tone-error" role="status">
        <Icon name="error" /> Could not build
      </span>
    )
  }
  if (!value) return <></>
  return (
    <>
      <Verdict report={value.report} loaded={value.loadError === null} />
      {value.report.ok && value.report.hot && value.report.kernelVariant === undefined && (
        <Settled report={value.settled} />
      )}
    </>
  )
}

/** How far the plain build behind a hot one is. */
function Settled({ report }: { report: BuildReport | null }): ReactElement {
  if (report?.ok === false) {
    return (
      <span className="tone-error" data-testid="build-settled">
        <Icon name="error" /> The plain build (without the compile server) fails: timings, profiles
        and exports are not possible. See the Problems panel.
      </span>
    )
  }
  const title =
    'Calls use the hot build, which the compile server made. Opsmith then makes a plain build, without the compile server, in the background. Timings, profiles, exports and the folder build/ use the plain build.'
  return (
    <span className="muted" title={title} data-testid="build-settled">
      {report ? (
        <>
          built by the compile server; the build for timings and exports took{' '}
          <span className="number">{formatSeconds(report.seconds)}</span>
        </>
      ) : (
        'built by the compile server; the build for timings and exports follows'
      )}
    </span>
  )
}

function Verdict({ report, loaded }: { report: BuildReport; loaded: boolean }): ReactElement {
  const cached = report.steps.filter((step) => step.cached).length
  const time = formatSeconds(report.seconds)
  const errors = report.diagnostics.filter((item) => item.severity === 'error').length
  if (!report.ok) {
    return (
      <span className="tone-error" role="status">
        <Icon name="error" /> Failed after <span className="number">{time}</span>
        {errors > 0 && `, ${formatCount(errors, 'error')}`}
      </span>
    )
  }
  const summary = cached > 0 ? `, ${cached} of ${report.steps.length} steps from the cache` : ''
  return (
    <span className={loaded ? 'tone-ok' : 'tone-error'} role="status" data-testid="build-verdict">
      <Icon name={loaded ? 'check' : 'error'} /> Built in <span className="number">{time}</span>
      {summary}
      {!loaded && ', but the library could not be loaded'}
    </span>
  )
}

function classOfLine({ text }: LogLine): string {
  if (/(^|\s)(fatal )?error:|undefined (reference|symbol)/.test(text)) return 'tone-error'
  if (/(^|\s)warning:/.test(text)) return 'tone-warning'
  return /^(\$|\+|>) /.test(text) ? 'log-command' : ''
}
