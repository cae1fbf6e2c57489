import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import type { Diagnostic } from '../../../electron/contract/diagnostics'
import type { WorkbenchError } from '../../../electron/contract/outcome'
import type { SanitizedRun } from '../../../electron/contract/sanitize'
import { call, newJob } from '../../bridge/bridge'
import { buildStore } from '../../store/build'
import { buildStamp } from '../../store/files'
import { currentFolder } from '../../store/project'

type SanitizeState = {
  job: string | null
  startedAt: number
  run: SanitizedRun | null
  error: WorkbenchError | null
  /** What the sources were when it began. */
  stamp: string | null
}

export const sanitizeStore = createStore<SanitizeState>(() => ({
  job: null,
  startedAt: 0,
  run: null,
  error: null,
  stamp: null,
}))

export function useSanitize<T>(select: (state: SanitizeState) => T): T {
  return useStore(sanitizeStore, select)
}

/** Builds with ASan and UBSan beside what is loaded, and makes the calls of opsmith.json. */
export async function sanitizeProject(): Promise<void> {
  const folder = currentFolder()
  if (folder === null || sanitizeStore.getState().job !== null) return
  const job = newJob('sanitize')
  sanitizeStore.setState({ job, startedAt: Date.now(), error: null })
  const stamp = buildStamp()
  const result = await call('operator.sanitize', { folder, job })
  if (sanitizeStore.getState().job !== job) return
  if (result.ok) sanitizeStore.setState({ job: null, run: result.value, stamp })
  else if (result.error.code === 'cancelled') sanitizeStore.setState({ job: null })
  else sanitizeStore.setState({ job: null, run: null, error: result.error, stamp })
}

export async function stopSanitizing(): Promise<void> {
  const { job } = sanitizeStore.getState()
  if (job !== null) await call('job.cancel', { job })
}

export function forgetSanitized(): void {
  sanitizeStore.setState(sanitizeStore.getInitialState(), true)
}

/** After a build of other sources, what the sanitizers found is out of date. */
export function followBuilds(): void {
  buildStore.subscribe((now, before) => {
    if (now.report === before.report || now.report === null) return
    const { job, stamp } = sanitizeStore.getState()
    if (job === null && stamp !== now.stamp) forgetSanitized()
  })
}

const none: Diagnostic[] = []
const found = new WeakMap<SanitizedRun, Diagnostic[]>()

/** What the sanitizers reported; the compiler's messages are the plain build's already. */
export function sanitizeDiagnostics({ run } = sanitizeStore.getState()): Diagnostic[] {
  if (run === null) return none
  const known = found.get(run) ?? faultsOf(run)
  found.set(run, known)
  return known
}

export function faultsOf(run: SanitizedRun): Diagnostic[] {
  return run.diagnostics.filter(({ source }) => source === 'ASan' || source === 'UBSan')
}
