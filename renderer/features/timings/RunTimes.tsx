import { useMemo, type ReactElement } from 'react'

import type { RunRow } from '../../../electron/contract/run-calls'
import { ResultTable } from './ResultTable'
import { SizeSweepSection } from './SweepSection'

type TimesProps = { rows: readonly RunRow[]; benchmarks: readonly string[] }

/** Times of different hardware are in different tables. */
export function RunTimes({ rows, benchmarks }: TimesProps): ReactElement {
  const groups = useMemo(() => {
    const sorted = [...rows].sort((a, b) => a.shard - b.shard)
    const hardware = [...new Set(sorted.map((row) => row.hardware))]
    return hardware.map((name) => ({
      name,
      rows: sorted.filter((row) => row.hardware === name),
      nodeOf: new Map(sorted.map((row) => [row, row.node] as const)),
    }))
  }, [rows])
  return (
    <>
      {groups.map((group) => (
        <div key={group.name}>
          <ResultTable
            rows={group.rows}
            named={group.name}
            run={{ nodeOf: group.nodeOf, benchmarks }}
          />
          {benchmarks.length < 2 && <SizeSweepSection rows={group.rows} />}
        </div>
      ))}
      {groups.length > 1 && (
        <p className="panel-pad muted">
          The nodes have different hardware, so each kind of node has its own table. Do not compare
          times from different tables.
        </p>
      )}
    </>
  )
}
