import type { ReactElement } from 'react'

import type { DeviceKernel, DeviceState } from '../../../electron/contract/timing-device'
import type { TimingReport, TimingRow } from '../../../electron/contract/timing-report'
import { Button } from '../../shell/primitives/Button'
import { ErrorView } from '../../shell/primitives/ErrorView'
import { Section } from '../../shell/primitives/Section'
import { useJob } from '../../store/job'
import { kernelsJob } from './jobs'
import { listKernels } from './run'
import { useIsTiming } from './shown'
import { inUnit, timeText, unitFor } from './time-units'

type Props = { row: TimingRow; devices: TimingReport['devices'] }

/** What there is to tell of a row on a GPU next to its time: launches, its state, its kernels. */
export function DeviceSection({ row, devices }: Props): ReactElement | null {
  const { gpu, device } = row
  if (!gpu) return null
  const facts = devices.find((one) => one.device === device)
  const missing = gpu.after.missing
  return (
    <Section title="On the device" note={facts?.name ?? device}>
      <dl className="stats" data-testid="timings-device">
        <Fact name="launch time on the host" text={timeText(gpu.launch)} />
        {gpu.replay && <Fact name="in a CUDA graph" text={timeText(gpu.replay.median)} />}
        {stateFacts(gpu.before, gpu.after).map(([name, text]) => (
          <Fact key={name} name={name} text={text} />
        ))}
      </dl>
      {gpu.noReplay !== '' && <p className="muted">No time in a CUDA graph: {gpu.noReplay}.</p>}
      {missing !== '' && (
        <p className="muted">Clock, temperature and throttling are not known: {missing}.</p>
      )}
      {row.kind === 'operator' && row.direction === 'forward' && <Kernels />}
    </Section>
  )
}

function Fact({ name, text }: { name: string; text: string }): ReactElement {
  return (
    <div className="stat">
      <dt>{name}</dt>
      <dd className="number">{text}</dd>
    </div>
  )
}

/** What changed is told from when to when. */
function stateFacts(before: DeviceState, after: DeviceState): [string, string][] {
  const one = (
    name: string,
    of: (state: DeviceState) => number | undefined,
    unit: string,
    scale = 1,
  ): [string, string][] => {
    const [from, to] = [of(before), of(after)]
    if (from === undefined || to === undefined) return []
    const texts = [Math.round(from / scale), Math.round(to / scale)]
    return [[name, `${[...new Set(texts)].join(' → ')} ${unit}`]]
  }
  return [
    ...one('clock', (state) => state.clock, 'MHz', 1e6),
    ...one('memory clock', (state) => state.memoryClock, 'MHz', 1e6),
    ...one('temperature', (state) => state.temperature, '°C'),
    ...one('power', (state) => state.power, 'W'),
  ]
}

function Kernels(): ReactElement {
  const { value: list, error, running } = useJob(kernelsJob, (state) => state)
  const isBusy = useIsTiming() || running !== null
  return (
    <>
      <p>
        <Button disabled={isBusy} onClick={() => void listKernels()} testId="timings-list-kernels">
          List the GPU kernels
        </Button>
      </p>
      {error && <ErrorView error={error} />}
      {list && list.kernels.length === 0 && (
        <p className="muted" data-testid="timings-no-kernels">
          {list.note}
        </p>
      )}
      {list && list.kernels.length > 0 && <KernelTable kernels={list.kernels} />}
    </>
  )
}

function KernelTable({ kernels }: { kernels: readonly DeviceKernel[] }): ReactElement {
  const unit = unitFor(kernels.map(({ seconds }) => seconds))
  return (
    <div className="timings-wide">
      <table className="table number timings-numbers" data-testid="timings-kernels">
        <thead>
          <tr>
            <th>kernel</th>
            <th className="right">{unit.name}</th>
            <th className="right">grid</th>
            <th className="right">block</th>
            <th className="right">registers</th>
            <th className="right">shared memory (B)</th>
            <th className="right">occupancy</th>
          </tr>
        </thead>
        <tbody>
          {kernels.map((kernel) => (
            <tr key={`${kernel.start} ${kernel.name}`}>
              <td title={kernel.name}>{kernel.name}</td>
              <td className="right">{inUnit(kernel.seconds, unit)}</td>
              <td className="right">{kernel.grid?.join('×')}</td>
              <td className="right">{kernel.block?.join('×')}</td>
              <td className="right">{kernel.registers}</td>
              <td className="right">{kernel.sharedMemory}</td>
              <td className="right">
                {kernel.occupancy !== undefined && `${Math.round(100 * kernel.occupancy)} %`}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
