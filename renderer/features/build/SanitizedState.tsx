import type { ReactElement } from 'react'

import { Button } from '../../shell/primitives/Button'
import { Elapsed } from '../../shell/primitives/Elapsed'
import { ErrorView } from '../../shell/primitives/ErrorView'
import { formatCount } from '../../shell/primitives/format'
import { Icon } from '../../shell/primitives/Icon'
import { runCommand } from '../../store/commands'
import { useJob } from '../../store/job'
import { showPanel } from '../../store/layout'
import { faultsOf, sanitizeJob } from './sanitize'

/** What ASan and UBSan said of the calls of opsmith.json; nothing where they were not asked. */
export function SanitizedState(): ReactElement | null {
  const { running, startedAt, value: run, error } = useJob(sanitizeJob, (state) => state)
  if (running !== null) {
    return (
      <div className="panel-bar" role="status" data-testid="sanitize-state">
        <span>Building the project and running its calls with ASan and UBSan …</span>
        <Elapsed since={startedAt} />
        <span className="grow" />
        <Button icon="stop" onClick={() => runCommand('work.stop')}>
          Stop
        </Button>
      </div>
    )
  }
  if (error) {
    return (
      <div className="panel-pad">
        <ErrorView error={error} testId="sanitize-error" />
      </div>
    )
  }
  if (run === null) return null
  const faults = faultsOf(run).length
  const calls = formatCount(run.calls.length, 'call')
  if (!run.build.ok) {
    const first = run.diagnostics.find(({ severity }) => severity === 'error')
    return (
      <div className="panel-bar tone-error" role="status" data-testid="sanitize-state">
        <Icon name="error" /> The build with the sanitizers fails
        {first && `: ${first.message}`}
      </div>
    )
  }
  return (
    <div
      className={`panel-bar ${faults > 0 ? 'tone-error' : 'tone-ok'}`}
      role="status"
      data-testid="sanitize-state"
    >
      <Icon name={faults > 0 ? 'error' : 'check'} />
      {faults > 0
        ? `ASan and UBSan: ${formatCount(faults, 'error')} in ${calls}`
        : `ASan and UBSan: no errors in ${calls}`}
      <span className="grow" />
      {faults > 0 && <Button onClick={() => showPanel('problems')}>Show</Button>}
    </div>
  )
}
