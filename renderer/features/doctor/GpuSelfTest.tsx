import type { ReactElement } from 'react'

import {
  gpuCheckNames,
  gpuCheckTitles,
  gpuTable,
  type GpuCheck,
  type GpuCheckStatus,
} from '../../../electron/contract/gpu-check'
import { Button } from '../../shell/primitives/Button'
import { CopyButton } from '../../shell/primitives/CopyButton'
import { Elapsed } from '../../shell/primitives/Elapsed'
import { ErrorView } from '../../shell/primitives/ErrorView'
import { Icon, type IconName } from '../../shell/primitives/Icon'
import { Section } from '../../shell/primitives/Section'
import { useJob } from '../../store/job'
import { gpuJob } from './gpu-job'

const verdicts: Record<GpuCheckStatus, { icon: IconName; word: string; tone: string }> = {
  passed: { icon: 'check', word: 'passed', tone: 'tone-ok' },
  warning: { icon: 'warning', word: 'passed, but', tone: 'tone-warning' },
  failed: { icon: 'error', word: 'failed', tone: 'tone-error' },
  skipped: { icon: 'absent', word: 'skipped', tone: 'muted' },
}

/** Whether a GPU of this machine does what timings and checks take for granted. */
export function GpuSelfTest(): ReactElement {
  const running = useJob(gpuJob, (state) => state.running !== null)
  const stopping = useJob(gpuJob, (state) => state.stopping)
  const startedAt = useJob(gpuJob, (state) => state.startedAt)
  const progress = useJob(gpuJob, (state) => state.progress)
  const report = useJob(gpuJob, (state) => state.value)
  const error = useJob(gpuJob, (state) => state.error)
  const checks = running ? (progress?.checks ?? []) : (report?.checks ?? [])
  return (
    <Section
      title="GPU self-test"
      note={running ? `${checks.length} of ${gpuCheckNames.length}` : ''}
    >
      <p className="muted">
        Runs ten checks in about a minute. The checks test the driver, libtorch, nvcc, the timings,
        and the reports of faults in CUDA kernels.
      </p>
      <div className="doctor-gpu-actions">
        {running ? (
          <Button
            icon="stop"
            disabled={stopping}
            onClick={() => void gpuJob.stop()}
            testId="gpu-stop"
          >
            Stop
          </Button>
        ) : (
          <Button icon="play" onClick={() => void gpuJob.run()} testId="gpu-run">
            Check the GPU
          </Button>
        )}
        {running && (
          <span role="status" data-testid="gpu-progress">
            <Elapsed since={startedAt} />{' '}
            {progress?.running ? `${gpuCheckTitles[progress.running]} …` : ''}
          </span>
        )}
        {!running && report && (
          <CopyButton
            text={() => gpuTable(report)}
            label="Copy the results as a Markdown table"
            word="Copy as table"
            testId="gpu-copy"
          />
        )}
      </div>
      {error && <ErrorView error={error} />}
      {checks.length > 0 && (
        <table className="table findings" data-testid="gpu-checks">
          <thead>
            <tr>
              <th scope="col">Verdict</th>
              <th scope="col">Check</th>
              <th scope="col">Found</th>
            </tr>
          </thead>
          <tbody>
            {checks.map((check) => (
              <CheckRow key={check.name} check={check} />
            ))}
          </tbody>
        </table>
      )}
    </Section>
  )
}

function CheckRow({ check }: { check: GpuCheck }): ReactElement {
  const { icon, word, tone } = verdicts[check.status]
  const figures = Object.entries(check.figures).filter(([, value]) => value !== '')
  return (
    <tr data-testid={`gpu-check-${check.name}`} data-status={check.status}>
      <td className={tone}>
        <Icon name={icon} /> {word}
      </td>
      <td>{gpuCheckTitles[check.name]}</td>
      <td>
        <div className="selectable">{check.reason}</div>
        {figures.length > 0 && (
          <div className="muted facts">
            {figures.map(([name, value]) => (
              <span key={name}>
                {name} <span className="mono">{value}</span>
              </span>
            ))}
          </div>
        )}
      </td>
    </tr>
  )
}
