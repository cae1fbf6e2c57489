import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import type {
  ConflictDecision,
  ExportForm,
  ExportReport,
  ExportStep,
  FileChange,
  FormChoice,
  FormDiff,
  FormReport,
} from '../../../electron/contract/export'
import type { WorkbenchError } from '../../../electron/contract/outcome'
import { exportFolderOf } from '../../../electron/contract/settings'
import type { LineLog } from '../../store/line-log'
import { useProject } from '../../store/project'
import { useSettings } from '../../store/settings'

/** A step that is being made, with what it has printed. */
export type RunningStep = { name: string; startedAt: number; log: LineLog }

/** One form of an export, as it goes; `report` is there once it is over. */
export type FormProgress = {
  form: ExportForm
  steps: ExportStep[]
  running: RunningStep | null
  report: FormReport | null
}

export type FormState =
  | 'waiting'
  | 'running'
  /** Written, and every step of its proof passed. */
  | 'done'
  /** As done, but steps of its proof could not be tried. */
  | 'partly'
  /** Written; no step of a proof was made. */
  | 'written'
  | 'failed'
  | 'stopped'

export type ExportWork = {
  job: string
  /** Finding what would change, or writing and proving. */
  of: 'diff' | 'export'
  startedAt: number
}

/** What would be written, and what is to become of files that were changed by hand. */
export type Review = {
  forms: ExportForm[]
  directory: string
  diffs: FormDiff[]
  /** By "form/path". */
  decisions: Record<string, ConflictDecision>
  /** Nobody asked for an export yet. */
  onlyShown: boolean
}

export type ExportState = {
  /** null before they were asked for. */
  choices: FormChoice[] | null
  choicesError: WorkbenchError | null
  /** null: opsmith.json's `exports`, else the library. */
  chosen: ExportForm[] | null
  proof: boolean
  work: ExportWork | null
  review: Review | null
  /** Of the export that runs, or of the last one. */
  forms: FormProgress[]
  directory: string
  report: ExportReport | null
  /** Stop was pressed: what comes after it says nothing of the forms. */
  isStopped: boolean
  error: WorkbenchError | null
  /** Sources of what `forms` shows. */
  stamp: string | null
  /** Changes with the running step's log. */
  logVersion: number
}

export const exportStore = createStore<ExportState>(() => ({
  choices: null,
  choicesError: null,
  chosen: null,
  proof: true,
  work: null,
  review: null,
  forms: [],
  directory: '',
  report: null,
  isStopped: false,
  error: null,
  stamp: null,
  logVersion: 0,
}))

export function useExport<T>(select: (state: ExportState) => T): T {
  return useStore(exportStore, select)
}

/** Where this project is exported to. */
export function useExportFolder(): string {
  const folder = useProject((state) => state.project?.folder ?? '')
  return useSettings((settings) => exportFolderOf(settings, folder))
}

/** How a form of the shown export stands. */
export function formState(state: ExportState, progress: FormProgress): FormState {
  const { steps, running, report } = progress
  if (!report) {
    if (state.work?.of !== 'export' || state.isStopped) return 'stopped'
    return steps.length > 0 || running ? 'running' : 'waiting'
  }
  if (!report.ok) return 'failed'
  const proven = steps.some((step) => step.status === 'ok' && step.name !== 'write')
  if (!proven) return 'written'
  return steps.some((step) => step.status === 'skipped') ? 'partly' : 'done'
}

/** Files that a decision is needed for. */
export function changedByHand(diff: FormDiff): FileChange[] {
  return diff.files.filter((file) => file.byHand)
}

export function decisionKey(form: ExportForm, path: string): string {
  return `${form}/${path}`
}

/** How many files still need a decision before anything may be written. */
export function undecided(review: Review): number {
  return review.diffs
    .flatMap((diff) => changedByHand(diff).map((file) => decisionKey(diff.form, file.path)))
    .filter((key) => review.decisions[key] === undefined).length
}

/** Whether writing would touch what is there already. */
export function wouldChange(diffs: readonly FormDiff[]): boolean {
  return diffs.some(
    (diff) => diff.error !== undefined || (diff.exists && diff.files.some(isDifferent)),
  )
}

export function isDifferent(file: FileChange): boolean {
  return file.change !== 'same'
}
