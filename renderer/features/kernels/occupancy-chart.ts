import UPlot from 'uplot'

import type { OccupancyPoint } from '../../../electron/contract/occupancy'
import { chartStyle, drawLine, readoutPlugin } from '../../shell/primitives/chart-style'

const height = 220

/** A step for each change; a line where the block is now. */
export function curveChart(
  element: HTMLElement,
  points: readonly OccupancyPoint[],
  label: string,
  now: number,
): { options: Omit<UPlot.Options, 'width'>; data: UPlot.AlignedData } {
  const { colour, axis } = chartStyle(element)
  const steps = UPlot.paths.stepped?.({ align: -1 })
  const drawNow = (chart: UPlot): void => {
    const { ctx, bbox } = chart
    const x = chart.valToPos(now, 'x', true)
    if (x < bbox.left || x > bbox.left + bbox.width) return
    ctx.save()
    ctx.strokeStyle = colour('--text-muted')
    ctx.lineWidth = window.devicePixelRatio
    ctx.setLineDash([4 * window.devicePixelRatio, 3 * window.devicePixelRatio])
    drawLine(ctx, [x, bbox.top], [x, bbox.top + bbox.height])
    ctx.restore()
  }
  const options: Omit<UPlot.Options, 'width'> = {
    height,
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    scales: { x: { time: false }, y: { range: [0, 1.05] } },
    axes: [
      { ...axis, label, size: 28 },
      {
        ...axis,
        size: 46,
        splits: [0, 0.25, 0.5, 0.75, 1],
        values: (_chart, splits) => splits.map((part) => `${Math.round(100 * part)} %`),
      },
    ],
    series: [
      {},
      {
        stroke: colour('--series-1'),
        width: 2,
        points: { show: false },
        ...(steps ? { paths: steps } : {}),
      },
    ],
    hooks: { draw: [drawNow] },
    plugins: [
      readoutPlugin((chart) => {
        const point = points[chart.cursor.idx ?? -1]
        if (!point) return ''
        return `${point.value.toLocaleString('en')}: ${Math.round(100 * point.occupancy)} %, ${point.blocks} blocks`
      }),
    ],
  }
  return {
    options,
    data: [points.map(({ value }) => value), points.map(({ occupancy }) => occupancy)],
  }
}
