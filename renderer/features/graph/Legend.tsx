import type { ReactElement } from 'react'

import { gradientOf } from '../../shell/primitives/colour-map'
import { useDeviceName } from '../../store/cuda'
import { useJob } from '../../store/job'
import { observeJob } from './jobs'
import { select, useView } from './view-store'

const titles = {
  none: '',
  time: 'Time per node, with nested nodes',
  memory: 'New memory per node',
  values: 'Largest absolute value',
  device: 'Device',
} as const

/** What the overlay's colours mean, and the nodes that stand out. */
export function Legend(): ReactElement | null {
  const nameOf = useDeviceName()
  const overlay = useView((state) => state.overlay)
  const observation = useJob(observeJob, (state) => state.value?.value ?? null)
  if (!overlay || overlay.kind === 'none') return null
  return (
    <div className="graph-legend" role="group" aria-label="Legend" data-testid="graph-legend">
      <div className="muted">{titles[overlay.kind]}</div>
      {overlay.low !== '' && (
        <div className="graph-scale number">
          <span>{overlay.low}</span>
          <span className="graph-gradient" style={{ background: gradientOf('sequential') }} />
          <span>{overlay.high}</span>
        </div>
      )}
      {overlay.notes.map((note) => (
        <div key={note}>{overlay.kind === 'device' ? nameOf(note) : note}</div>
      ))}
      {overlay.first.length > 0 && (
        <ol>
          {overlay.first.slice(0, 3).map((item) => (
            <li key={item.key}>
              <button
                type="button"
                className="link"
                onClick={() => void select(item.key, { view: 'main', reveal: true })}
              >
                {item.title}
              </button>{' '}
              <span className="number">{item.text}</span>
            </li>
          ))}
        </ol>
      )}
      {observation && (
        <div className="muted">
          {observation.runs === 1 ? 'one run' : `median of ${observation.runs} runs`}, unfused
        </div>
      )}
    </div>
  )
}
