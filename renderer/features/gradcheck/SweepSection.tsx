import { useEffect, useRef, type ReactElement } from 'react'
import type UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'

import type { SweepCurve, SweepReport } from '../../../electron/contract/gradcheck'
import { Button } from '../../shell/primitives/Button'
import { Progress } from '../../shell/primitives/Elapsed'
import { ErrorView } from '../../shell/primitives/ErrorView'
import { formatNumber, formatSeconds } from '../../shell/primitives/format'
import { Section } from '../../shell/primitives/Section'
import { useJob } from '../../store/job'
import { useStaleness } from '../../store/staleness'
import { useGradcheck } from './store'
import { powerText } from './case'
import { noSteps, stopGradchecks, sweepJob } from './jobs'
import { caseKey, editOptions, sweepEps } from './run'
import { useTheme } from '../../store/theme'
import { chartHeight, makeChart } from './sweep-plot'

/** Where truncation and rounding lie, and so which step a right gradient can be told from a wrong one by. */
export function EpsSweepSection(): ReactElement {
  const swept = useJob(sweepJob, (state) => state.value)
  const isSweeping = useJob(sweepJob, (state) => state.running !== null)
  const { done, total } = useJob(sweepJob, (state) => state.progress) ?? noSteps
  const error = useJob(sweepJob, (state) => state.error)
  const isOurs = useGradcheck((state) => swept?.key === caseKey(state.draft))
  const hasCase = useGradcheck((state) => state.draft.op !== '')
  const isOld = useStaleness(swept?.stamp ?? null, 'run') === 'older'
  const shown = isOurs && swept ? swept.report : null
  return (
    <Section
      title="Error over eps"
      note={shown ? (isOld ? 'from older sources' : formatSeconds(shown.seconds)) : ''}
      actions={
        isSweeping ? (
          <>
            <Progress done={done} steps={total} label="Steps" />
            <Button icon="stop" onClick={() => void stopGradchecks()}>
              Stop
            </Button>
          </>
        ) : (
          <Button
            icon="pulse"
            disabled={!hasCase}
            onClick={() => void sweepEps()}
            testId="gradcheck-sweep"
          >
            {shown ? 'Sweep again' : 'Sweep eps'}
          </Button>
        )
      }
    >
      {error && <ErrorView error={error} />}
      {shown ? (
        <div className={isOld || isSweeping ? 'stale' : ''}>
          <Swept report={shown} />
        </div>
      ) : (
        !isSweeping && (
          <p className="muted">
            A large eps causes a truncation error, and a small eps causes a rounding error. The
            sweep shows the error over eps, and the eps with the smallest error, for float32 and for
            float64.
          </p>
        )
      )}
    </Section>
  )
}

function Swept({ report }: { report: SweepReport }): ReactElement {
  const best = report.curves.flatMap((curve) => {
    const point = curve.recommended === undefined ? undefined : curve.points[curve.recommended]
    return point ? [{ curve, point }] : []
  })
  const chosen = useGradcheck((state) => state.draft.options.eps)
  return (
    <>
      {best.length > 0 && <Chart report={report} />}
      <div className="gradcheck-best">
        {best.map(({ curve, point }) => (
          <Button
            key={curve.dtype}
            pressed={chosen === point.eps}
            onClick={() => editOptions({ eps: point.eps })}
            title={`Sets eps to this value, which has the smallest error (${formatNumber(point.maxAbsolute, 3)})`}
            testId={`gradcheck-best-${curve.dtype}`}
          >
            {curve.dtype}: eps {powerText(point.eps)}
          </Button>
        ))}
      </div>
      {report.curves
        .filter((curve) => curve.recommended === undefined)
        .map((curve) => (
          <p key={curve.dtype} className="muted">
            {curve.dtype}: {curve.reason}
          </p>
        ))}
      <SweepTable curves={report.curves} />
    </>
  )
}

function Chart({ report }: { report: SweepReport }): ReactElement {
  const host = useRef<HTMLDivElement>(null)
  const theme = useTheme()
  const { eps, atol, rtol } = useGradcheck((state) => state.draft.options)
  const plot = useRef({ eps, atol, rtol, onEps: (next: number) => editOptions({ eps: next }) })
  const chart = useRef<UPlot | null>(null)
  useEffect(() => {
    plot.current = { ...plot.current, eps, atol, rtol }
    chart.current?.redraw()
  }, [eps, atol, rtol])
  useEffect(() => {
    const element = host.current
    if (!element) return
    const made = makeChart(element, report, () => plot.current)
    chart.current = made
    const resize = new ResizeObserver(() => {
      made.setSize({ width: element.clientWidth, height: chartHeight })
    })
    resize.observe(element)
    return () => {
      resize.disconnect()
      made.destroy()
      chart.current = null
    }
  }, [report, theme])
  return (
    <div
      className="chart gradcheck-sweep"
      ref={host}
      role="img"
      aria-label={`Largest error over eps. ${report.curves.map(curveText).join(' ')} Click a point to use its eps.`}
      data-testid="gradcheck-sweep-chart"
    />
  )
}

function curveText(curve: SweepCurve): string {
  const best = curve.recommended === undefined ? undefined : curve.points[curve.recommended]
  if (!best) return `${curve.dtype}: ${curve.reason}.`
  return `${curve.dtype}: smallest error ${formatNumber(best.maxAbsolute, 3)}, at eps ${powerText(best.eps)}.`
}

function SweepTable({ curves }: { curves: readonly SweepCurve[] }): ReactElement {
  return (
    <details className="details">
      <summary>Numbers</summary>
      <table className="table number gradcheck-sweep-table">
        <thead>
          <tr>
            <th>dtype</th>
            <th>eps</th>
            <th className="right">largest error</th>
            <th>verdict</th>
            <th>main error</th>
          </tr>
        </thead>
        <tbody>
          {curves.flatMap((curve) =>
            curve.points.map((point) => (
              <tr key={`${curve.dtype} ${point.eps}`}>
                <td>{curve.dtype}</td>
                <td>
                  <button
                    type="button"
                    className="link"
                    title="Use this eps"
                    onClick={() => editOptions({ eps: point.eps })}
                  >
                    {powerText(point.eps)}
                  </button>
                </td>
                <td className="right">{formatNumber(point.maxAbsolute, 4)}</td>
                <td className={point.ok ? 'tone-ok' : 'tone-error'}>
                  {point.ok ? 'passed' : 'failed'}
                </td>
                <td className="muted">{point.branch === 'flat' ? '' : point.branch}</td>
              </tr>
            )),
          )}
        </tbody>
      </table>
    </details>
  )
}
