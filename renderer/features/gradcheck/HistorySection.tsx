import type { ReactElement } from 'react'

import type { GradcheckPoint } from '../../../electron/contract/gradcheck'
import { formatNumber } from '../../shell/primitives/format'
import { Section } from '../../shell/primitives/Section'
import { useGradcheck } from './store'

const width = 360
const height = 84
const edge = 10
/** Builds that are shown; the last ones. */
const shownBuilds = 40

/** The largest error of this very check, build after build. */
export function ErrorHistorySection(): ReactElement | null {
  const all = useGradcheck((state) => state.history)
  const points = all.slice(-shownBuilds)
  if (points.length < 2) return null
  return (
    <Section title="History" note={`${all.length} builds`}>
      <HistoryChart points={points} />
    </Section>
  )
}

function HistoryChart({ points }: { points: readonly GradcheckPoint[] }): ReactElement {
  const errors = points.flatMap(({ error }) => (isDrawn(error) ? [error] : []))
  const low = Math.log10(Math.min(...errors, 1)) - 0.3
  const high = Math.log10(Math.max(...errors, 1e-16)) + 0.3
  const x = (index: number): number => edge + (index * (width - 2 * edge)) / (points.length - 1)
  const y = (error: number | null): number =>
    isDrawn(error)
      ? edge + ((high - Math.log10(error)) / Math.max(high - low, 1e-9)) * (height - 2 * edge)
      : height - edge / 2
  const isLow = (index: number): boolean => y(points[index]?.error ?? null) > height / 2
  const path = points.map((point, index) => `${x(index)},${y(point.error)}`).join(' ')
  return (
    <svg
      className="gradcheck-history"
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={`Largest error in each of ${points.length} builds. In the newest build, the largest error is ${formatNumber(points.at(-1)?.error, 3)}.`}
      data-testid="gradcheck-history"
      data-builds={points.length}
    >
      <polyline points={path} className="gradcheck-history-line" />
      {[0, points.length - 1].map((index) => (
        <text
          key={index}
          x={x(index)}
          y={y(points[index]?.error ?? null) + (isLow(index) ? -8 : 16)}
          textAnchor={index === 0 ? 'start' : 'end'}
        >
          {formatNumber(points[index]?.error, 2)}
        </text>
      ))}
      {points.map((point, index) => {
        const at = { x: x(index), y: y(point.error) }
        const title = `${new Date(point.time).toLocaleString('en')}: ${point.ok ? 'passed' : 'failed'}, largest error ${formatNumber(point.error, 4)}`
        return (
          <g key={`${point.build} ${point.time}`} className={point.ok ? 'tone-ok' : 'tone-error'}>
            <title>{title}</title>
            {point.ok ? (
              <circle cx={at.x} cy={at.y} r={4} fill="currentColor" />
            ) : (
              <path
                d={`M${at.x - 4},${at.y - 4}l8,8m0,-8l-8,8`}
                stroke="currentColor"
                strokeWidth={2}
              />
            )}
          </g>
        )
      })}
    </svg>
  )
}

/** Logarithms know neither zero nor infinity: those lie at the bottom. */
function isDrawn(error: number | null): error is number {
  return error !== null && Number.isFinite(error) && error > 0
}
