import type { ReactElement } from 'react'

import type { GpuFinding, GpuThread, SourcePlace } from '../../../electron/contract/gpu-findings'
import type { PlacedFinding } from '../../../electron/contract/operator-check'
import { FileLink } from '../../shell/primitives/FileLink'

/** What kernels did wrong that were compiled for checks: who, where, and against which other access. */
export function FindingKernels({ finding }: { finding: PlacedFinding }): ReactElement | null {
  const { kernels = [] } = finding
  if (kernels.length === 0) return null
  return (
    <ul data-testid="finding-kernels" aria-label="Findings in kernels">
      {kernels.map((one) => (
        <li key={JSON.stringify(one)}>
          <p>
            <strong className="mono">{one.check}</strong> {one.message}
          </p>
          <Accesses kernel={one} />
        </li>
      ))}
    </ul>
  )
}

function Accesses({ kernel }: { kernel: GpuFinding }): ReactElement {
  const { place, thread, other, allocated } = kernel
  const accesses = [
    ['at', place, threadText(thread)],
    [other?.what ?? '', other, threadText(other?.thread ?? null)],
    ['allocated', allocated, ''],
  ] as const
  return (
    <dl className="stats">
      {accesses.map(
        ([name, where, by]) =>
          where && (
            <div key={name} className="stat">
              <dt>{name}</dt>
              <dd>
                <Place place={where} /> <span className="number">{by}</span>
              </dd>
            </div>
          ),
      )}
    </dl>
  )
}

function Place({ place }: { place: SourcePlace }): ReactElement {
  if (place.file === '') return <span className="muted">the line is not known</span>
  return <FileLink file={place.file} line={place.line} short />
}

function threadText(thread: GpuThread | null): string {
  if (!thread) return ''
  return `block (${thread.block.join(', ')}), thread (${thread.thread.join(', ')})`
}
