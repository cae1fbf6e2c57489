import { useCallback, useMemo, useState, type ReactElement } from 'react'

import type { TimingDirection } from '../../../electron/contract/timing-names'
import type { TimingRow } from '../../../electron/contract/timing-report'
import { Chart } from '../../shell/primitives/Chart'
import { Section } from '../../shell/primitives/Section'
import { Segmented } from '../../shell/primitives/Segmented'
import { curveChart, seriesDash, seriesToken } from './curve-plot'
import {
  crossoversOf,
  curvesOf,
  hasMeasure,
  sweptVariables,
  type Crossover,
  type Curve,
  type CurveMeasure,
  type SweptVariable,
} from './sweep-curves'
import { rateText, timeText } from './time-units'

const measures: { value: CurveMeasure; label: string }[] = [
  { value: 'time', label: 'time' },
  { value: 'bandwidth', label: 'GB/s' },
  { value: 'flops', label: 'GFLOP/s' },
]

/** Time, or rate, over what is swept. */
export function SizeSweepSection({ rows }: { rows: readonly TimingRow[] }): ReactElement | null {
  const variables = useMemo(() => sweptVariables(rows), [rows])
  const [over, setOver] = useState('')
  const [direction, setDirection] = useState<TimingDirection>('forward')
  const [measure, setMeasure] = useState<CurveMeasure>('time')
  const variable = variables.find((one) => one.key === over) ?? variables[0]
  if (!variable) return null
  const directions = (['forward', 'backward', 'both'] as const).filter((one) =>
    rows.some((row) => row.direction === one && row.summary),
  )
  const shownDirection = directions.includes(direction) ? direction : (directions[0] ?? 'forward')
  const ofDirection = rows.filter((row) => row.direction === shownDirection)
  const known = measures.filter(({ value }) => hasMeasure(ofDirection, value))
  const shownMeasure = known.some(({ value }) => value === measure) ? measure : 'time'
  return (
    <Section title="Sweep" note={`over ${variables.map((one) => one.label).join(', ')}`}>
      <div className="timings-choices">
        {variables.length > 1 && (
          <label className="case-option">
            <span className="muted">over</span>
            <select value={variable.key} onChange={(event) => setOver(event.target.value)}>
              {variables.map((one) => (
                <option key={one.key} value={one.key}>
                  {one.label}
                </option>
              ))}
            </select>
          </label>
        )}
        {directions.length > 1 && (
          <Segmented
            label="Direction"
            value={shownDirection}
            onChange={setDirection}
            options={directions.map((one) => ({ value: one, label: one }))}
          />
        )}
        {known.length > 1 && (
          <Segmented label="Quantity" value={shownMeasure} onChange={setMeasure} options={known} />
        )}
      </div>
      <Curves rows={rows} over={variable} direction={shownDirection} measure={shownMeasure} />
    </Section>
  )
}

type CurvesProps = {
  rows: readonly TimingRow[]
  over: SweptVariable
  direction: TimingDirection
  measure: CurveMeasure
}

function Curves({ rows, over, direction, measure }: CurvesProps): ReactElement {
  const curves = useMemo(
    () => curvesOf(rows, over, direction, measure),
    [rows, over, direction, measure],
  )
  const crossovers = useMemo(() => crossoversOf(curves, over.label), [curves, over])
  const make = useCallback(
    (element: HTMLElement) => curveChart(element, curves, over, measure, crossovers),
    [curves, over, measure, crossovers],
  )
  if (curves.length === 0)
    return <p className="muted">No point has a time to draw. The table shows why.</p>
  const text = measure === 'time' ? 'Time' : 'Rate'
  return (
    <>
      <Chart
        make={make}
        label={`${text} of ${direction} over ${over.label}, ${curves.length} curves, quartiles as bands. ${crossovers.map((one) => crossoverText(one, curves)).join(' ')} The numbers are in the table.`}
        testId="timings-sweep-chart"
      />
      <ul className="timings-legend">
        {curves.map((curve, index) => (
          <li key={curve.label}>
            <LineSample index={index} />
            <span className="mono">{curve.label}</span>
          </li>
        ))}
      </ul>
      {crossovers.map((one) => (
        <p key={`${one.curve} ${one.x}`} data-testid="timings-crossover">
          {crossoverText(one, curves)}
        </p>
      ))}
      <CurveNumbers curves={curves} over={over} measure={measure} />
    </>
  )
}

function crossoverText(crossover: Crossover, curves: readonly Curve[]): string {
  return `Compared with the operator, ${curves[crossover.curve]?.label ?? ''} is ${crossover.label}.`
}

/** A curve's colour and dashes, next to its name. */
export function LineSample({ index }: { index: number }): ReactElement {
  return (
    <svg className="timings-sample" viewBox="0 0 26 8" aria-hidden>
      <path
        d="M0 4h26"
        stroke={`var(${seriesToken(index)})`}
        strokeWidth={2}
        strokeDasharray={seriesDash(index).join(' ')}
      />
    </svg>
  )
}

type NumbersProps = { curves: readonly Curve[]; over: SweptVariable; measure: CurveMeasure }

function CurveNumbers({ curves, over, measure }: NumbersProps): ReactElement {
  const text = (value: number): string =>
    measure === 'time' ? timeText(value) : rateText(value, measure === 'bandwidth' ? 'B' : 'FLOP')
  return (
    <details className="details">
      <summary>Numbers</summary>
      <div className="timings-wide">
        <table className="table number timings-numbers">
          <thead>
            <tr>
              <th className="right">{over.label}</th>
              {curves.map((curve) => (
                <th key={curve.label} className="right">
                  {curve.label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {over.values.map((x) => (
              <tr key={x}>
                <td className="right">{x.toLocaleString('en')}</td>
                {curves.map((curve) => {
                  const point = curve.points.find((one) => one.x === x)
                  return (
                    <td key={curve.label} className="right">
                      {point ? text(point.y) : '–'}
                    </td>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}
