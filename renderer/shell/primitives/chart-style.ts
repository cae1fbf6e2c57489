import type UPlot from 'uplot'

export type ChartStyle = {
  colour: (token: string) => string
  /** For axes, and for words in the chart: the same, in pixels of the canvas. */
  font: string
  canvasFont: string
  axis: UPlot.Axis
}

export function chartStyle(element: HTMLElement): ChartStyle {
  const style = getComputedStyle(element)
  const colour = (token: string): string => style.getPropertyValue(token).trim()
  const pixels = parseFloat(style.fontSize) * 0.86
  const font = `${Math.round(pixels)}px ${style.fontFamily}`
  const canvasFont = `${Math.round(pixels * window.devicePixelRatio)}px ${style.fontFamily}`
  const axis: UPlot.Axis = {
    stroke: colour('--text-muted'),
    grid: { stroke: colour('--border'), width: 1 },
    ticks: { stroke: colour('--border'), width: 1, size: 4 },
    font,
    labelFont: font,
    labelSize: 18,
    // By default logarithmic axes leave out what they find too close.
    filter: (_chart, splits) => splits,
  }
  return { colour, font, canvasFont, axis }
}

/** Ticks of a logarithmic axis: powers of ten, with 2 and 5 between where they are few, else round steps. */
export function logTicks(low: number, high: number, most = 9): number[] {
  const first = Math.floor(Math.log10(low))
  const last = Math.ceil(Math.log10(high))
  const within = (value: number): boolean => value >= low * 0.999 && value <= high * 1.001
  const of = (steps: readonly number[]): number[] =>
    Array.from({ length: last - first + 1 }, (_, index) => first + index)
      .flatMap((power) => steps.map((step) => Number(`${step}e${power}`)))
      .filter(within)
  for (const steps of [
    [1, 2, 3, 4, 5, 6, 7, 8, 9],
    [1, 2, 5],
  ]) {
    const ticks = of(steps)
    if (ticks.length >= 2 && ticks.length <= most) return ticks
    if (ticks.length < 2)
      return [low, Math.sqrt(low * high), high].map((one) => Number(one.toPrecision(3)))
  }
  const decades = of([1])
  const every = Math.ceil(decades.length / most)
  return decades.filter((_, index) => index % every === 0)
}

/** In canvas pixels, as uPlot's hooks draw. */
export function drawLine(
  context: CanvasRenderingContext2D,
  from: readonly [number, number],
  to: readonly [number, number],
): void {
  context.beginPath()
  context.moveTo(...from)
  context.lineTo(...to)
  context.stroke()
}

/** Words at the top right of a chart that follow the pointer. */
export function readoutPlugin(textAt: (chart: UPlot) => string): UPlot.Plugin {
  const label = document.createElement('div')
  label.className = 'chart-readout number'
  return {
    hooks: {
      init: (chart) => chart.over.append(label),
      setCursor: (chart) => {
        label.textContent = (chart.cursor.left ?? -1) < 0 ? '' : textAt(chart)
      },
    },
  }
}
