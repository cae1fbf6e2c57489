import { useDeferredValue, type ReactElement } from 'react'

import { Button } from '../../shell/primitives/Button'
import { EmptyState } from '../../shell/primitives/EmptyState'
import { ErrorView } from '../../shell/primitives/ErrorView'
import { SearchField } from '../../shell/primitives/SearchField'
import { Segmented } from '../../shell/primitives/Segmented'
import { StaleBar } from '../../shell/primitives/StaleBar'
import { UncalledCuda } from '../../shell/primitives/UncalledCuda'
import { useBuild } from '../../store/build'
import { runCommand, shortcutOf } from '../../store/commands'
import { operatorKey, useSchemas, type ClassRow, type SchemaRow } from '../../store/schemas'
import { useStaleness } from '../../store/staleness'
import { ClassView, ChangeBadge } from './ClassView'
import { OperatorView } from './OperatorView'
import { RegistryView } from './RegistryView'
import { SchemaText } from './SchemaText'
import { schemasViewStore, useSchemasView } from './store'

export function SchemasPanel(): ReactElement {
  const view = useSchemasView((state) => state.view)
  return (
    <div className="panel-column" data-testid="schemas-panel">
      <div className="panel-bar">
        <Segmented
          label="Shown operators"
          value={view}
          onChange={(next) => schemasViewStore.setState({ view: next })}
          options={[
            { value: 'project', label: 'This project', testId: 'schemas-project' },
            { value: 'all', label: 'All of libtorch', testId: 'schemas-all' },
          ]}
        />
      </div>
      {view === 'project' ? <ProjectSchemas /> : <RegistryView />}
    </div>
  )
}

function ProjectSchemas(): ReactElement {
  const { load, rows, classes, stamp } = useSchemas((state) => state)
  const building = useBuild((state) => state.running !== null)
  const loadError = useBuild((state) => state.value?.loadError ?? null)
  const staleness = useStaleness(stamp, 'build')
  const query = useSchemasView((state) => state.query)
  const wanted = useDeferredValue(query.trim().toLowerCase())
  if (load === null) return <Nothing building={building} />
  const shown = rows.filter((row) => rowText(row).includes(wanted))
  const shownClasses = classes.filter((row) => classText(row).includes(wanted))
  const dim = staleness === 'older' || loadError !== null
  return (
    <>
      <SearchField
        value={query}
        onChange={(next) => schemasViewStore.setState({ query: next })}
        label="Search schemas"
        testId="schemas-search"
      />
      <StaleBar staleness={staleness} building={building} />
      <UncalledCuda />
      {loadError && (
        <div className="panel-pad">
          <ErrorView error={loadError} />
          <p className="muted">
            The operators below are from the last library that could be loaded.
          </p>
        </div>
      )}
      <div className={dim ? 'scroll stale' : 'scroll'}>
        {rows.length + classes.length === 0 && (
          <EmptyState text="The library registered no operator. Add a TORCH_LIBRARY block, or list functions in “functions” of opsmith.json." />
        )}
        {shown.map((row) => (
          <OperatorRow key={`${operatorKey(row.operator)} ${row.change?.kind ?? ''}`} row={row} />
        ))}
        {shownClasses.length > 0 && <h3 className="schemas-heading">Classes</h3>}
        {shownClasses.map((row) => (
          <ClassView key={row.type.name} row={row} />
        ))}
        {wanted !== '' && shown.length + shownClasses.length === 0 && (
          <p className="panel-pad muted">No operator or class matches “{query}”.</p>
        )}
      </div>
    </>
  )
}

function Nothing({ building }: { building: boolean }): ReactElement {
  if (building) return <EmptyState text="Building … The schemas appear after the build." quiet />
  return (
    <EmptyState
      icon="flask"
      text="Shows every operator that the project registers. Build the project first."
    >
      <Button primary icon="play" onClick={() => runCommand('build.run')}>
        Build <kbd>{shortcutOf('build.run')}</kbd>
      </Button>
    </EmptyState>
  )
}

function OperatorRow({ row }: { row: SchemaRow }): ReactElement {
  const { operator, change } = row
  const gone = change?.kind === 'removed'
  return (
    <article
      className={gone ? 'schemas-operator gone' : 'schemas-operator'}
      data-testid={`schema-row-${operatorKey(operator)}`}
      data-change={change?.kind ?? 'none'}
      aria-label={operatorKey(operator)}
    >
      {change && (
        <div className="schemas-change">
          <ChangeBadge kind={change.kind} />
          {change.kind === 'altered' && (
            <span className="schemas-change-before">
              was <SchemaText schema={change.before} />
            </span>
          )}
          {change.kind === 'kernels' && (
            <span className="muted">kernels before: {change.before || 'none'}</span>
          )}
        </div>
      )}
      {gone ? <SchemaText schema={operator.schema} /> : <OperatorView operator={operator} />}
    </article>
  )
}

function rowText(row: SchemaRow): string {
  const { schema, doc, kernels } = row.operator
  return `${schema} ${doc} ${kernels.map((kernel) => kernel.dispatchKey).join(' ')}`.toLowerCase()
}

function classText(row: ClassRow): string {
  return `${row.type.name} ${row.type.methods.map((item) => item.schema).join(' ')}`.toLowerCase()
}
