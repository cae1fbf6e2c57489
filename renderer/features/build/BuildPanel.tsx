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
import { buildLog, useBuild } from '../../store/build'
import { runCommand, shortcutOf } from '../../store/commands'
import { useStaleness } from '../../store/files'
import type { LogLine } from '../../store/line-log'
import { SanitizedState } from './SanitizedState'
import { StepsTable } from './StepsTable'
import { TimeView } from './TimeView'

export function BuildPanel(): ReactElement {
  const build = useBuild((state) => state)
  const staleness = useStaleness(build.stamp, 'build')
  const [view, setView] = useState<'log' | 'steps' | 'time'>('log')
  const nothing = build.job === null && build.report === null && build.error === null
  if (nothing && buildLog.length === 0) {
    return (
      <EmptyState icon="play" text="Compiles the project, loads it and describes its operators.">
        <Button primary icon="play" onClick={() => runCommand('build.run')}>
          Build <kbd>{shortcutOf('build.run')}</kbd>
        </Button>
      </EmptyState>
    )
  }
  const stale = build.job === null && staleness !== 'fresh'
  return (
    <div className="panel-column" data-testid="build-panel">
      <div className="panel-bar">
        <BuildState />
        <span className="grow" />
        <Segmented
          label="What to show of the build"
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
          title="Build with ASan and UBSan beside this build, and make the calls of opsmith.json"
          testId="build-sanitize"
          onClick={() => runCommand('build.sanitize')}
        >
          Sanitize
        </Button>
        <CopyButton text={() => buildLog.text()} label="Copy the log" />
      </div>
      {build.job === null && <StaleBar staleness={staleness} />}
      <SanitizedState />
      {build.job === null && build.error && (
        <div className="panel-pad">
          <ErrorView error={build.error} testId="build-error" />
        </div>
      )}
      {build.job === null && build.loadError && (
        <div className="panel-pad">
          <ErrorView error={build.loadError} testId="load-error" />
        </div>
      )}
      <div className={stale ? 'grow-area stale' : 'grow-area'}>
        {view === 'log' ? (
          <LogView
            log={buildLog}
            version={build.logVersion}
            label="Build log"
            classOf={classOfLine}
          />
        ) : view === 'time' ? (
          <TimeView />
        ) : (
          <StepsTable steps={build.report?.steps ?? []} running={build.job !== null} />
        )}
      </div>
    </div>
  )
}

function BuildState(): ReactElement {
  const build = useBuild((state) => state)
  if (build.job !== null) {
    return (
      <>
        <span className="number" role="status">
          {build.stopping ? 'Stopping' : 'Building'}
          {build.steps > 0 ? ` ${build.done}/${build.steps}` : ' …'}
        </span>
        <Progress done={build.done} steps={build.steps} label="Build" />
        <Elapsed since={build.startedAt} />
        <Button icon="stop" onClick={() => runCommand('work.stop')}>
          Stop
        </Button>
      </>
    )
  }
  if (build.cancelled) {
    return (
      <span className="muted" role="status">
        <Icon name="stop" /> Stopped
      </span>
    )
  }
  if (build.error) {
    return (
      <span className="tone-error" role="status">
        <Icon name="error" /> Could not build
      </span>
    )
  }
  if (!build.report) return <></>
  return (
    <>
      <Verdict report={build.report} loaded={build.loadError === null} />
      {build.report.ok && build.report.hot && <Settled report={build.settled} />}
    </>
  )
}

/** How far the plain build behind a hot one is. */
function Settled({ report }: { report: BuildReport | null }): ReactElement {
  if (report?.ok === false) {
    return (
      <span className="tone-error" data-testid="build-settled">
        <Icon name="error" /> The plain build fails
      </span>
    )
  }
  const title =
    'What you call comes from the compile server. What is timed, exported and put into build/ is a plain -O2 build, made in the background.'
  return (
    <span className="muted" title={title} data-testid="build-settled">
      {report ? (
        <>
          hot; plain in <span className="number">{formatSeconds(report.seconds)}</span>
        </>
      ) : (
        'hot; the plain build follows'
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
    <span className={loaded ? 'tone-ok' : 'tone-error'} role="status">
      <Icon name={loaded ? 'check' : 'error'} /> Built in <span className="number">{time}</span>
      {summary}
      {!loaded && ', but it could not be loaded'}
    </span>
  )
}

function classOfLine({ text }: LogLine): string {
  if (/(^|\s)(fatal )?error:|undefined (reference|symbol)/.test(text)) return 'tone-error'
  if (/(^|\s)warning:/.test(text)) return 'tone-warning'
  return /^(\$|\+|>) /.test(text) ? 'log-command' : ''
}
