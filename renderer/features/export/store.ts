import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import type {
  ConflictDecision,
  ExportForm,
  ExportReport,
  ExportStep,
  FileChange,
  FormDiff,
  FormReport,
} from '../../../electron/contract/export'
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

/** The export that runs, or the last one. */
export type Exported = {
  forms: FormProgress[]
  /** null until it is over, and where it failed or was stopped. */
  report: ExportReport | null
  /** It was stopped before its end. */
  isStopped: boolean
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

/** What is chosen in the panel; what is exported, and what came of it, is in the jobs. */
export type ExportState = {
  /** null: opsmith.json's `exports`, else the library. */
  chosen: ExportForm[] | null
  proof: boolean
  /** Paths or names of Pythons for which wheels are built; [] for that of the project's libtorch. */
  pythons: readonly string[]
  review: Review | null
  /** Changes with the running step's log. */
  logVersion: number
}

export const exportStore = createStore<ExportState>(() => ({
  chosen: null,
  proof: true,
  pythons: [],
  review: null,
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

/**
 * How a form of an export stands.
 * @param isRunning the export runs, and was not stopped
 */
export function formState({ steps, running, report }: FormProgress, isRunning: boolean): FormState {
  if (!report) {
    if (!isRunning) return 'stopped'
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
