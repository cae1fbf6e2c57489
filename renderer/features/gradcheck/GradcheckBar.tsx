import type { ReactElement } from 'react'

import { CommandMenu } from '../../shell/primitives/CommandMenu'
import { EnlargeButton } from '../../shell/primitives/EnlargeButton'
import { formatNumber } from '../../shell/primitives/format'
import { Icon } from '../../shell/primitives/Icon'
import { useLasting } from '../../shell/primitives/lasting'
import { useJob } from '../../store/job'
import { useRuns } from '../../store/runs'
import { useStaleness } from '../../store/staleness'
import { gradcheckRuns } from './runs'
import { gradcheckJob, searchJob, sweepJob } from './jobs'
import { useGradcheck } from './store'

/** What can be done with the whole panel. */
export function GradcheckBar(): ReactElement {
  return (
    <div className="panel-bar split-bar">
      <Headline />
      <span className="grow" />
      <PanelMenu />
      <EnlargeButton panel="gradcheck" />
    </div>
  )
}

/** What came of the chosen case in one line, which no scrolling hides. */
function Headline(): ReactElement | null {
  const report = useJob(gradcheckJob, (state) => state.value?.report)
  const stamp = useJob(gradcheckJob, (state) => state.stamp)
  const lasts = useLasting(useJob(gradcheckJob, (state) => state.running !== null))
  const isOld = useStaleness(stamp, 'run') === 'older' || lasts
  const isRun = useRuns(gradcheckRuns, (state) => state.shownRun !== null)
  if (!report || isRun) return null
  return (
    <span
      className={isOld ? 'panel-headline stale' : 'panel-headline'}
      data-testid="gradcheck-headline"
    >
      <span className={report.ok ? 'tone-ok' : 'tone-error'}>
        <Icon name={report.ok ? 'check' : 'error'} />{' '}
        <strong>{report.ok ? 'passed' : 'failed'}</strong>
      </span>
      {report.error !== null && (
        <span>
          <span className="muted">largest error</span>{' '}
          <span className="number">{formatNumber(report.error, 3)}</span>
        </span>
      )}
    </span>
  )
}

function PanelMenu(): ReactElement {
  // What can be done depends on these.
  useGradcheck((state) => state.draft.op === '')
  useJob(gradcheckJob, (state) => state.running === null)
  useJob(sweepJob, (state) => state.running === null)
  useJob(searchJob, (state) => state.running === null)
  return (
    <CommandMenu
      name="Gradcheck"
      testId="gradcheck-menu"
      sections={[
        ['gradcheck.run', 'gradcheck.all', 'gradcheck.stop'],
        ['gradcheck.sweep', 'gradcheck.search'],
        ['gradcheck.keep', 'gradcheck.keepFailing'],
      ]}
    />
  )
}
