import { useState, type ReactElement } from 'react'

import { Icon } from '../../shell/primitives/Icon'
import { useShown } from './jobs'
import { select, useView } from './view-store'

const signs = { added: '+', removed: '−', changed: '~' } as const
const tones = { added: 'ok', removed: 'error', changed: 'warning' } as const

/** What is not as it was in the graph that this one is compared with. */
export function ChangesList(): ReactElement | null {
  const changes = useView((state) => state.shown.main?.changes ?? null)
  const title = useShown((shown) => shown?.compare?.title ?? '')
  const [open, setOpen] = useState(true)
  if (!changes) return null
  const all = changes.added + changes.removed + changes.changed
  return (
    <section className="graph-change-list" aria-label="Changes">
      <button
        type="button"
        className="section-title"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <Icon name={open ? 'down' : 'right'} />
        <span>Changes</span>
        <span className="muted">
          {all === 0 ? 'none' : all} compared with {title}
        </span>
      </button>
      {open && (
        <ul>
          {changes.entries.map((entry, index) => (
            <li key={index}>
              <button
                type="button"
                className="graph-change"
                disabled={entry.key === null}
                data-testid="graph-change"
                data-change={entry.kind}
                onClick={() => void select(entry.key, { view: entry.view, reveal: true })}
              >
                <span className={`tone-${tones[entry.kind]} graph-change-sign`} title={entry.kind}>
                  {signs[entry.kind]}
                </span>
                <span className="grow">
                  <span>{entry.title}</span>
                  {entry.words.map((words) => (
                    <span key={words} className="graph-change-words mono">
                      {words}
                    </span>
                  ))}
                </span>
              </button>
            </li>
          ))}
          {changes.entries.length < all && (
            <li className="muted">and {all - changes.entries.length} more</li>
          )}
        </ul>
      )}
    </section>
  )
}
