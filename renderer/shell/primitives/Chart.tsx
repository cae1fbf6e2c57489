import { useEffect, useRef, type ReactElement } from 'react'
import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'

import { useTheme } from '../../store/theme'

type Props = {
  /** Keep it the same while the chart is: another function draws another chart. */
  make: (element: HTMLElement) => { options: Omit<UPlot.Options, 'width'>; data: UPlot.AlignedData }
  /** What the chart says, for those who do not see it. */
  label: string
  testId: string
}

/** A uPlot chart as wide as its place, in the colours of the theme. */
export function Chart({ make, label, testId }: Props): ReactElement {
  const host = useRef<HTMLDivElement>(null)
  const theme = useTheme()
  useEffect(() => {
    const element = host.current
    if (!element) return
    const { options, data } = make(element)
    const chart = new UPlot({ ...options, width: element.clientWidth }, data, element)
    const resize = new ResizeObserver(() => {
      chart.setSize({ width: element.clientWidth, height: options.height })
    })
    resize.observe(element)
    return () => {
      resize.disconnect()
      chart.destroy()
    }
  }, [make, theme])
  return <div className="chart" ref={host} role="img" aria-label={label} data-testid={testId} />
}
