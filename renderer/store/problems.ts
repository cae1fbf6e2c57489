import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import type { Diagnostic, DiagnosticNote } from '../../electron/contract/diagnostics'
import type { WorkbenchError } from '../../electron/contract/outcome'
import { buildJob, editedFiles, judgedReport } from './build'
import { allFeatures } from './feature'
import { filesStore, projectPath } from './files'
import { languageStore } from './language'
import { lintStore } from './lints'
import { mergeProblems } from './merge-problems'
import { programProblemsStore } from './program-problems'
import { projectStore } from './project'
import { schemasStore } from './schemas'
import { stalenessStore } from './staleness'

/** What the Problems panel lists and the editors mark: of the build, the language tools, every feature. */
export const problemsStore = createStore<{ problems: readonly Diagnostic[] }>(() => ({
  problems: [],
}))

export function useProblems(): readonly Diagnostic[] {
  return useStore(problemsStore, (state) => state.problems)
}

export function currentProblems(): readonly Diagnostic[] {
  return problemsStore.getState().problems
}

/** Keeps the list up to date; called once, when the window starts. */
export function followProblems(): void {
  const shared = [
    buildJob.store,
    filesStore,
    languageStore,
    lintStore,
    programProblemsStore,
    projectStore,
    schemasStore,
    stalenessStore,
  ]
  const sources = allFeatures().flatMap((feature) => feature.problems?.stores ?? [])
  for (const store of new Set([...shared, ...sources])) store.subscribe(collect)
  collect()
}

let partsBefore: unknown[] = []

/** Most changes of these stores are about something else: the list changes with its parts only. */
function collect(): void {
  const report = judgedReport()
  const { error, value, running, progress } = buildJob.store.getState()
  const early = running === null ? none : (progress?.errors ?? none)
  const loadError = value?.loadError ?? null
  const { said } = languageStore.getState()
  const manifestProblem = projectStore.getState().project?.problem
  const program = programProblemsStore.getState().diagnostics
  const lints = lintStore.getState().found
  const ofFeatures = allFeatures().map((feature) => feature.problems?.current() ?? none)
  // What was edited since the build decides whose word counts.
  const edited = editedFiles()
  const parts = [
    report,
    error,
    early,
    loadError,
    said,
    manifestProblem,
    program,
    lints,
    edited,
    ...ofFeatures,
  ]
  const isSame =
    parts.length === partsBefore.length && parts.every((part, index) => part === partsBefore[index])
  if (isSame) return
  partsBefore = parts
  const problems: Diagnostic[] = []
  if (manifestProblem) problems.push(fromError(manifestProblem, 'opsmith.json'))
  // A manifest that does not parse fails the build with the same words: list them once.
  if (error && error.code !== 'cancelled' && error.message !== manifestProblem?.message) {
    problems.push(fromError(error, error.code === 'project.invalid' ? 'opsmith.json' : ''))
  }
  if (loadError) problems.push(fromError(loadError, ''))
  const isEdited = new Set(edited.split('\n'))
  // A build that goes on has the last word as soon as one of its sources has failed.
  const ofBuild = early.length > 0 ? early : (report?.diagnostics ?? none)
  const merged = mergeProblems(ofBuild, said, {
    good: early.length === 0 && report?.ok === true,
    isAsBuilt: (file) =>
      (early.length > 0 || report !== null) && !isEdited.has(projectPath(file).path),
  })
  problems.push(...merged, ...program, ...lints, ...ofFeatures.flat())
  problemsStore.setState({ problems })
}

const none: readonly Diagnostic[] = []

/** Whether the message names the field that it is about. */
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
