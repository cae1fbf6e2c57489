import { useEffect, useRef, useState, type ReactElement } from 'react'
import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'

import type { WorkbenchError } from '../../../electron/contract/outcome'
import type { Histogram, TensorHandle } from '../../../electron/contract/tensor'
import { ErrorView } from '../../shell/primitives/ErrorView'
import { formatNumber } from '../../shell/primitives/format'
import { fetchHistogram } from '../../store/tensor-pages'
import { useTheme } from '../../store/theme'

/** Rice's rule: twice the cube root of the count; few values must not look like a comb. */
function binsFor(count: number): number {
  return Math.min(Math.max(Math.ceil(2 * Math.cbrt(count)), 8), 64)
}

const chartHeight = 220

/** How the finite values spread; NaN and infinities are counted in the statistics above. */
export function HistogramView({ tensor }: { tensor: TensorHandle }): ReactElement {
  const [answer, setAnswer] = useState<Histogram | WorkbenchError | null>(null)
  useEffect(() => {
    let wanted = true
    void fetchHistogram(tensor.handle, binsFor(tensor.stats.count)).then((value) => {
      if (wanted) setAnswer(value)
    })
    return () => {
      wanted = false
    }
  }, [tensor.handle, tensor.stats.count])
  if (answer === null) return <p className="muted">Counting …</p>
  if ('code' in answer) return <ErrorView error={answer} />
  if (answer.counts.length === 0) return <p className="muted">No finite values.</p>
  return <Chart histogram={answer} />
}

function Chart({ histogram }: { histogram: Histogram }): ReactElement {
  const host = useRef<HTMLDivElement>(null)
  const theme = useTheme()
  useEffect(() => {
    const element = host.current
    if (!element) return
    const chart = new UPlot(
      chartOptions(element, histogram),
      // The last count is repeated, so that the last step reaches the last edge.
      [histogram.edges, [...histogram.counts, histogram.counts.at(-1) ?? 0]],
      element,
    )
    const resize = new ResizeObserver(() => {
      chart.setSize({ width: element.clientWidth, height: chartHeight })
    })
    resize.observe(element)
    return () => {
      resize.disconnect()
      chart.destroy()
    }
  }, [histogram, theme])
  const highest = Math.max(...histogram.counts)
  const at = histogram.counts.indexOf(highest)
  const from = formatNumber(histogram.edges[at])
  const to = formatNumber(histogram.edges[at + 1])
  return (
    <div
      className="chart"
      ref={host}
      role="img"
      aria-label={`Histogram of ${histogram.counts.length} bins; most values, ${highest}, lie from ${from} to ${to}`}
      data-testid="run-histogram-chart"
    />
  )
}

function chartOptions(element: HTMLElement, histogram: Histogram): UPlot.Options {
  const style = getComputedStyle(element)
  const colour = (name: string): string => style.getPropertyValue(name).trim()
  const axis: UPlot.Axis = {
    stroke: colour('--text-muted'),
    grid: { stroke: colour('--border'), width: 1 },
    ticks: { stroke: colour('--border'), width: 1, size: 4 },
    font: `${style.fontSize} ${style.fontFamily}`,
  }
  return {
    width: element.clientWidth,
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
    plugins: [readout(histogram)],
  }
}

/** The bin under the pointer, in words. */
function readout(histogram: Histogram): UPlot.Plugin {
  const label = document.createElement('div')
  label.className = 'chart-readout number'
  return {
    hooks: {
      init: (chart) => chart.over.append(label),
      setCursor: (chart) => {
        const x = chart.cursor.left ?? -1
        if (x < 0) {
          label.textContent = ''
          return
        }
        const value = chart.posToVal(x, 'x')
        const after = histogram.edges.findIndex((edge) => edge > value)
        const bin = after < 1 ? histogram.counts.length - 1 : after - 1
        const from = formatNumber(histogram.edges[bin])
        const to = formatNumber(histogram.edges[bin + 1])
        label.textContent = `${histogram.counts[bin] ?? 0} in [${from}, ${to})`
      },
    },
  }
}
