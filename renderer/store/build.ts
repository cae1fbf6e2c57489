import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import type { BuildReport } from '../../electron/contract/build'
import type { Diagnostic, DiagnosticNote } from '../../electron/contract/diagnostics'
import type { WorkbenchError } from '../../electron/contract/outcome'
import type { TimeTrace } from '../../electron/contract/time-trace'
import { listen } from '../bridge/bridge'
import { buildStamp, filesStore, projectPath, useFiles } from './files'
import { useGradcheck } from '../features/gradcheck/gradcheck'
import { gradcheckDiagnostics } from '../features/gradcheck/gradcheck-problems'
import { useGraph } from '../features/graph/graph'
import { graphDiagnostics } from '../features/graph/graph-warnings'
import { lintStore, useLints } from './lints'
import { opcheckDiagnostics, useOpcheck } from '../features/operator-checks/opcheck'
import { languageStore, useLanguage } from './language'
import { sanitizeDiagnostics, useSanitize } from '../features/build/sanitize'
import { LineLog, throttled } from './line-log'
import { programProblemsStore, useProgramProblems } from './program-problems'
import { mergeProblems } from './merge-problems'
import { projectStore, useProject } from './project'

type BuildState = {
  /** The build that is running. */
  job: string | null
  stopping: boolean
  startedAt: number
  done: number
  steps: number
  report: BuildReport | null
  /** The plain build that followed a hot one; null until it has ended, or when there was no hot one. */
  settled: BuildReport | null
  /** The build could not be attempted. */
  error: WorkbenchError | null
  /** It was built, but the op host could not load it. */
  loadError: WorkbenchError | null
  /** What the sources were when the shown build began. */
  stamp: string | null
  /** The versions of the open files that the shown build read. */
  versions: Readonly<Record<string, string>>
  cancelled: boolean
  /** Of the last build that was asked where its time went; a later one that was not keeps it. */
  traced: { trace: TimeTrace; load: number | null; stamp: string } | null
  logVersion: number
}

export const buildStore = createStore<BuildState>(() => ({
  job: null,
  stopping: false,
  startedAt: 0,
  done: 0,
  steps: 0,
  report: null,
  settled: null,
  error: null,
  loadError: null,
  stamp: null,
  versions: {},
  cancelled: false,
  traced: null,
  logVersion: 0,
}))

export const buildLog = new LineLog()

export function useBuild<T>(select: (state: BuildState) => T): T {
  return useStore(buildStore, select)
}

export function forgetBuild(): void {
  buildLog.clear()
  buildStore.setState(buildStore.getInitialState(), true)
}

export function listenToBuilds(): void {
  listen('build.settled', ({ folder, report }) => {
    const { report: hot, job } = buildStore.getState()
    if (folder === projectStore.getState().project?.folder && job === null && hot?.hot)
      buildStore.setState({ settled: report })
  })
  const changed = throttled(() => buildStore.setState({ logVersion: buildLog.version }), 60)
  listen('build.started', (event) => {
    if (event.job === buildStore.getState().job) buildStore.setState({ steps: event.steps })
  })
  listen('build.output', (event) => {
    if (event.job !== buildStore.getState().job) return
    buildLog.append(event.text)
    changed()
  })
  listen('build.progressed', (event) => {
    if (event.job !== buildStore.getState().job) return
    buildStore.setState({ done: event.done, steps: event.steps })
  })
}

/** The open files whose text is not the one that was built, a line each. */
export function editedFiles(): string {
  const { stamp, versions } = buildStore.getState()
  const unchanged = stamp === buildStamp()
  return Object.values(filesStore.getState().files)
    .filter((file) => {
      if (file.external) return false
      const known = versions[file.path]
      return file.dirty || (known === undefined ? !unchanged : known !== file.version)
    })
    .map((file) => file.path)
    .join('\n')
}

/** What the Problems panel lists: diagnostics, and errors that name a place. */
export function useProblems(): Diagnostic[] {
  const report = useBuild(judgedReport)
  const said = useLanguage((state) => state.said)
  useFiles(editedFiles) // what was edited since the build decides whose word counts
  const error = useBuild((state) => state.error)
  const loadError = useBuild((state) => state.loadError)
  const problem = useProject((state) => state.project?.problem)
  const warnings = useGraph(graphDiagnostics)
  const gradients = useGradcheck(gradcheckDiagnostics)
  const checks = useOpcheck(opcheckDiagnostics)
  const program = useProgramProblems((state) => state.diagnostics)
  const faults = useSanitize(sanitizeDiagnostics)
  const lints = useLints((found) => found)
  const others = [program, lints, faults, gradients, checks, warnings]
  return collectProblems(report, said, error, loadError, problem, others)
}

export function currentProblems(): Diagnostic[] {
  const { error, loadError } = buildStore.getState()
  const report = judgedReport(buildStore.getState())
  const { project } = projectStore.getState()
  const { said } = languageStore.getState()
  return collectProblems(report, said, error, loadError, project?.problem, [
    programProblemsStore.getState().diagnostics,
    lintStore.getState().found,
    sanitizeDiagnostics(),
    gradcheckDiagnostics(),
    opcheckDiagnostics(),
    graphDiagnostics(),
  ])
}

/** A plain build that fails where the hot one did not has the last word. */
function judgedReport({ report, settled }: BuildState): BuildReport | null {
  return settled?.ok === false ? settled : report
}

let cacheKey: unknown[] = []
let cached: Diagnostic[] = []

// Cached on its parts: stores are read on every render and must answer with the same array.
function collectProblems(
  report: BuildReport | null,
  said: Readonly<Record<string, readonly Diagnostic[]>>,
  error: WorkbenchError | null,
  loadError: WorkbenchError | null,
  manifestProblem: WorkbenchError | undefined,
  others: readonly Diagnostic[][],
): Diagnostic[] {
  const edited = editedFiles()
  const key = [report, said, edited, error, loadError, manifestProblem, ...others]
  if (key.every((part, index) => part === cacheKey[index]) && cacheKey.length > 0) return cached
  const problems: Diagnostic[] = []
  if (manifestProblem) problems.push(fromError(manifestProblem, 'opsmith.json'))
  // A manifest that does not parse fails the build with the same words: say them once.
  if (error && error.code !== 'cancelled' && error.message !== manifestProblem?.message) {
    problems.push(fromError(error, error.code === 'project.invalid' ? 'opsmith.json' : ''))
  }
  if (loadError) problems.push(fromError(loadError, ''))
  const isEdited = new Set(edited.split('\n'))
  const merged = mergeProblems(report?.diagnostics ?? [], said, {
    good: report?.ok === true,
    isAsBuilt: (file) => report !== null && !isEdited.has(projectPath(file).path),
  })
  problems.push(...merged, ...others.flat())
  cacheKey = key
  cached = problems
  return problems
}

/** Whether the message says by itself which field it is about. */
function isNamed(error: WorkbenchError): boolean {
  return error.path === undefined || error.path === '' || error.message.includes(error.path)
}

function fromError(error: WorkbenchError, file: string): Diagnostic {
  const notes: DiagnosticNote[] = []
  const place = { file: '', line: 0, column: 0 }
  if (error.hint) notes.push({ severity: 'note', ...place, message: error.hint })
  return {
    severity: 'error',
    file: error.file ?? file,
    line: error.line ?? 0,
    column: error.column ?? 0,
    message: isNamed(error) ? error.message : `${error.path ?? ''}: ${error.message}`,
    source: 'opsmith',
    code: error.code,
    notes,
    ...(error.detail === undefined || error.detail === '' ? {} : { raw: error.detail }),
  }
}
