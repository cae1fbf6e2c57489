import type { ReactElement } from 'react'

import { CommandMenu } from '../../shell/primitives/CommandMenu'
import { EnlargeButton } from '../../shell/primitives/EnlargeButton'
import { useJob } from '../../store/job'
import { operatorCheckJob } from './jobs'
import { useOperatorChecks } from './store'

/** What can be done with the whole panel. */
export function OperatorChecksBar(): ReactElement {
  return (
    <div className="panel-bar split-bar">
      <span className="grow" />
      <PanelMenu />
      <EnlargeButton panel="operator-checks" />
    </div>
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
