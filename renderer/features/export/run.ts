import type { ConflictDecision, ExportForm } from '../../../electron/contract/export'
import { exportFolderOf } from '../../../electron/contract/settings'
import { call } from '../../bridge/bridge'
import { decisionKey, exportStore, undecided, wouldChange } from './store'
import {
  changesJob,
  choicesJob,
  exportJob,
  isElsewhere,
  wheelForms,
  wheelPythons,
  type Target,
} from './jobs'
import { exportRuns } from './runs'
import { manifestSaved } from '../../store/inputs'
import { notify, notifyError } from '../../store/notifications'
import { currentFolder, currentManifest } from '../../store/project'
import { loadSettings, settingsStore } from '../../store/settings'

/** What is exported: what was chosen, else what opsmith.json says, else the library. */
export function chosenForms(): ExportForm[] {
  const { chosen } = exportStore.getState()
  const { value: choices } = choicesJob.store.getState()
  const kept = currentManifest()?.exports ?? []
  const wanted = chosen ?? (kept.length > 0 ? kept : ['library' as const])
  const impossible = new Set(choices?.filter((one) => !one.possible).map((one) => one.form))
  return wanted.filter((form) => !impossible.has(form))
}

export function chooseForm(form: ExportForm, isWanted: boolean): void {
  const others = chosenForms().filter((one) => one !== form)
  const order = choicesJob.store.getState().value?.map((one) => one.form) ?? []
  const chosen = isWanted ? [...others, form] : others
  exportStore.setState({
    chosen: chosen.sort((a, b) => order.indexOf(a) - order.indexOf(b)),
    review: null,
  })
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
  exportRuns.hide()
  const target = chosenTarget()
  if (target === null) return
  const result = await changesJob.run(target)
  if (!result?.ok) return
  exportStore.setState({
    review: { ...target, diffs: result.value, decisions: {}, onlyShown: true },
  })
}

/** Writes and proves what is chosen; where that would change files that are there, it shows them first. */
export async function exportChosen(): Promise<void> {
  exportRuns.hide()
  if (exportStore.getState().review) {
    await exportReviewed()
    return
  }
  const target = chosenTarget()
  if (target === null) return
  const result = await changesJob.run(target)
  if (!result?.ok) return
  if (wouldChange(result.value)) {
    const review = { ...target, diffs: result.value, decisions: {}, onlyShown: false }
    exportStore.setState({ review })
  } else {
    await write({ ...target, decisions: {} })
  }
}

/** Writes and proves; workers build the wheels for named Pythons afterwards, if a place is chosen. */
async function write(decided: Parameters<typeof exportJob.run>[0]): Promise<void> {
  const { forms, directory } = decided
  const pythons = isElsewhere() ? wheelPythons(forms) : []
  const exported = await exportJob.run(decided)
  const [form] = wheelForms(forms)
  const report = exported?.ok === true ? exported.value.report : null
  const isWritten = report?.forms.some((one) => one.form === form && one.error === undefined)
  if (form === undefined || pythons.length === 0 || !isWritten) return
  const error = await exportRuns.start({ verb: 'export', form, directory, pythons })
  if (error) exportJob.set({ error })
}

/** Writes what was reviewed, once every file that was changed by hand has a decision. */
async function exportReviewed(): Promise<void> {
  const { review } = exportStore.getState()
  if (!review || isExporting() || undecided(review) > 0) return
  const { forms, directory, decisions } = review
  await write({ forms, directory, decisions })
}

/** null where nothing can be exported now. */
function chosenTarget(): Target | null {
  const folder = currentFolder()
  const forms = chosenForms()
  if (folder === null || forms.length === 0 || isExporting()) return null
  return { forms, directory: exportFolderOf(settingsStore.getState().settings, folder) }
}

export function isExporting(): boolean {
  return changesJob.isRunning() || exportJob.isRunning()
}

export async function stopExport(): Promise<void> {
  await Promise.all([changesJob.stop(), exportJob.stop()])
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
    notify('info', 'Saved the chosen forms to "exports" in opsmith.json.')
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
  const forms = chosenForms()
  const words = ['opsmith', 'export', folder, '--as', forms.join(',')]
  const pythons = wheelPythons(forms)
  const directory = exportFolderOf(settingsStore.getState().settings, folder)
  const { proof } = exportStore.getState()
  const { where, jobs } = exportRuns.store.getState()
  // It spreads wheels alone.
  const isSpread = pythons.length > 0 && where !== '' && forms.length === 1
  const options = [
    ...(proof ? [] : ['--no-proof']),
    ...(pythons.length > 0 ? ['--python', pythons.join(',')] : []),
    ...(isSpread ? ['--over', where, '--jobs', String(jobs)] : []),
  ]
  return [...words, '--out', directory, ...options].map(quoted).join(' ')
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

export function forgetExports(): void {
  choicesJob.reset()
  exportRuns.forget()
  exportStore.setState(exportStore.getInitialState(), true)
}
