import type {
  AssemblyChoice,
  AssemblyForm,
  AssemblyListing,
} from '../../../electron/contract/assembly'
import { assemblyStore, sameFunction } from './store'
import { buildJob } from '../../store/build'
import { filesStore } from '../../store/files'
import { layoutStore } from '../../store/layout'
import { currentFolder, isForBuild, roleOf } from '../../store/project'
import { compareWith, forgetExtras } from './extras'
import { listJob, showJob, shownReport } from './jobs'

const isShown = (): boolean => layoutStore.getState().visible.has('assembly')

/** Takes what was built last, if that is not what is shown; called when the panel comes into view and after builds. */
export async function refreshAssembly(): Promise<void> {
  const { value, stamp, running } = buildJob.store.getState()
  // After a hot build, the plain one that follows is what is called, timed and shown.
  const build = value?.settled ?? value?.report
  if (currentFolder() === null || build?.ok !== true || running !== null || !isShown()) return
  const { key, form } = assemblyStore.getState()
  if (build.key === key) return
  assemblyStore.setState({ key: build.key, stamp })
  const listing = await listFunctions(form)
  if (!listing) return
  const shown = shownReport()
  const same = shown && sameFunction(listing.functions, shown.function)
  if (same) await chooseFunction(same.id)
  else await showCaret(true)
}

async function listFunctions(form: AssemblyForm): Promise<AssemblyListing | null> {
  const result = await listJob.run(form)
  if (result === null) return null
  showJob.set(result.ok ? { error: null } : { value: null, error: null })
  if (result.ok) assemblyStore.setState({ forms: result.value.forms })
  return result.ok ? result.value : null
}

/** Machine code, PTX or SASS. */
export async function showForm(form: AssemblyForm): Promise<void> {
  if (currentFolder() === null || form === assemblyStore.getState().form) return
  assemblyStore.setState({ form })
  // Flags of one compiler mean nothing to the other.
  compareWith('')
  showJob.set({ value: null })
  if (await listFunctions(form)) await showCaret(true)
}

/** Shows one of the list; the caret does not choose any more. */
export async function pickFunction(id: string): Promise<void> {
  assemblyStore.setState({ follows: false })
  await chooseFunction(id)
}

async function chooseFunction(id: string): Promise<void> {
  await show({ form: assemblyStore.getState().form, name: id, file: '', line: 0 }, null)
}

async function show(
  choice: AssemblyChoice,
  place: { file: string; line: number } | null,
): Promise<void> {
  const result = await showJob.run(choice)
  if (result?.ok && place) wantLine(place.file, place.line)
}

export function setFollows(follows: boolean): void {
  assemblyStore.setState({ follows })
  if (follows) void showCaret(true)
}

/**
 * Shows the function that the caret is in. Where it is in none, what is shown stays.
 * @param isFirst there may be nothing yet: then the first function is better than none
 */
export async function showCaret(isFirst = false): Promise<void> {
  const { form, follows } = assemblyStore.getState()
  const { value: listing } = listJob.store.getState()
  const report = shownReport()
  const { active } = filesStore.getState()
  const folder = currentFolder()
  if (!listing || folder === null) return
  const role = active ? roleOf(active.path) : null
  const isCode = active !== null && isForBuild(role)
  if (follows && isCode) {
    const file = `${folder}/${active.path}`
    const { line } = active
    if (report && !isFirst && report.rows.some((row) => row.file === file && row.line === line)) {
      wantLine(file, line)
      return
    }
    await show({ form, name: '', file, line }, { file, line })
  }
  const [first] = listing.functions
  if (isFirst && first && shownReport() === null) await chooseFunction(first.id)
}

export function wantLine(file: string, line: number): void {
  assemblyStore.setState(({ wanted }) => ({
    wanted: { file, line, nonce: (wanted?.nonce ?? 0) + 1 },
  }))
}

export function forgetAssembly(): void {
  listJob.reset()
  showJob.reset()
  forgetExtras()
  const { filter, showsRemarks } = assemblyStore.getState()
  assemblyStore.setState({ ...assemblyStore.getInitialState(), filter, showsRemarks }, true)
}

/** From the start of the window on: follows the caret and the builds. */
export function followAssembly(): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  filesStore.subscribe((now, before) => {
    if (now.active === before.active || !assemblyStore.getState().follows) return
    if (now.active?.path === before.active?.path && now.active?.line === before.active?.line) return
    clearTimeout(timer)
    timer = setTimeout(() => {
      if (isShown()) void showCaret()
    }, 120)
  })
  layoutStore.subscribe((now, before) => {
    if (now.visible.has('assembly') && !before.visible.has('assembly')) {
      void refreshAssembly().then(() => showCaret())
    }
  })
  buildJob.store.subscribe((now, before) => {
    if (now.value !== before.value || now.running !== before.running) void refreshAssembly()
  })
}
