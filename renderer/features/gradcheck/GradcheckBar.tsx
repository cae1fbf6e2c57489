import type { ReactElement } from 'react'

import { CommandMenu } from '../../shell/primitives/CommandMenu'
import { EnlargeButton } from '../../shell/primitives/EnlargeButton'
import { useJob } from '../../store/job'
import { gradcheckJob, searchJob, sweepJob } from './jobs'
import { useGradcheck } from './store'

/** What can be done with the whole panel. */
export function GradcheckBar(): ReactElement {
  return (
    <div className="panel-bar split-bar">
      <span className="grow" />
      <PanelMenu />
      <EnlargeButton panel="gradcheck" />
    </div>
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
