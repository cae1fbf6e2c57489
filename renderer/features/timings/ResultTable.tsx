import { Fragment, useMemo, useState, type CSSProperties, type ReactElement } from 'react'

import type { MachineFacts } from '../../../electron/contract/timing'
import type { TimingRow } from '../../../electron/contract/timing-report'
import { CopyTable } from '../../shell/primitives/CopyTable'
import { formatCount } from '../../shell/primitives/format'
import { Icon } from '../../shell/primitives/Icon'
import { Section } from '../../shell/primitives/Section'
import { Segmented } from '../../shell/primitives/Segmented'
import { rowKey, useChosenRow } from './shown'
import { timingsStore, useTimings } from './store'
import { listedBenchmarks } from './draft'
import { chooseBenchmark, chooseRow } from './run'
import { useProject } from '../../store/project'
import {
  csvOf,
  markdownOf,
  noTimeText,
  pointLabel,
  refusalsOf,
  spreadText,
  tableOf,
  verdictText,
  warningsOf,
  type RowNote,
  type TimingTable,
  type Spread,
  type TableGroup,
} from './table'
import { inUnit } from './time-units'

/** Of a run: which node took a time, and the names of its benchmarks by `entry`. */
type RunNames = { nodeOf: ReadonlyMap<TimingRow, string>; benchmarks: readonly string[] }

/** `named` is the machine, for people; "" while it is not known. */
type Props = { rows: readonly TimingRow[]; named: string; run?: RunNames }

