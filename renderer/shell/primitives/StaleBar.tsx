import type { ReactElement } from 'react'

import type { Staleness } from '../../store/files'
import { runCommand } from '../../store/commands'
import { Icon } from './Icon'

const words = {
  older: 'Built from older sources.',
  unsaved: 'Does not show the unsaved changes yet.',
} as const

/** An old result is never shown as if it were new: the panel says so and dims what it shows. */
export function StaleBar({ staleness }: { staleness: Staleness }): ReactElement | null {
  if (staleness === 'fresh') return null
  return (
    <div className="stale-bar" role="status" data-testid="stale-bar">
      <Icon name="history" />
      <span className="grow">{words[staleness]}</span>
      <button type="button" className="link" onClick={() => runCommand('build.run')}>
        {staleness === 'unsaved' ? 'Save and build' : 'Build'}
      </button>
    </div>
  )
}
