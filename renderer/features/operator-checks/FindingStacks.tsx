import type { ReactElement } from 'react'

import type { SanitizerEvidence } from '../../../electron/contract/operator-check'
import type { StackFrame } from '../../../electron/contract/outcome'
import { FileLink } from '../../shell/primitives/FileLink'

/** Where a sanitizer says that something happened, and where the memory came from and went. */
export function SanitizerStacks({ evidence }: { evidence: SanitizerEvidence }): ReactElement {
  const stacks = [
    ['happened in', evidence.stack],
    ['allocated by', evidence.allocated],
    ['freed by', evidence.freed],
  ] as const
  return (
    <dl className="stats" data-testid="sanitizer-stacks">
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
