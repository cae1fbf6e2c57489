import type { ReactElement } from 'react'

import { runCommand } from '../../store/commands'
import { earlierTime } from '../../store/files'
import type { Staleness } from '../../store/staleness'
import { formatTime } from './format'
import { Icon } from './Icon'

type Offer = { text: string; command: string; label: string }

/** What is said of an old result, and what makes a new one: a build repeats all but exports. */
const offers: Record<'result' | 'export', Record<Exclude<Staleness, 'fresh'>, Offer>> = {
  result: {
    older: { text: 'Built from older sources.', command: 'build.run', label: 'Build' },
    unsaved: {
      text: 'This result does not include the unsaved changes.',
      command: 'build.run',
      label: 'Save and build',
    },
  },
  export: {
    older: { text: 'Exported from older sources.', command: 'export.run', label: 'Export again' },
    unsaved: {
      text: 'Exported without the unsaved changes.',
      command: 'export.run',
      label: 'Save and export again',
    },
  },
}

type Props = {
  staleness: Staleness
  of?: keyof typeof offers
  /** Of what may be of an earlier session, with what makes it again. */
  stamp?: string | null
  again?: { label: string; command: string }
  /** A build runs, so the bar does not offer one for an older result. */
  building?: boolean
}

/** An old result is never shown as if it were new: the panel says so and dims what it shows. */
export function StaleBar(props: Props): ReactElement | null {
  const { staleness, of = 'result', stamp = null, again, building = false } = props
  if (staleness === 'fresh' || (building && staleness === 'older')) return null
  const madeAt = earlierTime(stamp)
  const offer = offers[of][staleness]
  const { command, label } = (madeAt === null ? undefined : again) ?? offer
  const text = madeAt === null ? offer.text : `Result of an earlier session: ${formatTime(madeAt)}.`
  return (
    <div className="stale-bar" role="status" data-testid="stale-bar">
      <Icon name="history" />
      <span className="grow">{text}</span>
      <button type="button" className="link" onClick={() => runCommand(command)}>
        {label}
      </button>
    </div>
  )
}
