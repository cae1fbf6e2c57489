import type { ReactElement } from 'react'

import type { GradcheckOutcome } from '../../../electron/contract/gradcheck'
import { Icon, type IconName } from '../../shell/primitives/Icon'

const marks: Record<string, { icon: IconName; tone: string }> = {
  passed: { icon: 'check', tone: 'tone-ok' },
  failed: { icon: 'error', tone: 'tone-error' },
  error: { icon: 'crash', tone: 'tone-error' },
}

type Props = { outcome: GradcheckOutcome | undefined }

/** Icon and word; failing as expected is no alarm. */
export function CheckMark({ outcome }: Props): ReactElement {
  if (!outcome) return <span className="entry-mark muted">not run</span>
  const { verdict, asExpected } = outcome
  const { icon, tone } = marks[verdict] ?? { icon: 'note', tone: '' }
  const shown = asExpected ? (verdict === 'failed' ? 'muted' : tone) : 'tone-error'
  return (
    <span className={`entry-mark ${shown}`}>
      <Icon name={asExpected && verdict === 'failed' ? 'check' : icon} />
      <span>{asExpected && verdict === 'failed' ? 'fails' : verdict}</span>
    </span>
  )
}
