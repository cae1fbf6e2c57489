import { call, listen } from '../../bridge/bridge'
import { buildJob } from '../../store/build'
import { fileStatesStore } from '../../store/file-states'
import { currentFolder, projectStore } from '../../store/project'
import { isRestricted } from '../../store/trust'
import { forgetHeads } from './heads'

/** Milliseconds without a further change: what was asked for, a build above all, comes first. */
const quiet = 1_000

let timer: ReturnType<typeof setTimeout> | undefined
let commit = ''
let reading = 0

export async function readStatus(): Promise<void> {
  const folder = currentFolder()
  if (folder === null || isRestricted()) return
  reading += 1
  const mine = reading
  const status = await call('git.status', { folder })
  // A repository that git cannot read is no news: no file has a state then.
  if (mine !== reading || currentFolder() !== folder || !status.ok) return
  const { value } = status
  if ((value?.commit ?? '') !== commit) forgetHeads()
  commit = value?.commit ?? ''
  const states = new Map(value?.files.map(({ path, state }) => [path, state]) ?? [])
  fileStatesStore.setState({ states, branch: value?.branch ?? '', isRepository: value !== null })
}

function readSoon(): void {
  clearTimeout(timer)
  if (currentFolder() === null) return
  timer = setTimeout(() => {
    if (buildJob.isRunning()) readSoon()
    else void readStatus()
  }, quiet)
}

/** Called once, when the window starts. */
export function followStatus(): void {
  listen('file.changed', readSoon)
  // A commit in a terminal changes no file of the project.
  window.addEventListener('focus', readSoon)
  projectStore.subscribe((now, before) => {
    if (now.project !== null && now.project !== before.project) readSoon()
  })
}

export function forgetStatus(): void {
  clearTimeout(timer)
  reading += 1
  commit = ''
  forgetHeads()
  fileStatesStore.setState(fileStatesStore.getInitialState(), true)
}
