import type { GraphWarning } from '../../../electron/contract/graph'
import type { Diagnostic } from '../../../electron/contract/diagnostics'
import { shownGraph } from './jobs'

const none: Diagnostic[] = []
let cachedFor: GraphWarning[] = []
let cached: Diagnostic[] = none

/** What the tracer said of the shown graph, as the Problems panel and the editors list it. */
export function graphDiagnostics(): Diagnostic[] {
  const warnings = shownGraph()?.shot.report?.warnings ?? []
  if (warnings.length === 0) return none
  if (warnings !== cachedFor) {
    cachedFor = warnings
    cached = warnings.map(asDiagnostic)
  }
  return cached
}

function asDiagnostic(warning: GraphWarning): Diagnostic {
  return {
    severity: 'warning',
    file: warning.source?.file ?? '',
    line: warning.source?.line ?? 0,
    column: warning.source?.column ?? 0,
    message: warning.message,
    source: 'graph',
    code: warning.kind,
    notes: [],
  }
}
