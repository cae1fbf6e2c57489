import { useMemo, useState, type ReactElement } from 'react'

import type { ProfileReport, ProfileTotal } from '../../../electron/contract/profile'
import { CopyTable } from '../../shell/primitives/CopyTable'
import { EmptyState } from '../../shell/primitives/EmptyState'
import { FileLink } from '../../shell/primitives/FileLink'
import { Segmented } from '../../shell/primitives/Segmented'
import { bytesText, exactTime, shareText, timeText } from '../../shell/spans/times'
import {
  firstOrder,
  sortTotals,
  totalsCsv,
  totalsMarkdown,
  type TotalsColumn,
  type TotalsOrder,
} from './totals-table'

type Props = { report: ProfileReport; search: string }

const columns: readonly { by: TotalsColumn; label: string; title: string }[] = [
  { by: 'calls', label: 'calls', title: '' },
  { by: 'total', label: 'total', title: 'Time with nested calls' },
  { by: 'self', label: 'self', title: 'Time without nested calls' },
  {
    by: 'allocated',
    label: 'memory',
    title: 'Allocated memory, without nested calls',
  },
]

/** Enough for any program; past it, the search finds what is meant. */
const mostRows = 500

/** Time and memory by operator, or by line of the program. */
export function TotalsView({ report, search }: Props): ReactElement {
  const [by, setBy] = useState<'operators' | 'lines'>('operators')
  const [order, setOrder] = useState<TotalsOrder>(firstOrder('self'))
  const rows = useMemo(() => {
    const wanted = search.trim().toLowerCase()
    const all = report[by].filter(({ name }) => name.toLowerCase().includes(wanted))
    return sortTotals(all, order)
  }, [report, by, order, search])
  const title = `${report.trace.op}${report.backward ? ', forward and backward' : ''}: ${timeText(report.total)}`
  return (
    <div className="profile-table scroll">
      <div className="profile-table-bar">
        <Segmented
          label="Rows"
          value={by}
          onChange={setBy}
          options={[
            { value: 'operators', label: 'Operators' },
            { value: 'lines', label: 'Lines', testId: 'profile-lines' },
          ]}
        />
        <span className="grow" />
        <CopyTable
          markdown={() => totalsMarkdown(rows, title)}
          csv={() => totalsCsv(rows)}
          testId="profile"
        />
      </div>
      {rows.length === 0 ? (
        <EmptyState
          quiet
          text={
            search.trim() !== ''
              ? 'No name contains this text.'
              : 'No event has a line of the program. To see lines, profile a function of the program.'
          }
        />
      ) : (
        <table className="table" data-testid="profile-table">
          <thead>
            <tr>
              <Head
                by="name"
                label={by === 'lines' ? 'line' : 'operator'}
                title=""
                order={order}
                onOrder={setOrder}
              />
              {columns.map((column) => (
                <Head key={column.by} {...column} order={order} onOrder={setOrder} />
              ))}
              <th scope="col">{by === 'lines' ? 'in' : 'called at'}</th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, mostRows).map((row) => (
              <Row
                key={`${row.kind} ${row.name} ${row.file}:${row.line}`}
                row={row}
                byLine={by === 'lines'}
              />
            ))}
          </tbody>
        </table>
      )}
      {rows.length > mostRows && (
        <p className="muted panel-pad">
          Only the first {mostRows} of {rows.length.toLocaleString('en')} rows are shown.
        </p>
      )}
    </div>
  )
}

type HeadProps = {
  by: TotalsColumn
  label: string
  title: string
  order: TotalsOrder
  onOrder: (order: TotalsOrder) => void
}

function Head({ by, label, title, order, onOrder }: HeadProps): ReactElement {
  const isBy = order.by === by
  const next = isBy ? { by, descending: !order.descending } : firstOrder(by)
  return (
    <th
      scope="col"
      className={by === 'name' ? '' : 'right'}
      aria-sort={isBy ? (order.descending ? 'descending' : 'ascending') : 'none'}
    >
      <button
        type="button"
        className="profile-head"
        title={title}
        data-testid={`profile-by-${by}`}
        onClick={() => onOrder(next)}
      >
        {label}
        {isBy && (order.descending ? ' ↓' : ' ↑')}
      </button>
    </th>
  )
}

function Row({ row, byLine }: { row: ProfileTotal; byLine: boolean }): ReactElement {
  const place = row.file === '' ? null : <FileLink file={row.file} line={row.line} />
  return (
    <tr data-testid="profile-row">
      <td className="profile-name" data-testid="profile-row-name">
        {byLine ? (
          place
        ) : (
          <>
            <span className={`profile-key ${row.kind}`} /> <span className="mono">{row.name}</span>
          </>
        )}
      </td>
      <td className="right number">{row.calls}</td>
      <td className="right number" title={exactTime(row.total)}>
        {timeText(row.total)}
      </td>
      <td className="right number" title={exactTime(row.self)}>
        <span className="profile-share" style={{ '--share': row.share } as React.CSSProperties}>
          {timeText(row.self)} <span className="muted">{shareText(row.share)}</span>
        </span>
      </td>
      <td className="right number">{row.allocated === 0 ? '' : bytesText(row.allocated)}</td>
      <td>
        {byLine ? (
          <span className="mono">{row.name}</span>
        ) : (
          <>
            {place}
            {row.places > 1 && <span className="muted"> +{row.places - 1}</span>}
          </>
        )}
      </td>
    </tr>
  )
}
