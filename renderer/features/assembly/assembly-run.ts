import type { AssemblyChoice, AssemblyForm } from '../../../electron/contract/assembly'
import { call } from '../../bridge/bridge'
import { assemblyStore, sameFunction } from './assembly'
import { buildJob } from '../../store/build'
import { filesStore } from '../../store/files'
import { layoutStore } from '../../store/layout'
import { currentFolder, roleOf } from '../../store/project'

const isShown = (): boolean => layoutStore.getState().visible.has('assembly')

let asked = 0
/** The sources of the build whose functions are listed; what is shown may be of the one before, until it is read. */
let stampOfList = assemblyStore.getState().stamp

/** Takes what was built last, if that is not what is shown; called when the panel comes into view and after builds. */
export async function refreshAssembly(): Promise<void> {
  const folder = currentFolder()
  const { value, stamp, running } = buildJob.store.getState()
  // After a hot build, the plain one that follows is what is called, timed and shown.
  const build = value?.settled ?? value?.report
  if (folder === null || build?.ok !== true || running !== null || !isShown()) return
  const { key, form, report: shown } = assemblyStore.getState()
  if (build.key === key) return
  assemblyStore.setState({ key: build.key })
  stampOfList = stamp
  const listing = await loadListing(folder, form)
  if (!listing) return
  const same = shown && sameFunction(listing.functions, shown.function)
  if (same) await chooseFunction(same.id)
  else await showCaret(true)
}

async function loadListing(
  folder: string,
  form: AssemblyForm,
): Promise<Awaited<ReturnType<typeof assemblyStore.getState>>['listing']> {
  asked += 1
  const mine = asked
  assemblyStore.setState({ loading: true })
  const result = await call('assembly.list', { folder, form })
  if (mine !== asked || currentFolder() !== folder) return null
  if (!result.ok) {
    assemblyStore.setState({ loading: false, error: result.error, listing: null, report: null })
    return null
  }
  assemblyStore.setState({ loading: false, error: null, listing: result.value })
  return result.value
}

/** Machine code, PTX or SASS. */
export async function showForm(form: AssemblyForm): Promise<void> {
  const folder = currentFolder()
  if (folder === null || form === assemblyStore.getState().form) return
  assemblyStore.setState({ form, report: null })
  const listing = await loadListing(folder, form)
  if (listing) await showCaret(true)
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
  wanted: { file: string; line: number } | null,
): Promise<void> {
  const folder = currentFolder()
  if (folder === null) return
  asked += 1
  const mine = asked
  assemblyStore.setState({ loading: true })
  const result = await call('assembly.show', { folder, choice })
  if (mine !== asked || currentFolder() !== folder) return
  assemblyStore.setState({ loading: false })
  if (result.ok) {
    assemblyStore.setState({ report: result.value, error: null, stamp: stampOfList })
    if (wanted) wantLine(wanted.file, wanted.line)
  } else if (choice.name !== '' || assemblyStore.getState().report === null) {
    assemblyStore.setState({ error: result.error })
  }
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
  const { form, report, follows, listing } = assemblyStore.getState()
  const { active } = filesStore.getState()
  const folder = currentFolder()
  if (!listing || folder === null) return
  const role = active ? roleOf(active.path) : null
  const isCode = active !== null && (role === 'source' || role === 'header')
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
  if (isFirst && first && assemblyStore.getState().report === null) await chooseFunction(first.id)
}

let nonce = 0

export function wantLine(file: string, line: number): void {
  nonce += 1
  assemblyStore.setState({ wanted: { file, line, nonce } })
}

export function forgetAssembly(): void {
  asked += 1
  const { filter } = assemblyStore.getState()
  assemblyStore.setState({ ...assemblyStore.getInitialState(), filter }, true)
}

let timer: ReturnType<typeof setTimeout> | undefined

/** From the start of the window on: follows the caret and the builds. */
export function followAssembly(): void {
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
