import type { Diagnostic, DiagnosticNote } from '../../../electron/contract/diagnostics'
import type { GpuFinding, SourcePlace } from '../../../electron/contract/gpu-findings'
import { kernelsStore, type KernelsState } from './store'
import { accessText, threadText } from './texts'

const found = new WeakMap<KernelsState['report'], Diagnostic[]>()

/** Each finding, at the line of the access. */
export function kernelDiagnostics(): Diagnostic[] {
  const { report } = kernelsStore.getState()
  const known = found.get(report) ?? report.findings.map(asDiagnostic)
  found.set(report, known)
  return known
}

function asDiagnostic(finding: GpuFinding): Diagnostic {
  const { check, message, remedy, place, thread, other, allocated } = finding
  const nowhere = { file: '', line: 0 }
  return {
    severity: 'error',
    ...place,
    column: 0,
    message,
    source: 'kernel checks',
    code: check,
    notes: [
      ...(thread ? [note(nowhere, threadText(finding, thread))] : []),
      ...(other ? [note(other, accessText(other))] : []),
      ...(allocated ? [note(allocated, 'allocated here')] : []),
      note(nowhere, remedy),
    ],
  }
}

function note({ file, line }: SourcePlace, message: string): DiagnosticNote {
  return { severity: 'note', file, line, column: 0, message }
}
