import { useEffect, useState, type ReactElement } from 'react'

import type { TensorHandle } from '../../../electron/contract/tensor'
import { formatNumber } from '../../shell/primitives/format'
import { Segmented } from '../../shell/primitives/Segmented'
import { gradientOf, scaleOf } from '../../shell/primitives/colour-map'
import { HistogramView } from './HistogramView'
import { showSlice, type ShownTensor } from './shown'
import { TensorTable } from './TensorTable'

type Props = {
  shown: ShownTensor & { tensor: TensorHandle }
  /** The op host no longer has the values. */
  isGone: boolean
}

export function TensorView({ shown, isGone }: Props): ReactElement {
  const { key, tensor, index, jumps } = shown
  const [view, setView] = useState<'table' | 'histogram'>('table')
  const [heat, setHeat] = useState(true)

  useEffect(() => {
    if (jumps > 0) setView('table')
  }, [jumps])

  const isDifference = key.startsWith('difference')
  const scale = scaleOf(tensor.stats, isDifference)
  return (
    <div className="run-tensor">
      <div className="run-tensor-bar">
        <span className="mono">{key}</span>
        <span className="grow" />
        {view === 'table' && (
          <label className="check">
            <input
              type="checkbox"
              checked={heat}
              onChange={(event) => setHeat(event.target.checked)}
            />
            Heat map
          </label>
        )}
        <Segmented
          label="View of the values"
          value={view}
          onChange={setView}
          options={[
            { value: 'table', label: 'Table', testId: 'run-table' },
            { value: 'histogram', label: 'Histogram', testId: 'run-histogram' },
          ]}
        />
      </div>
      {view === 'table' && (
        <>
          {tensor.shape.slice(0, -2).map((size, dimension) => (
            <DimensionSlider
              key={dimension}
              dimension={dimension}
              size={size}
              value={index[dimension] ?? 0}
              onChange={(value) =>
                showSlice(index.map((old, other) => (other === dimension ? value : old)))
              }
            />
          ))}
          <TensorTable shown={shown} scale={heat ? scale : null} isGone={isGone} />
          {heat && scale.high > scale.low && (
            <div className="legend" aria-hidden>
              <span className="number">{formatNumber(scale.low)}</span>
              <div style={{ background: gradientOf(scale.kind) }} />
              <span className="number">{formatNumber(scale.high)}</span>
            </div>
          )}
        </>
      )}
      {view === 'histogram' && <HistogramView tensor={tensor} isGone={isGone} />}
    </div>
  )
}

type SliderProps = {
  dimension: number
  size: number
  value: number
  onChange: (value: number) => void
}

function DimensionSlider({ dimension, size, value, onChange }: SliderProps): ReactElement {
  const id = `dimension-${dimension}`
  return (
    <div className="run-dimension">
      <label htmlFor={id} className="mono">
        dim {dimension}
      </label>
      <input
        id={id}
        type="range"
        min={0}
        max={Math.max(size - 1, 0)}
        value={value}
        data-testid={`run-dimension-${dimension}`}
        onChange={(event) => onChange(Number(event.target.value))}
      />
      <input
        type="number"
        className="mono"
        aria-label={`Index in dimension ${dimension}`}
        min={0}
        max={Math.max(size - 1, 0)}
        value={value}
        onChange={(event) => onChange(Math.min(Math.max(Number(event.target.value), 0), size - 1))}
      />
      <span className="muted number">of {size}</span>
    </div>
  )
}
