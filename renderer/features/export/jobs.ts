import type { AppEvent } from '../../../electron/contract/app-calls'
import type {
  ConflictDecision,
  ExportForm,
  ExportReport,
  FormChoice,
  FormDiff,
} from '../../../electron/contract/export'
import { err, ok } from '../../../electron/contract/outcome'
import { call } from '../../bridge/bridge'
import { manifestSaved } from '../../store/inputs'
import { runStamp } from '../../store/files'
import { createJob, createLane, useJob, type Job } from '../../store/job'
import { LineLog, throttled } from '../../store/line-log'
import { exportRuns } from './runs'
import { exportStore, type Exported, type FormProgress } from './store'

/** What is exported, and where to. */
export type Target = { forms: ExportForm[]; directory: string }
type Decided = Target & { decisions: Record<string, ConflictDecision> }

/** Which forms this project can take, and what of their proofs can be tried here. */
export const choicesJob: Job<void, FormChoice[]> = createJob({
  kind: 'forms',
  latest: 'overtakes',
  run: (_, { folder }) => call('export.forms', { folder }),
})

/** One export at a time. */
const lane = createLane()

/** Finds what an export would do to the files that are there; nothing is written. */
export const changesJob: Job<Target, FormDiff[]> = createJob({
  kind: 'export',
  latest: 'refused',
  lane,
  // It reads the sources, not the library.
  stamp: runStamp,
  run: async (target, { folder, job }) => {
    exportStore.setState({ review: null })
    changesJob.set({ error: null })
    exportJob.set({ error: null })
    if (!(await manifestSaved()))
      return err(
        'cancelled',
        'Opsmith could not save your changes to opsmith.json, so nothing was exported. Save opsmith.json, then export again.',
      )
    return call('export.diff', { folder, job, request: target })
  },
})

/** Writes and proves. Its forms stay in view when it fails or is stopped. */
export const exportJob: Job<Decided, Exported, Exported> = createJob({
  kind: 'export',
  latest: 'refused',
  lane,
  // It reads the sources, not the library.
  stamp: runStamp,
  run: async ({ forms, directory, decisions }, { folder, job, stamp, report, progress }) => {
    const begun = { forms: forms.map(notBegun), report: null, isStopped: false }
    exportStore.setState({ review: null })
    changesJob.set({ error: null })
    exportJob.set({ error: null, stamp })
    report(begun)
    const request = { forms, directory, decisions, ...proofHere(forms) }
    const result = await call('export.run', { folder, job, request })
    const last = progress() ?? begun
    if (result.ok) return ok(endedWith(last, result.value))
    const isStopped = result.error.code === 'cancelled'
    return { ...result, partial: { ...endedWith(last, null), isStopped } }
  },
  progress: [
    { event: 'export.progressed', read: progressOf },
    {
      event: 'export.output',
      read: ({ form, step, text }, before) => {
        const running = before?.forms.find((one) => one.form === form)?.running
        if (running?.name !== step) return undefined
        // Logs grow in place: thousands of chunks a second must not copy them.
        running.log.append(text)
        logged()
        return undefined
      },
    },
  ],
})

/** Wheels for named Pythons are built by workers. */
export function isElsewhere(): boolean {
  return exportRuns.store.getState().where !== ''
}

/** What is proven here: if all that is exported are wheels that workers build, nothing. */
function proofHere(forms: readonly ExportForm[]): { proof: boolean; pythons: string[] } {
  const { proof } = exportStore.getState()
  const pythons = wheelPythons(forms)
  if (pythons.length === 0 || !isElsewhere()) return { proof, pythons }
  return { proof: wheelForms(forms).length < forms.length, pythons: [] }
}

/** The Pythons that an export of these forms builds wheels for, as they were named. */
export function wheelPythons(forms: readonly ExportForm[]): string[] {
  const { proof, pythons } = exportStore.getState()
  return proof && wheelForms(forms).length > 0 ? [...pythons] : []
}

/** Those of the forms whose wheels are for one torch each. */
export function wheelForms(forms: readonly ExportForm[]): ExportForm[] {
  const choices = choicesJob.store.getState().value ?? []
  return forms.filter((form) => choices.find((one) => one.form === form)?.wheelPerTorch)
}

const logged = throttled(() => {
  exportStore.setState(({ logVersion }) => ({ logVersion: logVersion + 1 }))
}, 60)

function notBegun(form: ExportForm): FormProgress {
  return { form, steps: [], running: null, report: null }
}

function progressOf(
  { form, running, step, report }: AppEvent<'export.progressed'>,
  before: Exported | null,
): Exported | undefined {
  // What comes after Stop says nothing of the forms.
  if (before === null || exportJob.store.getState().stopping) return undefined
  const forms = before.forms.map((progress): FormProgress => {
    if (progress.form !== form) return progress
    return {
      form,
      report: report ?? null,
      steps: report?.steps ?? (step ? [...progress.steps, step] : progress.steps),
      running: running === '' ? null : { name: running, startedAt: Date.now(), log: new LineLog() },
    }
  })
  return { ...before, forms }
}

function endedWith(last: Exported, report: ExportReport | null): Exported {
  const forms = last.forms.map((progress) => {
    const ended = report?.forms.find((one) => one.form === progress.form) ?? progress.report
    return { ...progress, running: null, report: ended, steps: ended?.steps ?? progress.steps }
  })
  return { ...last, forms, report }
}

const nothing: Exported = { forms: [], report: null, isStopped: false }

/** What the panel shows of an export: the one that runs, else the last one. */
export function useExported<T>(select: (exported: Exported, isRunning: boolean) => T): T {
  return useJob(exportJob, ({ running, stopping, progress, value }) =>
    running === null
      ? select(value ?? nothing, false)
      : select({ ...(progress ?? value ?? nothing), isStopped: stopping }, !stopping),
  )
}

/** The job that looks or writes; `running` is null where none does. */
export function useExportWork(): { running: string | null; startedAt: number } {
  const changes = useJob(changesJob, ({ running }) => running)
  const looking = useJob(changesJob, ({ startedAt }) => startedAt)
  const written = useJob(exportJob, ({ running }) => running)
  const writing = useJob(exportJob, ({ startedAt }) => startedAt)
  return changes === null
    ? { running: written, startedAt: writing }
    : { running: changes, startedAt: looking }
}

export function useIsExporting(): boolean {
  return useExportWork().running !== null
}
