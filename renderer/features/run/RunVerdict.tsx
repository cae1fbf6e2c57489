import type { ReactElement } from 'react'

import type { RunReport } from '../../../electron/contract/run'
import { formatNumber, formatSeconds } from '../../shell/primitives/format'
import { Icon, type IconName } from '../../shell/primitives/Icon'
import { useLasting } from '../../shell/primitives/lasting'
import { useJob } from '../../store/job'
import { useStaleness } from '../../store/staleness'
import { runJob } from './job'
import { useRun } from './run'

type Verdict = { word: string; tone: string; icon: IconName }

/** What came of the last run in one line, which no scrolling hides. */
export function RunVerdict(): ReactElement {
  const { value, error, stamp, running } = useJob(runJob, (state) => state)
  const lasts = useLasting(running !== null)
  const isOld = useStaleness(stamp, 'run') === 'older' || lasts
  const stopped = useRun((state) => state.stopped !== null)
  const report = value?.report
  if (error || !report) {
    return (
      <span className="grow run-summary" role="status">
        {error && <VerdictWord word="no result" tone="tone-error" icon="error" />}
        {stopped && <VerdictWord word="stopped" tone="muted" icon="stop" />}
      </span>
    )
  }
  const errors = report.comparisons.flatMap(({ output, total, maxAbsolute }) =>
    output >= 0 && total > 0 && maxAbsolute !== null ? [maxAbsolute] : [],
  )
  return (
    <span
      className={isOld ? 'grow run-summary stale' : 'grow run-summary'}
      role="status"
      data-testid="run-summary"
    >
      <VerdictWord {...verdictOf(report, value.otherCall)} />
      {errors.length > 0 && (
        <span>
          <span className="muted">largest error</span>{' '}
          <span className="number">{formatNumber(Math.max(...errors), 3)}</span>
        </span>
      )}
      <span className="number muted">{formatSeconds(report.seconds)}</span>
    </span>
  )
}

function VerdictWord({ word, tone, icon }: Verdict): ReactElement {
  return (
    <span className={tone}>
      <Icon name={icon} /> <strong>{word}</strong>
    </span>
  )
}

function verdictOf(report: RunReport, otherCall: string | null): Verdict {
  const { comparisons, referenceError, outputs } = report
  if (otherCall !== null) return { word: 'not compared', tone: 'muted', icon: 'note' }
  if (referenceError !== undefined) {
    return { word: 'reference failed', tone: 'tone-error', icon: 'error' }
  }
  if (comparisons.some(({ matches }) => !matches)) {
    return { word: 'differs', tone: 'tone-error', icon: 'error' }
  }
  if (comparisons.length > 0) return { word: 'matches', tone: 'tone-ok', icon: 'check' }
  const count = outputs.length === 1 ? '1 output' : `${outputs.length} outputs`
  return { word: count, tone: '', icon: 'play' }
}
