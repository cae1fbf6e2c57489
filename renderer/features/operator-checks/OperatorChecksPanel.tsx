import { useEffect, type ReactElement } from 'react'

import { Button } from '../../shell/primitives/Button'
import { EmptyState } from '../../shell/primitives/EmptyState'
import { NeedsBuild } from '../../shell/primitives/NeedsBuild'
import { ErrorView } from '../../shell/primitives/ErrorView'
import { RunView } from '../../shell/primitives/RunView'
import { StaleBar } from '../../shell/primitives/StaleBar'
import { Waiting } from '../../shell/primitives/Waiting'
import { useLasting } from '../../shell/primitives/lasting'
import { useJob } from '../../store/job'
import { showPanel, useLayout } from '../../store/layout'
import { operatorCheckJob, stopOperatorChecks, useShownOutcome } from './jobs'
import { loadEntries, operatorChecksStore, useOperatorChecks } from './store'
import { chooseCheck, runOperator } from './run'
import { useRuns } from '../../store/runs'
import { useSchemas } from '../../store/schemas'
import { useStaleness } from '../../store/staleness'
import { OperatorCase } from './OperatorCase'
import { OperatorChecksBar } from './OperatorChecksBar'
import { OperatorFindings } from './OperatorFindings'
import { OperatorList } from './OperatorList'
import { OperatorCheckRunResults } from './RunResults'
import { operatorCheckRuns } from './runs'

const again = { label: 'Check', command: 'operatorChecks.run' }

/** What an operator does to memory, layouts, dtypes and the dispatcher. Gradients have a panel of their own. */
export function OperatorChecksPanel(): ReactElement {
  const isLoaded = useSchemas((state) => state.load !== null)
  // The dock keeps hidden panels alive: nothing is checked before somebody looks.
  const isShown = useLayout((state) => state.visible.has('operator-checks'))
  const isRun = useRuns(operatorCheckRuns, (state) => state.shownRun !== null)
  useFirstEntry(isLoaded && isShown && !isRun)
  const isKnown = useOperatorChecks((state) => Object.keys(state.outcomes).length > 0)
  if (!isLoaded && !isKnown && !isRun) {
    return (
      <NeedsBuild
        icon="flask"
        text="Checks schemas, memory, layouts and dtypes of operators, with the checks of torch.library.opcheck and more. Build first."
      />
    )
  }
  return (
    <div className="panel-column split-panel" data-testid="operator-check-panel">
      <OperatorChecksBar />
      <div className="split-body">
        <OperatorList />
        <div className="split-main scroll" data-testid="operator-check-main">
          {isRun ? (
            <RunView of={operatorCheckRuns}>
              {(results) => <OperatorCheckRunResults results={results} />}
            </RunView>
          ) : (
            <>
              <OperatorCase />
              <Result />
            </>
          )}
        </div>
      </div>
    </div>
  )
}

/** Something to look at: the first entry, with what is known of it. */
function useFirstEntry(isReady: boolean): void {
  const count = useOperatorChecks((state) => state.entries.length)
  useEffect(() => {
    if (!isReady) return
    if (count === 0) void loadEntries()
    else if (operatorChecksStore.getState().draft.op === '') chooseCheck(0)
  }, [isReady, count])
}

function Result(): ReactElement {
  const op = useOperatorChecks((state) => state.draft.op)
  const working = useJob(operatorCheckJob, (state) => state.running !== null)
  const lasts = useLasting(working)
  const error = useJob(operatorCheckJob, (state) => state.error)
  const { outcome, stamp } = useShownOutcome()
  const staleness = useStaleness(stamp, 'run')
  if (op === '') return <EmptyState text="Choose an operator to check." quiet />
  if (error) {
    return (
      <div className="panel-pad">
        <ErrorView error={error} testId="operator-check-error">
          {error.exit && <Button onClick={() => showPanel('host-output')}>Show the crash</Button>}
          <Button icon="refresh" onClick={() => void runOperator()}>
            Check again
          </Button>
        </ErrorView>
      </div>
    )
  }
  if (!outcome) {
    return (
      <Waiting
        working={working}
        onCheck={() => void runOperator()}
        onStop={() => void stopOperatorChecks()}
      />
    )
  }
  const isStale = staleness === 'older'
  return (
    <>
      {!lasts && <StaleBar staleness={staleness} stamp={stamp} again={again} />}
      <div className={isStale ? 'stale' : lasts ? 'still-working' : ''}>
        <OperatorFindings outcome={outcome} />
      </div>
    </>
  )
}
