import type { ReactElement } from 'react'

import { ActionButton } from '../../shell/primitives/ActionButton'
import { CommandMenu } from '../../shell/primitives/CommandMenu'
import { EnlargeButton } from '../../shell/primitives/EnlargeButton'
import { ListProgress } from '../../shell/primitives/ListProgress'
import { useJob } from '../../store/job'
import { checkOperators } from './all'
import { allOperatorChecksJob, operatorCheckJob, stopOperatorChecks } from './jobs'
import { useOperatorChecks } from './store'

/** What can be done with the whole panel. */
export function OperatorChecksBar(): ReactElement {
  const isRunning = useJob(allOperatorChecksJob, (state) => state.running !== null)
  const startedAt = useJob(allOperatorChecksJob, (state) => state.startedAt)
  const steps = useJob(allOperatorChecksJob, (state) => state.progress)
  return (
    <div className="panel-bar split-bar">
      {isRunning ? (
        <ListProgress
          done={steps?.done ?? 0}
          total={steps?.total ?? 0}
          startedAt={startedAt}
          label="Operator checks"
          onStop={() => void stopOperatorChecks()}
          testId="operator-check-stop"
        />
      ) : (
        <ActionButton
          text="Check all"
          title="Checks all operators of the list"
          command="operatorChecks.all"
          disabled={false}
          onClick={() => void checkOperators()}
          testId="operator-check-run"
        />
      )}
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
