import type { ReactElement } from 'react'

import { ActionButton } from '../../shell/primitives/ActionButton'
import { CommandMenu } from '../../shell/primitives/CommandMenu'
import { EnlargeButton } from '../../shell/primitives/EnlargeButton'
import { ListProgress } from '../../shell/primitives/ListProgress'
import { useJob } from '../../store/job'
import { useProject } from '../../store/project'
import { checkAll } from './all'
import {
  allGradchecksJob,
  gradcheckJob,
  noSteps,
  searchJob,
  stopGradchecks,
  sweepJob,
} from './jobs'
import { useGradcheck } from './store'

/** What can be done with the whole panel. */
export function GradcheckBar(): ReactElement {
  const isRunning = useJob(allGradchecksJob, (state) => state.running !== null)
  const startedAt = useJob(allGradchecksJob, (state) => state.startedAt)
  const { done, total } = useJob(allGradchecksJob, (state) => state.progress) ?? noSteps
  return (
    <div className="panel-bar split-bar">
      {isRunning ? (
        <ListProgress
          done={done}
          total={total}
          startedAt={startedAt}
          label="Gradchecks"
          onStop={() => void stopGradchecks()}
          testId="gradcheck-all-stop"
        />
      ) : (
        <CheckAll />
      )}
      <span className="grow" />
      <PanelMenu />
      <EnlargeButton panel="gradcheck" />
    </div>
  )
}

function CheckAll(): ReactElement {
  const hasChecks = useProject((state) => (state.project?.manifest?.gradchecks.length ?? 0) > 0)
  return (
    <ActionButton
      text="Check all"
      title="Runs all gradchecks of opsmith.json"
      command="gradcheck.all"
      disabled={!hasChecks}
      onClick={() => void checkAll()}
      testId="gradcheck-all"
    />
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
