import type { Diagnostic } from '../../../electron/contract/diagnostics'
import type { SanitizedRun } from '../../../electron/contract/sanitize'
import { call } from '../../bridge/bridge'
import { buildJob } from '../../store/build'
import { buildStamp } from '../../store/files'
import { createJob } from '../../store/job'

/** Builds with ASan and UBSan beside what is loaded, and makes the calls of opsmith.json. */
export const sanitizeJob = createJob<void, SanitizedRun>({
  kind: 'sanitize',
  // It takes minutes: a second click must not start it from the beginning.
  latest: 'refused',
  stamp: buildStamp,
  run: (_, { folder, job }) => call('operator.sanitize', { folder, job }),
})

/** After a build of other sources, what the sanitizers found is out of date. */
export function followBuilds(): void {
  buildJob.store.subscribe((now, before) => {
    const report = now.value?.report
    if (!report || report === before.value?.report || sanitizeJob.isRunning()) return
    if (sanitizeJob.store.getState().stamp !== now.stamp) sanitizeJob.reset()
  })
}

const none: Diagnostic[] = []
const found = new WeakMap<SanitizedRun, Diagnostic[]>()

/** What the sanitizers reported; the compiler's messages are the plain build's already. */
export function sanitizeDiagnostics(run = sanitizeJob.store.getState().value): Diagnostic[] {
  if (run === null) return none
  const known = found.get(run) ?? faultsOf(run)
  found.set(run, known)
  return known
}

export function faultsOf(run: SanitizedRun): Diagnostic[] {
  return run.diagnostics.filter(({ source }) => source === 'ASan' || source === 'UBSan')
}
