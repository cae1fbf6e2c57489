import type { ReactElement } from 'react'

import type { OperatorCheckOutcome } from '../../../electron/contract/operator-check'
import { Icon } from '../../shell/primitives/Icon'

type Props = { outcome: OperatorCheckOutcome | undefined }

/** Icon and word; failing as expected is no alarm. */
export function CheckMark({ outcome }: Props): ReactElement {
  if (!outcome) return <span className="entry-mark muted">not run</span>
  const { verdict, asExpected } = outcome
  const icon = !asExpected
    ? verdict === 'error'
      ? 'crash'
      : 'error'
    : verdict === 'skipped'
      ? 'absent'
      : 'check'
  const tone = !asExpected ? 'tone-error' : verdict === 'passed' ? 'tone-ok' : 'muted'
  return (
    <span className={`entry-mark ${tone}`}>
      <Icon name={icon} />
      <span>{asExpected && verdict === 'failed' ? 'fails' : verdict}</span>
    </span>
  )
}
