import type { ConflictDecision, ExportForm } from '../../../electron/contract/export'
import type { WorkbenchError } from '../../../electron/contract/outcome'
import { exportFolderOf } from '../../../electron/contract/settings'
import { call, listen, newJob } from '../../bridge/bridge'
import { decisionKey, exportStore, undecided, wouldChange, type FormProgress } from './export'
import { runStamp } from '../../store/files'
import { noteCrash } from '../../store/host'
import { manifestSaved } from '../../store/inputs'
import { LineLog, throttled } from '../../store/line-log'
import { notify, notifyError } from '../../store/notifications'
import { currentFolder, currentManifest } from '../../store/project'
import { loadSettings, settingsStore } from '../../store/settings'

/** What is exported: what was chosen, else what opsmith.json says, else the library. */
export function chosenForms(): ExportForm[] {
  const { chosen, choices } = exportStore.getState()
  const kept = currentManifest()?.exports ?? []
  const wanted = chosen ?? (kept.length > 0 ? kept : ['library' as const])
  const impossible = new Set(choices?.filter((one) => !one.possible).map((one) => one.form))
  return wanted.filter((form) => !impossible.has(form))
}

export function chooseForm(form: ExportForm, isWanted: boolean): void {
  const others = chosenForms().filter((one) => one !== form)
  const order = exportStore.getState().choices?.map((one) => one.form) ?? []
  const chosen = isWanted ? [...others, form] : others
  exportStore.setState({
    chosen: chosen.sort((a, b) => order.indexOf(a) - order.indexOf(b)),
    review: null,
  })
}

/** Which forms this project can take, and what of their proofs can be tried here. */
export async function loadChoices(): Promise<void> {
  const folder = currentFolder()
  if (folder === null) return
  const result = await call('export.forms', { folder })
  if (currentFolder() !== folder) return
  if (result.ok) exportStore.setState({ choices: result.value, choicesError: null })
  else exportStore.setState({ choices: null, choicesError: result.error })
}

/** Where to export to; "" asks the system's dialog. */
export async function chooseFolder(typed: string): Promise<void> {
  const folder = currentFolder()
  if (folder === null) return
  const result = await call('export.chooseDirectory', { folder, typed })
  if (!result.ok) {
    notifyError(result.error)
    return
  }
  if (result.value === null) return
  exportStore.setState({ review: null })
  await loadSettings() // main has noted it there
}

/** Shows what an export would do to the files that are there; nothing is written. */
export async function showChanges(): Promise<void> {
  const asked = await begin()
  if (!asked) return
  const { folder, job, forms, directory } = asked
  const result = await call('export.diff', { folder, job, request: { forms, directory } })
  if (!isCurrent(job)) return
  exportStore.setState({ work: null })
  if (!result.ok) {
    fail(result.error)
    return
  }
  exportStore.setState({
    review: { forms, directory, diffs: result.value, decisions: {}, onlyShown: true },
  })
}

/** Writes and proves what is chosen; where that would change files that are there, it shows them first. */
export async function exportChosen(): Promise<void> {
  if (exportStore.getState().review) {
    await exportReviewed()
    return
  }
  const asked = await begin()
  if (!asked) return
  const { folder, job, forms, directory } = asked
  const result = await call('export.diff', { folder, job, request: { forms, directory } })
  if (!isCurrent(job)) return
  if (!result.ok) {
    exportStore.setState({ work: null })
    fail(result.error)
  } else if (wouldChange(result.value)) {
    const review = { forms, directory, diffs: result.value, decisions: {}, onlyShown: false }
    exportStore.setState({ work: null, review })
  } else {
    await write(job, folder, forms, directory, {})
  }
}

/** Writes what was reviewed, once every file that was changed by hand has a decision. */
async function exportReviewed(): Promise<void> {
  const { review, work } = exportStore.getState()
  const folder = currentFolder()
  if (folder === null || !review || work !== null || undecided(review) > 0) return
  const job = newJob('export')
  exportStore.setState({ work: { job, of: 'diff', startedAt: Date.now() }, error: null })
  await write(job, folder, review.forms, review.directory, review.decisions)
}

type Asked = { folder: string; job: string; forms: ExportForm[]; directory: string }

async function begin(): Promise<Asked | null> {
  const folder = currentFolder()
  const forms = chosenForms()
  if (folder === null || forms.length === 0 || exportStore.getState().work !== null) return null
  const job = newJob('export')
  exportStore.setState({
    work: { job, of: 'diff', startedAt: Date.now() },
    error: null,
    review: null,
  })
  if (!(await manifestSaved())) {
    exportStore.setState({ work: null })
    return null
  }
  const directory = exportFolderOf(settingsStore.getState().settings, folder)
  return { folder, job, forms, directory }
}