/** Operators and variants below one another, forward, backward and both next to one another. */
export function ResultTable({ rows, named, run }: Props): ReactElement {
  const [spread, setSpread] = useState<Spread>('quartiles')
  const table = useMemo(() => tableOf(rows), [rows])
  const isAll = useTimings((state) => state.view === 'all')
  const groups = isAll ? endsOf(table.groups) : table.groups.map((group) => ({ group, left: 0 }))
  return (
    <Section
      title="Times"
      note={`median, ${table.unit.name}`}
      actions={
        <>
          <Segmented
            label="Spread"
            value={spread}
            onChange={setSpread}
            options={[
              { value: 'quartiles', label: 'Quartiles' },
              { value: 'interval', label: '95 %', testId: 'timings-interval' },
            ]}
          />
          <CopyTable
            markdown={() => markdownOf(rows, spread, named)}
            csv={() => csvOf(rows, run?.nodeOf)}
            testId="timings"
          />
        </>
      }
    >
      <div className="timings-wide">
        <table
          className={
            table.directions.length > 1 ? 'table timings-table many' : 'table timings-table'
          }
          style={{ '--directions': table.directions.length } as CSSProperties}
          data-testid="timings-table"
        >
          <thead>
            <tr>
              <th scope="col" className="timings-variant">
                variant
              </th>
              {table.directions.map((direction) => (
                <th key={direction} scope="col" className="right">
                  {direction} <span className="muted">{table.unit.name}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {groups.map(({ group, left }) => (
              <Fragment key={JSON.stringify([group.entry, group.point])}>
                <GroupRows group={group} table={table} spread={spread} run={run} />
                {left > 0 && <LeftOut entry={group.entry} count={left} table={table} />}
              </Fragment>
            ))}
          </tbody>
        </table>
      </div>
      {rows.some((row) => row.ratio) && (
        <p className="muted">
          The ratio compares the time of the variant with the time of the operator, from alternating
          samples: “2.00× slower” means twice the time, “2.00× faster” means half the time. “No
          difference” means that the interval contains 1, or that the ratio is within 1 % of 1.
        </p>
      )}
      <Notes notes={refusalsOf(rows)} tone="error" testId="timings-refusals" />
      <Notes notes={warningsOf(rows)} tone="warning" testId="timings-warnings" />
      {named !== '' && <p className="muted timings-machine">{named}</p>}
    </Section>
  )
}

/** All rows of a point come from one node. A benchmark is named where there are several. */
function runHead(group: TableGroup, run: RunNames): { name: string; point: string; node: string } {
  const [row] = group.lines.flatMap(({ cells }) => Object.values(cells))
  return {
    name: run.benchmarks.length > 1 ? (run.benchmarks[group.entry] ?? '') : '',
    // While the first points come, what varies is not known.
    point: pointLabel(group.point, [nothingSwept]),
    node: (row && run.nodeOf.get(row)) ?? '',
  }
}

const nothingSwept = { sizes: {}, dtype: '', threads: 1, cold: false }

type ShownGroup = { group: TableGroup; left: number }

/** Of each benchmark the first and the last point: all of a sweep are with the benchmark itself. */
function endsOf(groups: readonly TableGroup[]): ShownGroup[] {
  return groups.flatMap((group, index): ShownGroup[] => {
    const points = groups.filter((one) => one.entry === group.entry).length
    const isFirst = groups[index - 1]?.entry !== group.entry
    const isLast = groups[index + 1]?.entry !== group.entry
    if (!isFirst && !isLast) return []
    return [{ group, left: isFirst && points > 2 ? points - 2 : 0 }]
  })
}

type LeftOutProps = { entry: number; count: number; table: TimingTable }

function LeftOut({ entry, count, table }: LeftOutProps): ReactElement {
  return (
    <tr className="timings-left-out">
      <th colSpan={table.directions.length + 1} className="timings-variant">
        <button type="button" className="link" onClick={() => chooseBenchmark(entry)}>
          Show {formatCount(count, 'more point')}
        </button>
      </th>
    </tr>
  )
}

export function machineText(machine: MachineFacts): string {
  const parts = [
    `${machine.processor}, ${machine.cores} ${machine.cores === 1 ? 'core' : 'cores'}`,
    ...(machine.frequency.governor === '' ? [] : [`governor ${machine.frequency.governor}`]),
  ]
  return parts.join(', ')
}

type GroupProps = {
  group: TableGroup
  table: TimingTable
  spread: Spread
  run: RunNames | undefined
}

function GroupRows({ group, table, spread, run }: GroupProps): ReactElement {
  const isAll = useTimings((state) => state.view === 'all')
  const name = useProject(
    (state) => listedBenchmarks(state.project?.manifest)[group.entry]?.name ?? group.op,
  )
  const columns = table.directions.length + 1
  const ofRun = run ? runHead(group, run) : null
  const hasHead = ofRun !== null || group.label !== '' || (isAll && group.lines.length > 1)
  return (
    <Fragment>
      {hasHead && (
        <tr className="timings-group" data-testid="timings-point">
          <th colSpan={columns} scope="colgroup">
            {isAll && <TimingLink entry={group.entry} name={name} />}
            {isAll && group.label !== '' && ' · '}
            {ofRun !== null && ofRun.name !== '' && `${ofRun.name} · `}
            {ofRun?.point ?? group.label}
            {ofRun !== null && <span className="muted timings-node"> on {ofRun.node}</span>}
          </th>
        </tr>
      )}
      {group.lines.map((line) => (
        <tr
          key={`${line.kind} ${line.variant}`}
          data-testid="timings-line"
          data-kind={line.kind}
          data-variant={line.variant}
        >
          <th scope="row" className="timings-variant">
            {isAll && !hasHead ? (
              <TimingLink entry={group.entry} name={line.variant} />
            ) : (
              <span className="mono">{line.variant}</span>
            )}
          </th>
          {table.directions.map((direction) => (
            <td key={direction} className="right">
              <Cell
                row={line.cells[direction]}
                group={group}
                table={table}
                spread={spread}
                run={run}
              />
            </td>
          ))}
        </tr>
      ))}
    </Fragment>
  )
}

function TimingLink({ entry, name }: { entry: number; name: string }): ReactElement {
  return (
    <button
      type="button"
      className="link mono"
      title="Show this benchmark"
      onClick={() => chooseBenchmark(entry)}
    >
      {name}
    </button>
  )
}

type CellProps = GroupProps & { row: TimingRow | undefined }

function Cell({ row, group, table, spread, run }: CellProps): ReactElement {
  const isChosen = useChosenRow() === row && row !== undefined
  if (!row) return <span className="muted">–</span>
  if (!row.summary) {
    return (
      <span className="timings-refused" title={row.refused} data-testid="timings-refused">
        <Icon name="absent" /> {noTimeText(row)}
      </span>
    )
  }
  const isBest = group.best.has(row)
  const content = (
    <>
      <span className={isBest ? 'number timings-median best' : 'number timings-median'}>
        {isBest && <Icon name="check" label="fastest" />}
        {inUnit(row.summary.median, table.unit)}
        {row.warnings.length > 0 && (
          <span className="tone-warning">
            <Icon name="warning" label={row.warnings.join(' ')} />
          </span>
        )}
      </span>
      <span className="number muted timings-spread">{spreadText(row, spread, table.unit)}</span>
      {row.ratio && (
        <span
          className={`number timings-ratio ${row.ratio.verdict === 'no difference' ? 'muted' : ''}`}
          data-testid="timings-ratio"
          data-verdict={row.ratio.verdict}
        >
          {verdictText(row)}
        </span>
      )}
    </>
  )
  const title = `${formatCount(row.summary.samples, 'sample')} of ${formatCount(row.summary.callsPerSample, 'call')} each.`
  // A run keeps no single samples.
  if (run) {
    return (
      <span
        className="timings-cell"
        title={title}
        data-testid="timings-cell"
        data-median={row.summary.median}
      >
        {content}
      </span>
    )
  }
  return (
    <button
      type="button"
      className={isChosen ? 'timings-cell chosen' : 'timings-cell'}
      aria-pressed={isChosen}
      title={`${title} Click to show the samples below.`}
      data-testid="timings-cell"
      data-median={row.summary.median}
      onClick={() => {
        if (timingsStore.getState().view === 'one') chooseRow(rowKey(row))
        else timingsStore.setState({ row: rowKey(row) })
      }}
    >
      {content}
    </button>
  )
}

type NotesProps = { notes: readonly RowNote[]; tone: 'error' | 'warning'; testId: string }

/** Why there is no time, or what makes these numbers less than they look, and what to do about it. */
function Notes({ notes, tone, testId }: NotesProps): ReactElement | null {
  if (notes.length === 0) return null
  return (
    <ul className={`note-list ${tone}`} data-testid={testId}>
      {notes.map(({ message, rows: where }) => (
        <li key={message} className="selectable">
          <span className={`tone-${tone}`}>
            <Icon name={tone === 'error' ? 'absent' : 'warning'} label={tone} />
          </span>
          <span>
            {message} <span className="muted">({whereText(where)})</span>
          </span>
        </li>
      ))}
    </ul>
  )
}

function whereText(where: readonly string[]): string {
  const [first = '', second] = where
  if (second === undefined) return first
  return where.length === 2
    ? `${first}; the same for ${second}`
    : `${first}; the same for ${where.length - 1} others`
}
