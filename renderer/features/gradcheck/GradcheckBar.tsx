import type { ReactElement } from 'react'

import { Button } from '../../shell/primitives/Button'
import { CommandMenu } from '../../shell/primitives/CommandMenu'
import { EnlargeButton } from '../../shell/primitives/EnlargeButton'
import { ListProgress } from '../../shell/primitives/ListProgress'
import { shortcutOf } from '../../store/commands'
import { runStamp, useFiles } from '../../store/files'
import { useJob } from '../../store/job'
import { useProject } from '../../store/project'
import { checkAll } from './all'
import { allJob, caseJob, noSteps, searchJob, stopGradchecks, sweepJob } from './jobs'
import { useGradcheck } from './store'

/** What can be done with the whole panel, and what came of opsmith.json's checks. */
export function GradcheckBar(): ReactElement {
  const isRunning = useJob(allJob, (state) => state.running !== null)
  const startedAt = useJob(allJob, (state) => state.startedAt)
  const { done, total } = useJob(allJob, (state) => state.progress) ?? noSteps
  return (
    <div className="panel-bar gc-tabs">
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
        <>
          <CheckAll />
          <Verdict />
        </>
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
    <Button
      primary
      icon="play"
      disabled={!hasChecks}
      onClick={() => void checkAll()}
      title="Makes all gradchecks of opsmith.json"
      testId="gradcheck-all"
    >
      Check all <kbd>{shortcutOf('gradcheck.all')}</kbd>
    </Button>
  )
}

/** Of opsmith.json's checks, made since the sources changed last. */
function Verdict(): ReactElement | null {
  const outcomes = useGradcheck((state) => state.outcomes)
  const now = useFiles(runStamp)
  const known = Object.values(outcomes).filter(({ stamp }) => stamp === now)
  const wrong = known.filter(({ outcome }) => !outcome.asExpected).length
  if (known.length === 0) return null
  return (
    <span
      className={`ellipsis ${wrong > 0 ? 'tone-error' : 'tone-ok'}`}
      data-testid="gradcheck-list-verdict"
    >
      {wrong > 0 ? `${wrong} of ${known.length} not as expected` : `${known.length} as expected`}
    </span>
  )
}

function PanelMenu(): ReactElement {
  // What can be done depends on these.
  useGradcheck((state) => state.draft.op === '')
  useJob(caseJob, (state) => state.running === null)
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
