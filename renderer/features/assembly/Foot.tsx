import type { ReactElement } from 'react'

import { instructionName } from '../../../electron/contract/assembly'
import type { AssemblyReport } from '../../../electron/contract/assembly'
import { formatNumber } from '../../shell/primitives/format'
import { useComparison, useEstimates } from './extras'
import { useAssembly } from './store'

/** What the instruction does that is selected or below the pointer, and how long it takes in an estimated loop. */
export function Foot({ report }: { report: AssemblyReport }): ReactElement {
  const pointed = useAssembly((state) => state.pointed)
  const estimates = useEstimates()
  const name = pointed?.kind === 'instruction' ? instructionName(pointed.text) : ''
  const other = useComparison()?.other
  const meaning = report.meanings[name] ?? other?.meanings[name] ?? ''
  const index = pointed ? report.rows.indexOf(pointed) : -1
  const cost = estimates.flatMap(({ rows }) => rows).find(({ row }) => row === index)
  return (
    <p className="assembly-foot" role="status" data-testid="assembly-foot">
      {meaning !== '' && (
        <>
          <span className="mono">{name}</span> {meaning}
        </>
      )}
      {cost && (
        <span className="muted">
          {' '}
          latency {formatNumber(cost.latency, 3)} cycles, reciprocal throughput{' '}
          {formatNumber(cost.throughput, 3)} cycles
        </span>
      )}
    </p>
  )
}