function isCurrent(job: string): boolean {
  return exportStore.getState().work?.job === job
}

async function write(
  job: string,
  folder: string,
  forms: ExportForm[],
  directory: string,
  decisions: Record<string, ConflictDecision>,
): Promise<void> {
  const { proof } = exportStore.getState()
  const empty = forms.map((form): FormProgress => {
    return { form, steps: [], running: null, report: null }
  })
  exportStore.setState({
    work: { job, of: 'export', startedAt: Date.now() },
    review: null,
    forms: empty,
    directory,
    report: null,
    isStopped: false,
    error: null,
    stamp: runStamp(),
  })
  const request = { forms, directory, proof, decisions }
  const result = await call('export.run', { folder, job, request })
  if (!isCurrent(job)) return
  exportStore.setState((state) => ({
    work: null,
    isStopped: !result.ok && result.error.code === 'cancelled',
    forms: state.forms.map((progress) => {
      const reports = result.ok ? result.value.forms : []
      const report = reports.find((one) => one.form === progress.form) ?? progress.report
      return { ...progress, running: null, report, steps: report?.steps ?? progress.steps }
    }),
    ...(result.ok ? { report: result.value } : {}),
  }))
  if (!result.ok) fail(result.error)
}

function fail(error: WorkbenchError): void {
  if (error.exit) noteCrash(error.exit)
  exportStore.setState({ error: error.code === 'cancelled' ? null : error })
}

export async function stopExport(): Promise<void> {
  const { work } = exportStore.getState()
  if (work === null) return
  if (work.of === 'export') exportStore.setState({ isStopped: true })
  await call('job.cancel', { job: work.job })
}

export function listenToExports(): void {
  const logged = throttled(() => {
    exportStore.setState(({ logVersion }) => ({ logVersion: logVersion + 1 }))
  }, 60)
  listen('export.progressed', ({ job, form, running, step, report }) => {
    if (!isCurrent(job) || exportStore.getState().isStopped) return
    change(form, (progress) => ({
      ...progress,
      report: report ?? null,
      steps: report?.steps ?? (step ? [...progress.steps, step] : progress.steps),
      running: running === '' ? null : { name: running, startedAt: Date.now(), log: new LineLog() },
    }))
  })
  listen('export.output', ({ job, form, step, text }) => {
    const { forms } = exportStore.getState()
    const running = forms.find((one) => one.form === form)?.running
    if (!isCurrent(job) || running?.name !== step) return
    running.log.append(text)
    logged()
  })
}

function change(form: ExportForm, next: (progress: FormProgress) => FormProgress): void {
  exportStore.setState(({ forms }) => ({
    forms: forms.map((progress) => (progress.form === form ? next(progress) : progress)),
  }))
}

/** What becomes of one file that was changed by hand, or of all of them. */
export function decide(decision: ConflictDecision, of: readonly [ExportForm, string][]): void {
  exportStore.setState(({ review }) => {
    if (!review) return {}
    const keys = of.map(([form, path]) => [decisionKey(form, path), decision] as const)
    return {
      review: { ...review, decisions: { ...review.decisions, ...Object.fromEntries(keys) } },
    }
  })
}

export function leaveReview(): void {
  exportStore.setState({ review: null })
}

/** Keeps what is chosen as opsmith.json's `exports`: the command line takes it, too. */
export async function keepExports(): Promise<void> {
  const folder = currentFolder()
  if (folder === null || !(await manifestSaved())) return
  const result = await call('export.keep', { folder, forms: chosenForms() })
  if (result.ok) {
    exportStore.setState({ chosen: null })
    notify('info', 'Kept in opsmith.json: "exports" names these forms.')
  } else {
    notifyError(result.error)
  }
}

export async function openExported(directory: string): Promise<void> {
  const result = await call('export.showDirectory', { directory })
  if (!result.ok) notifyError(result.error)
}

/** The command line that does the same. */
export function exportCommandLine(): string {
  const folder = currentFolder() ?? '.'
  const words = ['opsmith', 'export', folder, '--as', chosenForms().join(',')]
  const directory = exportFolderOf(settingsStore.getState().settings, folder)
  const { proof } = exportStore.getState()
  return [...words, '--out', directory, ...(proof ? [] : ['--no-proof'])].map(quoted).join(' ')
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

export function forgetExports(): void {
  void stopExport()
  exportStore.setState(exportStore.getInitialState(), true)
}
