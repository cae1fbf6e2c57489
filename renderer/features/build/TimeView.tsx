import { useMemo, useState, type ReactElement } from 'react'
import { useStore } from 'zustand'

import type { FileTime, TimeCost } from '../../../electron/contract/time-trace'
import { Button } from '../../shell/primitives/Button'
import { EmptyState } from '../../shell/primitives/EmptyState'
import { FileLink } from '../../shell/primitives/FileLink'
import { formatSeconds } from '../../shell/primitives/format'
import { SearchField } from '../../shell/primitives/SearchField'
import { SpanCanvas } from '../../shell/spans/SpanCanvas'
import type { SpanKind } from '../../shell/spans/spans'
import { timeText } from '../../shell/spans/times'
import { useBuild } from '../../store/build'
import { runCommand } from '../../store/commands'
import { useStaleness } from '../../store/staleness'
import { buildSpans } from './time-spans'
import { tracedStore } from './traced-build'

const words: Partial<Record<SpanKind, string>> = {
  file: 'the compiler',
  frontEnd: 'front end: reading, checking, generating code',
  header: 'reading a header',
  template: 'instantiating a template',
  backEnd: 'back end: optimising, writing instructions',
  link: 'linker',
  load: 'loading into the op host',
}

/** Where the time of a build went that was asked to tell. */
export function TimeView(): ReactElement {
  const traced = useStore(tracedStore, (state) => state.traced)
  const building = useBuild((state) => state.running !== null)
  const staleness = useStaleness(traced?.stamp ?? null, 'build')
  const [selected, setSelected] = useState<number | null>(null)
  const [search, setSearch] = useState('')
  const named = useMemo(() => traced && buildSpans(traced.trace, traced.load), [traced])
  const again = (
    <Button
      icon="clock"
      disabled={building}
      onClick={() => {
        setSelected(null)
        runCommand('build.trace')
      }}
      testId="build-trace"
    >
      {traced ? 'Trace again' : 'Trace the build'}
    </Button>
  )
  if (!traced || !named) {
    return (
      <EmptyState
        icon="clock"
        text="Compiles the project's sources once without the cache and shows the time of each part: headers, templates, front end, back end, link, load."
      >
        {again}
      </EmptyState>
    )
  }
  const { trace } = traced
  const describe = (id: number): string[] => [
    named.name(id),
    `${words[named.kind(id)] ?? ''}, ${timeText(named.spans.duration[id] ?? 0)}`,
  ]
  const [name, fact] = selected === null ? [] : describe(selected)
  return (
    <div className="build-view" data-testid="build-time-view">
      <div className="build-chart">
        <SpanCanvas
          named={named}
          memory={noMemory}
          label="Flame graph of the build time"
          testId="build-flame"
          selected={selected}
          search={search}
          onSelect={setSelected}
          onOpen={() => undefined}
          describe={describe}
        />
        <p className="build-selected selectable" data-testid="build-time-selected">
          {name === undefined ? (
            <span className="muted">Select a bar to see its name and time.</span>
          ) : (
            <>
              <span className="mono">{name}</span> <span className="muted">{fact}</span>
            </>
          )}
        </p>
      </div>
      <div className="build-side scroll">
        <div className="build-actions">
          {again}
          <SearchField value={search} onChange={setSearch} label="Find a name" />
        </div>
        {staleness !== 'fresh' && (
          <p className="muted">
            These times are from a build before the last changes to the sources.
          </p>
        )}
        <PhasesTable files={trace.files} />
        <p className="build-rest number">
          {trace.link && `link ${formatSeconds(trace.link.seconds)}`}
          {traced.load !== null && `${trace.link ? ', ' : ''}load ${formatSeconds(traced.load)}`}
        </p>
        <Costs title="Most expensive headers" costs={trace.headers} />
        <Costs title="Most expensive templates" costs={trace.templates} />
        {trace.remarks.map((remark) => (
          <p key={remark} className="muted">
            {remark}
          </p>
        ))}
      </div>
    </div>
  )
}

const noMemory: readonly never[] = []

const phaseNames = [
  ['headers', 'headers'],
  ['templates', 'templates'],
  ['frontEnd', 'front end'],
  ['backEnd', 'back end'],
  ['other', 'other'],
] as const

/** Phases in which no file spent any time are left out: with precompiled headers, none is read. */
function PhasesTable({ files }: { files: readonly FileTime[] }): ReactElement {
  const shown = phaseNames.filter(([phase]) =>
    files.some((file) => (file.phases?.[phase] ?? 0) > 0),
  )
  return (
    <table className="table build-phases" data-testid="build-phases">
      <thead>
        <tr>
          <th scope="col">file</th>
          {['all', ...shown.map(([, name]) => name)].map((head) => (
            <th scope="col" key={head} className="right">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {files.map(({ label, seconds, phases }) => (
          <tr key={label}>
            <td>{label}</td>
            <td className="right number">{formatSeconds(seconds)}</td>
            {shown.map(([phase]) => (
              <td className="right number" key={phase}>
                {phases?.[phase] ? formatSeconds(phases[phase]) : '–'}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Costs({
  title,
  costs,
}: {
  title: string
  costs: readonly TimeCost[]
}): ReactElement | null {
  if (costs.length === 0) return null
  return (
    <>
      <h3 className="build-title">{title}</h3>
      <ol className="build-costs">
        {costs.map(({ name, kind, seconds, count }) => (
          <li key={name}>
            <span className="number">{formatSeconds(seconds)}</span>
            {kind === 'header' ? (
              <FileLink file={name} short />
            ) : (
              <span className="mono selectable">{name}</span>
            )}
            {count > 1 && <span className="muted number">{count} times</span>}
          </li>
        ))}
      </ol>
    </>
  )
}
