import { useEffect, useState, type ReactElement, type RefObject } from 'react'

import { IconButton } from '../../shell/primitives/Button'
import { Icon } from '../../shell/primitives/Icon'
import { Segmented } from '../../shell/primitives/Segmented'
import { changeChoice, useGraph, type GraphChoice, type GraphOverlay } from './graph'
import { useShown } from './jobs'
import { nextHit, search, useView, viewStore } from './view-store'

const overlays: Record<GraphOverlay, string> = {
  none: 'no overlay',
  time: 'time',
  memory: 'memory',
  values: 'NaN and values',
  device: 'device',
}

/** Search over the picture, and what the picture shows next to the operators. */
export function SearchBar({ field }: { field: RefObject<HTMLInputElement | null> }): ReactElement {
  const choice = useGraph((state) => state.choice)
  const canRun = useShown((shown) => shown?.shot.report !== null)
  return (
    <div className="panel-bar graph-bar" data-testid="graph-search-bar">
      <Search field={field} />
      <select
        className="graph-overlay"
        aria-label="Overlay"
        title="Colours the nodes by time, memory, values or device of a run"
        value={choice.overlay}
        data-testid="graph-overlay"
        disabled={!canRun && choice.overlay === 'none'}
        onChange={(event) => changeChoice({ overlay: event.target.value as GraphOverlay })}
      >
        {(Object.keys(overlays) as GraphOverlay[]).map((kind) => (
          <option key={kind} value={kind}>
            {overlays[kind]}
          </option>
        ))}
      </select>
      <Segmented<GraphChoice['view']>
        label="View"
        value={choice.view}
        onChange={(view) => changeChoice({ view })}
        options={[
          { value: 'graph', label: 'Graph', testId: 'graph-view-graph' },
          { value: 'both', label: 'Both', testId: 'graph-view-both' },
          { value: 'text', label: 'Text', testId: 'graph-view-text' },
        ]}
      />
    </div>
  )
}

/** @param at the index of the hit that is selected, or a negative number */
function hitsText(total: number, at: number): string {
  if (total === 0) return 'no hits'
  if (at >= 0) return `${at + 1} of ${total}`
  return total === 1 ? '1 hit' : `${total} hits`
}

const help = `Words match operators, names, modules and attributes.
Fields: op:conv  name:x.1  dtype:f32  shape:[*, 512]  device:cuda
The word custom matches operators of the loaded library.
After a run is shown, the words nan, inf and slow match too (slow: at least 5 % of the run time).
-word excludes the nodes that match the word.
Enter: next hit, Shift+Enter: previous hit`

function Search({ field }: { field: RefObject<HTMLInputElement | null> }): ReactElement {
  const found = useView((state) => state.search)
  const at = useView((state) => state.searchAt)
  const kept = useView((state) => state.query)
  const [text, setText] = useState(kept)
  useEffect(() => {
    // Large graphs take a few milliseconds a search: not one a letter.
    const timer = setTimeout(() => {
      if (text !== viewStore.getState().query) void search(text)
    }, 120)
    return () => clearTimeout(timer)
  }, [text])
  useEffect(() => {
    // Another model was opened, and the search was cleared.
    if (kept === '') setText('')
  }, [kept])
  // What was typed just now is searched for first.
  const go = (step: 1 | -1): void => {
    const ready = text === kept ? Promise.resolve() : search(text)
    void ready.then(() => nextHit(step))
  }
  const problem = found?.ok === false ? found.message : ''
  const note = found?.ok ? hitsText(found.total, at) : ''
  return (
    <div className="graph-search">
      <Icon name="search" />
      <input
        ref={field}
        type="search"
        value={text}
        placeholder="Search: op:mm shape:[*, 512]"
        aria-label="Search the graph"
        aria-invalid={problem !== ''}
        title={problem === '' ? help : problem}
        spellCheck={false}
        data-testid="graph-search"
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') go(event.shiftKey ? -1 : 1)
          if (event.key === 'Escape') setText('')
        }}
      />
      {note !== '' && (
        <span className="muted number" data-testid="graph-search-count">
          {note}
        </span>
      )}
      {problem !== '' && (
        <span className="tone-error" title={problem}>
          <Icon name="error" label={problem} />
        </span>
      )}
      {found?.ok === true && found.total > 0 && (
        <IconButton icon="down" label="Next hit (Enter)" onClick={() => void nextHit(1)} />
      )}
      {text !== '' && (
        <IconButton
          icon="clear"
          label="Clear the search"
          onClick={() => {
            setText('')
            field.current?.focus()
          }}
        />
      )}
    </div>
  )
}
