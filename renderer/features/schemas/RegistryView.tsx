import {
  useDeferredValue,
  useEffect,
  useMemo,
  useRef,
  type KeyboardEvent,
  type ReactElement,
} from 'react'

import { Button } from '../../shell/primitives/Button'
import { EmptyState } from '../../shell/primitives/EmptyState'
import { ErrorView } from '../../shell/primitives/ErrorView'
import { SearchField } from '../../shell/primitives/SearchField'
import { useRows } from '../../shell/primitives/use-rows'
import { useJob } from '../../store/job'
import {
  describeOperator,
  filterRegistry,
  operatorJob,
  registryJob,
  useRegistry,
  type RegistryEntry,
} from '../../store/registry'
import { OperatorView } from './OperatorView'
import { schemasViewStore, useSchemasView } from './store'

/** Every operator of this libtorch, searched as one types. */
export function RegistryView(): ReactElement {
  const { value: entries, running, error } = useJob(registryJob, (state) => state)
  const query = useSchemasView((state) => state.registryQuery)
  const wanted = useDeferredValue(query)
  const found = useMemo(() => (entries ? filterRegistry(entries, wanted) : []), [entries, wanted])

  useEffect(() => {
    if (entries === null && running === null && error === null) void registryJob.run()
  }, [entries, running, error])

  if (error) {
    return (
      <div className="panel-pad">
        <ErrorView error={error}>
          <Button onClick={() => void registryJob.run()}>Try again</Button>
        </ErrorView>
      </div>
    )
  }
  if (entries === null)
    return <EmptyState text="Waiting for the list of libtorch’s operators …" quiet />
  const count =
    found.length === entries.length
      ? entries.length.toLocaleString('en')
      : `${found.length.toLocaleString('en')} of ${entries.length.toLocaleString('en')}`
  return <RegistryList query={query} found={found} count={count} />
}

type ListProps = {
  query: string
  found: RegistryEntry[]
  count: string
}

function RegistryList({ query, found, count }: ListProps): ReactElement {
  const scroller = useRef<HTMLDivElement>(null)
  const selected = useRegistry((state) => state.selected)
  const { virtualizer, rowHeight } = useRows(found.length, scroller, 1.75)
  useEffect(() => {
    if (scroller.current) scroller.current.scrollTop = 0
  }, [query])

  const move = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15 }[event.key]
    if (step === undefined || found.length === 0) return
    event.preventDefault()
    const at = found.findIndex((entry) => entry.key === selected)
    const next = at < 0 ? 0 : Math.min(Math.max(at + step, 0), found.length - 1)
    const entry = found[next]
    if (!entry) return
    void describeOperator(entry)
    virtualizer.scrollToIndex(next)
  }

  return (
    <>
      <SearchField
        value={query}
        onChange={(next) => schemasViewStore.setState({ registryQuery: next })}
        label="Search all operators"
        testId="registry-search"
        note={count}
        onKeyDown={move}
      />
      <div
        className="scroll registry"
        ref={scroller}
        role="listbox"
        aria-label="Operators of libtorch"
        tabIndex={0}
        onKeyDown={move}
      >
        <div style={{ height: virtualizer.getTotalSize(), position: 'relative' }}>
          {virtualizer.getVirtualItems().map((row) => {
            const entry = found[row.index]
            if (!entry) return null
            return (
              <div
                key={entry.key}
                role="option"
                aria-selected={entry.key === selected}
                className="schemas-registry-row"
                data-testid="registry-row"
                style={{ transform: `translateY(${row.start}px)`, height: rowHeight }}
                onClick={() => void describeOperator(entry)}
                title={entry.schema}
              >
                <span className="schemas-registry-name">{entry.key}</span>
                <span className="muted">{entry.schema.slice(entry.schema.indexOf('('))}</span>
              </div>
            )
          })}
        </div>
        {found.length === 0 && <p className="panel-pad muted">No operator matches “{query}”.</p>}
      </div>
      <RegistryDetail />
    </>
  )
}

function RegistryDetail(): ReactElement | null {
  const { value: detail, error } = useJob(operatorJob, (state) => state)
  const selected = useRegistry((state) => state.selected)
  if (selected === null) return null
  return (
    <div className="schemas-registry-detail" data-testid="registry-detail" aria-live="polite">
      {error && <ErrorView error={error} />}
      {detail && <OperatorView operator={detail} />}
    </div>
  )
}
