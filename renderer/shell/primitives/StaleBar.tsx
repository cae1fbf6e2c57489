import type { ReactElement } from 'react'

import type { Staleness } from '../../store/files'
import { runCommand } from '../../store/commands'
import { Icon } from './Icon'

type Offer = { text: string; command: string; label: string }

/** What is said of an old result, and what makes a new one: a build repeats all but exports. */
const offers: Record<'result' | 'export', Record<Exclude<Staleness, 'fresh'>, Offer>> = {
  result: {
    older: { text: 'Built from older sources.', command: 'build.run', label: 'Build' },
    unsaved: {
      text: 'Does not show the unsaved changes yet.',
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

type Props = { staleness: Staleness; of?: keyof typeof offers }

/** An old result is never shown as if it were new: the panel says so and dims what it shows. */
export function StaleBar({ staleness, of = 'result' }: Props): ReactElement | null {
  if (staleness === 'fresh') return null
  const { text, command, label } = offers[of][staleness]
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
