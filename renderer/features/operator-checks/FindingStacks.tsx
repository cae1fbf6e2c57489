import type { ReactElement } from 'react'

import type { PlacedFinding } from '../../../electron/contract/operator-check'
import type { StackFrame } from '../../../electron/contract/outcome'
import { FileLink } from '../../shell/primitives/FileLink'

/** Where a call ended, or a sanitizer found something; where the memory came from and went. */
export function FindingStacks({ finding }: { finding: PlacedFinding }): ReactElement | null {
  const { sanitizer, stack = [] } = finding
  if (!sanitizer && stack.length === 0) return null
  const stacks = [
    [sanitizer ? 'happened in' : 'ended in', sanitizer?.stack ?? stack],
    ['allocated by', sanitizer?.allocated ?? []],
    ['freed by', sanitizer?.freed ?? []],
  ] as const
  return (
    <dl className="stats" data-testid="finding-stacks">
      {stacks
        .filter(([, frames]) => frames.length > 0)
        .map(([name, frames]) => (
          <div key={name} className="stat">
            <dt>{name}</dt>
            <dd>
              {frames.map((frame, index) => (
                <Frame key={index} frame={frame} />
              ))}
            </dd>
          </div>
        ))}
    </dl>
  )
}

function Frame({ frame }: { frame: StackFrame }): ReactElement {
  const plain = frame.symbol.replace('(anonymous namespace)::', '').replace(/\(.*$/, '')
  const name = plain === '' ? frame.module : plain
  return (
    <div className={frame.isUser ? '' : 'muted'}>
      {name}{' '}
      {frame.isUser && frame.file !== undefined && (
        <FileLink file={frame.file} line={frame.line ?? 0} short />
      )}
    </div>
  )
}
