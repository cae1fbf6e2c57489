import { useEffect, useState, type ReactElement } from 'react'

import type { TensorHandle } from '../../../electron/contract/tensor'
import { formatNumber } from '../../shell/primitives/format'
import { Segmented } from '../../shell/primitives/Segmented'
import { gradientOf, scaleOf } from '../../shell/primitives/colour-map'
import { HistogramView } from './HistogramView'
import { TensorTable } from './TensorTable'

type Props = {
  tensor: TensorHandle
  title: string
  /** A difference: coloured around zero. */
  centred: boolean
  cell: number[] | null
  nonce: number
}

export function TensorView({ tensor, title, centred, cell, nonce }: Props): ReactElement {
  const [view, setView] = useState<'table' | 'histogram'>('table')
  const [heat, setHeat] = useState(true)
  const leading = Math.max(tensor.shape.length - 2, 0)
  const [index, setIndex] = useState<number[]>(() => cell?.slice(0, leading) ?? zeros(leading))

  useEffect(() => {
    if (cell === null) return
    setIndex(cell.slice(0, leading))
    setView('table')
  }, [cell, nonce, leading])

  const scale = scaleOf(tensor.stats, centred)
  return (
    <div className="run-tensor">
      <div className="run-tensor-bar">
        <span className="mono">{title}</span>
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
          {tensor.shape.slice(0, leading).map((size, dimension) => (
            <DimensionSlider
              key={dimension}
              dimension={dimension}
              size={size}
              value={index[dimension] ?? 0}
              onChange={(value) =>
                setIndex(index.map((old, other) => (other === dimension ? value : old)))
              }
            />
          ))}
          <TensorTable
            tensor={tensor}
            index={index}
            scale={heat ? scale : null}
            cell={cell}
            nonce={nonce}
          />
          {heat && scale.high > scale.low && (
            <div className="legend" aria-hidden>
              <span className="number">{formatNumber(scale.low)}</span>
              <div style={{ background: gradientOf(scale.kind) }} />
              <span className="number">{formatNumber(scale.high)}</span>
            </div>
          )}
        </>
      )}
      {view === 'histogram' && <HistogramView tensor={tensor} />}
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

function zeros(length: number): number[] {
  return Array.from({ length }, () => 0)
}
