import { useMemo, type ReactElement } from 'react'

import type {
  AssemblyLoop,
  AssemblyRow,
  LoopEstimate,
  OptimizationRemark,
} from '../../../electron/contract/assembly'
import { formatNumber } from '../../shell/primitives/format'
import { estimateJob } from './extras'
import { byLine, lineKey } from './store'

/** With a mark: colour alone says nothing. */
export function remarkText({ kind, message }: OptimizationRemark): string {
  return `${kind === 'done' ? '✓' : '✗'} ${message}`
}

/** Remarks by the first row of their line; those of a line without rows are in the editor only. */
export function useFirstRows(
  rows: readonly AssemblyRow[],
  remarks: readonly OptimizationRemark[],
): ReadonlyMap<number, readonly OptimizationRemark[]> {
  return useMemo(() => {
    const left = byLine(remarks)
    const found = new Map<number, readonly OptimizationRemark[]>()
    rows.forEach(({ file, line }, index) => {
      const key = lineKey(file, line)
      const here = left.get(key)
      if (!here) return
      found.set(index, here)
      left.delete(key)
    })
    return found
  }, [rows, remarks])
}

type LoopProps = { loop: AssemblyLoop; estimate: LoopEstimate | undefined; busy: boolean }

/** At the label that a loop begins with: its cycles, or the button that asks for them. */
export function LoopMark({ loop, estimate, busy }: LoopProps): ReactElement {
  if (!estimate) {
    // Within an option of a list no element is a button of its own: the keyboard has L.
    return (
      <span
        className="link assembly-loop"
        title="Estimates the cycles with llvm-mca for this processor (L)"
        onClick={(event) => {
          event.stopPropagation()
          if (!busy) void estimateJob.run(loop)
        }}
        data-testid="assembly-estimate"
      >
        estimate this loop ({loop.instructions} instructions)
      </span>
    )
  }
  const { cycles, instructionsPerCycle, withoutWaiting, processor, warnings } = estimate
  const about = [
    `llvm-mca made this estimate for ${processor}. The estimate assumes that the data is in the L1 cache, and that all branches are predicted correctly.`,
    `The loop would take ${formatNumber(withoutWaiting, 3)} cycles if no instruction waited for another.`,
    ...warnings,
  ]
  return (
    <span className="assembly-loop" title={about.join('\n')} data-testid="assembly-cycles">
      <span className="number">{formatNumber(cycles, 3)}</span> cycles per iteration,{' '}
      <span className="number">{formatNumber(instructionsPerCycle, 3)}</span> instructions per cycle
      ({processor}){warnings.length > 0 ? ' ⚠' : ''}
    </span>
  )
}
