import { useEffect, type ReactElement } from 'react'
import { useStore } from 'zustand'

import type { SetupPlan } from '../../../electron/contract/setup'
import { Button } from '../../shell/primitives/Button'
import { EmptyState } from '../../shell/primitives/EmptyState'
import { ErrorView } from '../../shell/primitives/ErrorView'
import { Icon } from '../../shell/primitives/Icon'
import { Remedy } from '../../shell/primitives/Remedy'
import { useJob } from '../../store/job'
import { LibtorchChoice } from './LibtorchChoice'
import { loadPlan, runSetup, setupJob, setupStore, type SetupWish } from './setup-job'
import { SetupSteps } from './SetupSteps'

/** Makes an installed Opsmith ready, or ready for another libtorch. */
export function SetupPanel(): ReactElement {
  const plan = useStore(setupStore, (state) => state.plan)
  const error = useStore(setupStore, (state) => state.error)
  useEffect(() => void loadPlan(), [])
  return (
    <div className="panel-column page" data-testid="setup-panel">
      <div className="scroll panel-pad">
        <h2>Set-up</h2>
        {error && <ErrorView error={error} />}
        {plan ? <Plan plan={plan} /> : <EmptyState text="Looking for libtorch …" quiet />}
      </div>
    </div>
  )
}

/** What runs with the choice as it is; undefined where nothing can be chosen yet. */
function wishOf(plan: SetupPlan, choice: string | null): SetupWish | undefined {
  if (choice === 'cpu' || choice === 'cuda') return { libtorch: '', installs: choice }
  const usual =
    plan.libtorchs.find(({ isChosen }) => isChosen) ??
    plan.libtorchs.find(({ isUsable }) => isUsable)
  const libtorch = choice ?? usual?.folder
  if (libtorch === undefined) return undefined
  return { libtorch, installs: '' }
}

function Plan({ plan }: { plan: SetupPlan }): ReactElement {
  const choice = useStore(setupStore, (state) => state.choice)
  const isRunning = useJob(setupJob, (state) => state.running !== null)
  const hasFailed = useJob(setupJob, (state) => state.error !== null)
  const wasStopped = useStore(setupStore, (state) => state.wasStopped)
  const wish = wishOf(plan, choice)
  const isInstalled = wish?.installs !== ''
  const missing = isInstalled ? plan.install.missing : plan.missing
  const isDone = plan.libtorchs.some(
    ({ folder, isChosen, hasAddon }) => folder === wish?.libtorch && isChosen && hasAddon,
  )
  return (
    <>
      <p role="status" data-testid="setup-verdict" className={plan.isReady ? 'tone-ok' : ''}>
        {plan.isReady ? (
          <>
            <Icon name="check" /> This machine can build and run operators. If you set up another
            libtorch, Opsmith keeps the native addon of the current one, so that you can switch
            back.
          </>
        ) : (
          'Opsmith compiles its native addon, the part that calls libtorch, for the libtorch that you choose. You can use samples and the editor in the meantime.'
        )}
      </p>
      <LibtorchChoice plan={plan} wish={wish} disabled={isRunning} />
      <Needs plan={plan} names={missing.names} command={missing.command} />
      <p className="muted" data-testid="setup-space">
        {isInstalled ? 'torch takes 0.8 GB, or 7 GB for CUDA. ' : ''}The native addon takes 6 MB,
        precompiled headers take 0.4 GB. {(plan.freeBytes / 1e9).toFixed(1)} GB are free on the disk
        of the cache folder.
      </p>
      <SetupSteps />
      {!isRunning && (
        <div className="setup-actions">
          <Button
            icon="play"
            primary
            disabled={wish === undefined || missing.names.length > 0 || isDone}
            onClick={() => wish && void runSetup(wish)}
            testId="setup-run"
          >
            {wasStopped ? 'Continue' : hasFailed ? 'Try again' : 'Set up'}
          </Button>
          <Button icon="refresh" onClick={() => void loadPlan()} testId="setup-look-again">
            Look again
          </Button>
        </div>
      )}
    </>
  )
}

function Needs({
  plan,
  names,
  command,
}: {
  plan: SetupPlan
  names: readonly string[]
  command: string
}): ReactElement | null {
  if (names.length === 0) return null
  return (
    <div className="setup-problem" role="alert" data-testid="setup-needs">
      <p className="tone-error">
        <Icon name="error" /> Not installed: {names.join(', ')}.
      </p>
      {command === '' ? (
        <p>Install what is missing with this system’s package manager, then choose “Look again”.</p>
      ) : (
        <>
          <p>Run this command in a terminal, then choose “Look again”:</p>
          <Remedy command={command} />
        </>
      )}
      {plan.isReady && (
        <p className="muted">
          The libtorch in use is set up. To set up another libtorch, install these first.
        </p>
      )}
    </div>
  )
}
