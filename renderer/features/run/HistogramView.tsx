import { useCallback, useEffect, useState, type ReactElement } from 'react'
import UPlot, { type AlignedData } from 'uplot'

import type { WorkbenchError } from '../../../electron/contract/outcome'
import type { Histogram, TensorHandle } from '../../../electron/contract/tensor'
import { Chart } from '../../shell/primitives/Chart'
import { chartStyle, readoutPlugin } from '../../shell/primitives/chart-style'
import { ErrorView } from '../../shell/primitives/ErrorView'
import { formatNumber } from '../../shell/primitives/format'
import { fetchHistogram } from './tensor-pages'

/** Rice's rule: twice the cube root of the count; few values must not look like a comb. */
function binsFor(count: number): number {
  return Math.min(Math.max(Math.ceil(2 * Math.cbrt(count)), 8), 64)
}

const chartHeight = 220

/** What was counted last, and of which tensor. */
type Counted = { answer: Histogram | WorkbenchError | null; tensor: TensorHandle | null }

type Props = {
  tensor: TensorHandle
  /** The op host no longer has the values. */
  isGone: boolean
}

/** How the finite values spread; NaN and infinities are counted in the statistics above. */
export function HistogramView({ tensor, isGone }: Props): ReactElement {
  const [{ answer, tensor: counted }, setCounted] = useState<Counted>({
    answer: null,
    tensor: null,
  })
  useEffect(() => {
    if (isGone) return undefined
    let wanted = true
    void fetchHistogram(tensor.handle, binsFor(tensor.stats.count)).then((value) => {
      if (wanted) setCounted({ answer: value, tensor })
    })
    return () => {
      wanted = false
    }
  }, [tensor, isGone])
  if (answer === null) return <p className="muted">Counting …</p>
  if ('code' in answer) return <ErrorView error={answer} />
  if (answer.counts.length === 0) return <p className="muted">No finite values.</p>
  return (
    <div className={counted === tensor ? '' : 'stale'}>
      <HistogramChart histogram={answer} />
    </div>
  )
}

function HistogramChart({ histogram }: { histogram: Histogram }): ReactElement {
  const make = useCallback(
    (element: HTMLElement) => ({
      options: chartOptions(element, histogram),
      // The last count is repeated, so that the last step reaches the last edge.
      data: [histogram.edges, [...histogram.counts, histogram.counts.at(-1) ?? 0]] as AlignedData,
    }),
    [histogram],
  )
  const highest = Math.max(...histogram.counts)
  const at = histogram.counts.indexOf(highest)
  const from = formatNumber(histogram.edges[at])
  const to = formatNumber(histogram.edges[at + 1])
  return (
    <Chart
      make={make}
      label={`Histogram of ${histogram.counts.length} bins. The fullest bin, from ${from} to ${to}, has ${highest} values.`}
      testId="run-histogram-chart"
    />
  )
}

function chartOptions(element: HTMLElement, histogram: Histogram): Omit<UPlot.Options, 'width'> {
  const { colour, axis } = chartStyle(element)
  return {
    height: chartHeight,
    legend: { show: false },
    cursor: { y: false, points: { show: false } },
    scales: {
      x: { time: false },
      y: { range: (_chart, _min, max) => [0, Math.max(max * 1.05, 1)] },
    },
    axes: [
      { ...axis, values: (_chart, splits) => splits.map((value) => formatNumber(value, 4)) },
      { ...axis, size: 52, values: (_chart, splits) => splits.map((value) => formatNumber(value)) },
    ],
    series: [
      {},
      {
        label: 'count',
        stroke: colour('--accent'),
        fill: colour('--accent-fill'),
        width: 1.5,
        ...(UPlot.paths.stepped ? { paths: UPlot.paths.stepped({ align: 1 }) } : {}),
        points: { show: false },
      },
    ],
    plugins: [
      readoutPlugin((chart) => {
        const value = chart.posToVal(chart.cursor.left ?? 0, 'x')
        const after = histogram.edges.findIndex((edge) => edge > value)
        const bin = after < 1 ? histogram.counts.length - 1 : after - 1
        const from = formatNumber(histogram.edges[bin])
        const to = formatNumber(histogram.edges[bin + 1])
        return `${histogram.counts[bin] ?? 0} in [${from}, ${to})`
      }),
    ],
  }
}
