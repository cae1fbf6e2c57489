import type { ReactElement } from 'react'
import { useStore } from 'zustand'

import type { SetupStep } from '../../../electron/contract/setup'
import { Button } from '../../shell/primitives/Button'
import { Elapsed } from '../../shell/primitives/Elapsed'
import { ErrorView } from '../../shell/primitives/ErrorView'
import { formatSeconds } from '../../shell/primitives/format'
import { FramedLog } from '../../shell/primitives/FramedLog'
import { Icon } from '../../shell/primitives/Icon'
import { useJob } from '../../store/job'
import { setupJob, setupStore } from './setup-job'

/** In their order. */
const names = ['libtorch', 'native addon', 'precompiled headers']

/** What is done, what runs with its log, and how it ended. */
export function SetupSteps(): ReactElement | null {
  const { running, stopping, startedAt, progress, value, error } = useJob(
    setupJob,
    (state) => state,
  )
  const wasStopped = useStore(setupStore, (state) => state.wasStopped)
  if (startedAt === 0) return null
  const steps = running === null ? (value?.steps ?? progress?.steps ?? []) : (progress?.steps ?? [])
  const isRunning = running !== null
  return (
    <section aria-label="Steps" className="setup-steps">
      <ol data-testid="setup-steps">
        {names.map((name, index) => (
          <Step
            key={name}
            name={name}
            step={steps[index]}
            started={isRunning && index === steps.length ? (progress?.started ?? '') : null}
          />
        ))}
      </ol>
      {isRunning && (
        <div className="setup-actions">
          <Button
            icon="stop"
            disabled={stopping}
            onClick={() => void setupJob.stop()}
            testId="setup-stop"
          >
            Stop
          </Button>
          <Elapsed since={startedAt} />
        </div>
      )}
      {!isRunning && wasStopped && (
        <p data-testid="setup-stopped">
          Set-up was stopped. Compiled files are kept. Choose Continue to go on.
        </p>
      )}
      {!isRunning && error && <ErrorView error={error} />}
      <Log />
    </section>
  )
}

type StepProps = { name: string; step: SetupStep | undefined; started: string | null }

function Step({ name, step, started }: StepProps): ReactElement {
  const size = step && step.bytes > 0 ? `, ${(step.bytes / 1e6).toFixed(1)} MB` : ''
  return (
    <li data-testid="setup-step" data-state={step ? 'done' : started === null ? 'waits' : 'runs'}>
      {step ? (
        <span className="tone-ok">
          <Icon name="check" label="done" />
        </span>
      ) : started === null ? (
        <Icon name="absent" label="not done" />
      ) : (
        <span className="spinner" role="img" aria-label="running" />
      )}{' '}
      {name}
      <span className="muted">
        {step
          ? ` ${step.isMade ? formatSeconds(step.seconds) : 'already done'}${size}${step.detail === '' ? '' : `, ${step.detail}`}`
          : started
            ? ` ${started} …`
            : ''}
      </span>
    </li>
  )
}

function Log(): ReactElement | null {
  const log = useStore(setupStore, (state) => state.log)
  const version = useStore(setupStore, (state) => state.logVersion)
  if (log.length === 0) return null
  return (
    <div data-testid="setup-log">
      <FramedLog log={log} version={version} label="Log of set-up" most={12} linked={false} />
    </div>
  )
}
