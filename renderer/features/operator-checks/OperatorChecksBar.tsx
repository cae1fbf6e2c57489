import type { ReactElement } from 'react'

import { CommandMenu } from '../../shell/primitives/CommandMenu'
import { EnlargeButton } from '../../shell/primitives/EnlargeButton'
import { Icon } from '../../shell/primitives/Icon'
import { useLasting } from '../../shell/primitives/lasting'
import { useJob } from '../../store/job'
import { useRuns } from '../../store/runs'
import { useStaleness } from '../../store/staleness'
import { operatorCheckRuns } from './runs'
import { operatorCheckJob, useShownOutcome } from './jobs'
import { useOperatorChecks } from './store'

/** What can be done with the whole panel. */
export function OperatorChecksBar(): ReactElement {
  return (
    <div className="panel-bar split-bar">
      <Headline />
      <span className="grow" />
      <PanelMenu />
      <EnlargeButton panel="operator-checks" />
    </div>
  )
}

/** What came of the chosen operator in one line, which no scrolling hides. */
function Headline(): ReactElement | null {
  const { outcome, stamp } = useShownOutcome()
  const lasts = useLasting(useJob(operatorCheckJob, (state) => state.running !== null))
  const isOld = useStaleness(stamp, 'run') === 'older' || lasts
  const isRun = useRuns(operatorCheckRuns, (state) => state.shownRun !== null)
  if (!outcome || isRun) return null
  const { asExpected, verdict, report } = outcome
  const findings = report?.findings ?? []
  const counts = (['failed', 'passed', 'skipped'] as const).flatMap((status) => {
    const count = findings.filter((finding) => finding.status === status).length
    return count === 0 ? [] : [`${count} ${status}`]
  })
  return (
    <span
      className={isOld ? 'panel-headline stale' : 'panel-headline'}
      data-testid="operator-check-headline"
    >
      <span className={asExpected ? 'tone-ok' : 'tone-error'}>
        <Icon name={asExpected ? 'check' : 'error'} /> <strong>{verdict}</strong>
      </span>
      {counts.length > 0 && <span className="muted">{counts.join(', ')}</span>}
    </span>
  )
}

function PanelMenu(): ReactElement {
  // What can be done depends on these.
  useOperatorChecks((state) => `${state.draft.op === ''} ${state.entry === null}`)
  useJob(operatorCheckJob, (state) => state.running === null)
  return (
    <CommandMenu
      name="Operator checks"
      testId="operator-check-menu"
      sections={[
        ['operatorChecks.run', 'operatorChecks.all', 'operatorChecks.stop'],
        ['operatorChecks.keep', 'operatorChecks.sanitize', 'operatorChecks.thorough'],
      ]}
    />
  )
}
