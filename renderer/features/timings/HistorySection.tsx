import { useState, type ReactElement } from 'react'

import type { TimingHistoryPoint, TimingRow } from '../../../electron/contract/timing-report'
import { DiffText } from '../../shell/primitives/DiffText'
import { ErrorView } from '../../shell/primitives/ErrorView'
import { Section } from '../../shell/primitives/Section'
import { useJob } from '../../store/job'
import { historyJob } from './jobs'
import { timeText } from './time-units'

const width = 480
const height = 110
const edge = 12
/** Builds that are shown; the last ones. */
const shownBuilds = 40

/** What this row took at each build, and what was edited before it. */
export function TimeHistorySection({ row }: { row: TimingRow }): ReactElement | null {
  const { value, error } = useJob(historyJob, (state) => state)
  const [build, setBuild] = useState('')
  if (error) {
    return (
      <Section title="History">
        <ErrorView error={error} />
      </Section>
    )
  }
  const history = value ?? []
  const points = history.slice(-shownBuilds)
  const last = points.at(-1)
  if (points.length < 2 || !last) return null
  const at = points.findIndex((point) => point.build === build)
  const chosen = points[at] ?? last
  const before = history[history.indexOf(chosen) - 1]
  return (
    <Section title="History" note={`${row.direction} of ${row.variant} · ${history.length} builds`}>
      <HistoryChart points={points} chosen={chosen} onChoose={(point) => setBuild(point.build)} />
      <p>
        <strong>{whenText(chosen.time)}</strong>{' '}
        <span className="number">
          {timeText(chosen.median)} [{timeText(chosen.p25)}, {timeText(chosen.p75)}]
        </span>
        {before && <span className="muted"> {timeChangeText(chosen, before)}</span>}
      </p>
      <DiffView diff={chosen.diff} isFirst={!before} />
    </Section>
  )
}

/** Against the build before it; quartiles that overlap say nothing. */
export function timeChangeText(point: TimingHistoryPoint, before: TimingHistoryPoint): string {
  if (point.p25 <= before.p75 && before.p25 <= point.p75)
    return 'no clear change from the previous build: the ranges between the quartiles overlap'
  const percent = 100 * (point.median / before.median - 1)
  const amount = Math.abs(percent) >= 10 ? percent.toFixed(0) : percent.toFixed(1)
  return `${percent > 0 ? '+' : ''}${amount} % from the previous build`
}

function whenText(time: number): string {
  return new Date(time)
    .toLocaleString('en-GB', {
      day: 'numeric',
      month: 'short',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    })
    .replace(',', '')
}

type ChartProps = {
  points: readonly TimingHistoryPoint[]
  chosen: TimingHistoryPoint
  onChoose: (point: TimingHistoryPoint) => void
}

/** Medians with their quartiles; each point is a button, arrows go from build to build. */
function HistoryChart({ points, chosen, onChoose }: ChartProps): ReactElement {
  const most = Math.max(...points.map((point) => point.p75))
  const least = Math.min(...points.map((point) => point.p25))
  const range = Math.max(most - least, most * 0.02)
  const x = (index: number): number =>
    edge + (index * (width - 2 * edge)) / Math.max(points.length - 1, 1)
  const y = (seconds: number): number => edge + ((most - seconds) / range) * (height - 2 * edge)
  const at = points.indexOf(chosen)
  const move = (step: number): void => {
    const next = points[Math.min(Math.max(at + step, 0), points.length - 1)]
    if (next) onChoose(next)
  }
  return (
    <svg
      className="timings-history"
      viewBox={`0 0 ${width} ${height}`}
      role="slider"
      tabIndex={0}
      aria-label="Build"
      aria-valuemin={1}
      aria-valuemax={points.length}
      aria-valuenow={at + 1}
      aria-valuetext={`${whenText(chosen.time)}: ${timeText(chosen.median)}`}
      data-testid="timings-history"
      data-builds={points.length}
      onKeyDown={(event) => {
        const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
        if (step === 0) return
        event.preventDefault()
        move(step)
      }}
    >
      <polyline
        className="timings-history-line"
        points={points.map((point, index) => `${x(index)},${y(point.median)}`).join(' ')}
      />
      {[0, points.length - 1].map((index) => {
        const seconds = points[index]?.median ?? 0
        const isLow = y(seconds) > height / 2
        return (
          <text
            key={index}
            x={x(index)}
            y={y(seconds) + (isLow ? -10 : 18)}
            textAnchor={index === 0 ? 'start' : 'end'}
          >
            {timeText(seconds)}
          </text>
        )
      })}
      {points.map((point, index) => (
        <g
          key={`${point.build} ${point.time}`}
          className={point === chosen ? 'timings-build chosen' : 'timings-build'}
          data-testid={`timings-build-${index}`}
          onClick={() => onChoose(point)}
        >
          <title>{`${whenText(point.time)}: ${timeText(point.median)}`}</title>
          <rect x={x(index) - 8} y={0} width={16} height={height} className="timings-build-area" />
          <path
            d={`M${x(index)},${y(point.p75)}V${y(point.p25)}`}
            className="timings-build-spread"
          />
          <circle cx={x(index)} cy={y(point.median)} r={point === chosen ? 5 : 3.5} />
        </g>
      ))}
    </svg>
  )
}

function DiffView({ diff, isFirst }: { diff: string; isFirst: boolean }): ReactElement {
  if (diff.trim() === '') {
    return (
      <p className="muted">
        {isFirst
          ? 'This is the first build of the history: there is no earlier build to compare with.'
          : 'No source changes to show: the sources are the same as in the previous build, or Opsmith no longer has the sources of one of the two builds.'}
      </p>
    )
  }
  return <DiffText diff={diff} label="Source changes of this build" testId="timings-diff" />
}
