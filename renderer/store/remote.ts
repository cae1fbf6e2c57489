import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import type { WorkbenchError } from '../../electron/contract/outcome'
import { machineOf, placeName, type ProjectPlace } from '../../electron/contract/project-place'
import type { Connection, KnownTarget } from '../../electron/contract/remote-calls'
import { call, listen } from '../bridge/bridge'
import { withdraw } from './notifications'
import { currentName, enterProject, useProject } from './project'

/** What the dialog "Connect to …" shows. */
type Shown = {
  targets: readonly KnownTarget[]
  target: string
  folder: string
  isBusy: boolean
  /** What is awaited, and what was printed. */
  progress: string
  error: WorkbenchError | null
}

type Store = { connection: Connection; shown: Shown | null }

const none: Connection = {
  target: '',
  folder: '',
  state: 'none',
  message: '',
  hint: '',
  detail: '',
  engine: 0,
  isKept: false,
  retryAt: 0,
}
/** Characters of what a command prints while it connects. */
const mostProgress = 4_000

export const remoteStore = createStore<Store>(() => ({ connection: none, shown: null }))

export function useRemote<T>(select: (state: Store) => T): T {
  return useStore(remoteStore, select)
}

/** The target of the open project; "" for this machine. */
export function useTarget(): string {
  return useProject(({ project }) => project?.target ?? '')
}

/**
 * Called once, when the window starts.
 * @param follow.lost the connection was lost
 * @param follow.reconnected the project is open there again, in another engine
 */
export function listenToConnection(follow: { lost: () => void; reconnected: () => void }): void {
  listen('remote.progressed', ({ text }) => {
    const { shown } = remoteStore.getState()
    if (shown?.isBusy === true)
      changeConnect({ progress: (shown.progress + text).slice(-mostProgress) })
  })
  listen('remote.changed', (connection) => {
    const before = remoteStore.getState().connection
    // The bar says it, for as long as it is so.
    withdraw(connection.state === 'open' ? noConnection(before.target) : connection.message)
    remoteStore.setState({ connection })
    if (before.target !== connection.target || before.folder !== connection.folder) return
    if (before.state === 'open' && connection.state === 'lost' && !connection.isKept) follow.lost()
    if (before.state === 'open' || connection.state !== 'open') return
    const isOpenHere = currentName() === placeName(connection)
    // The same engine: it has sent what happened since, and what was running there still runs.
    if (isOpenHere && before.engine === connection.engine) return
    if (before.isKept) follow.lost()
    if (isOpenHere) follow.reconnected()
    else void openWaited(connection)
  })
}

/** What main answers while there is no connection. */
const noConnection = (target: string): string => `There is no connection to ${machineOf(target)}.`

/** A window that was loaded again while there was no connection has shown that as an error. */
async function openWaited(place: ProjectPlace): Promise<void> {
  const { shown } = remoteStore.getState()
  // The dialog is connecting itself.
  if (shown?.isBusy === true) return
  if (shown?.target !== place.target) await call('project.close', { folder: place.folder })
  else if ((await enterProject(place)).ok) remoteStore.setState({ shown: null })
}

/** Shows the dialog. */
export async function askForMachine(
  place: ProjectPlace = { target: '', folder: '' },
): Promise<void> {
  const known = await call('remote.targets', {})
  const error = known.ok ? null : known.error
  const targets = known.ok ? known.value : []
  const first = place.target === '' ? targets[0] : undefined
  remoteStore.setState({
    shown: {
      targets,
      target: first?.name ?? place.target,
      folder: first?.folders[0] ?? place.folder,
      isBusy: false,
      progress: '',
      error,
    },
  })
}

export function changeConnect(changed: Partial<Shown>): void {
  const { shown } = remoteStore.getState()
  if (shown) remoteStore.setState({ shown: { ...shown, ...changed } })
}

/** Chooses a machine of the list, with the project that was opened there last. */
export function chooseTarget({ name, folders }: KnownTarget): void {
  changeConnect({ target: name, folder: folders[0] ?? '', error: null })
}

/** The dialog connects, for something else than opening a project. @returns the target; "" if that is impossible now */
export function beginConnect(): string {
  const { shown } = remoteStore.getState()
  if (!shown || shown.isBusy || shown.target.trim() === '') return ''
  changeConnect({ isBusy: true, progress: '', error: null })
  return shown.target.trim()
}

/** @param isDone the dialog is closed */
export function endConnect(error: WorkbenchError | null, isDone: boolean): void {
  const { shown } = remoteStore.getState()
  if (isDone) remoteStore.setState({ shown: null })
  else
    changeConnect({
      isBusy: false,
      error: error && withWhatToDo(error, shown?.target.trim() ?? ''),
    })
}

/** Connects to what the dialog names, and opens the project. What is open stays open if that fails. */
export async function connect(): Promise<boolean> {
  const { shown } = remoteStore.getState()
  if (!shown || shown.isBusy) return false
  changeConnect({ isBusy: true, progress: '', error: null })
  const { target, folder } = shown
  const entered = await enterProject({ target: target.trim(), folder: folder.trim() })
  if (entered.ok) remoteStore.setState({ shown: null })
  else changeConnect({ isBusy: false, error: withWhatToDo(entered.error, target.trim()) })
  return entered.ok
}

/** Opens a recent project: the dialog shows how far that is, and what went wrong. */
export async function openRemoteProject(place: ProjectPlace): Promise<boolean> {
  await askForMachine(place)
  return await connect()
}

function withWhatToDo(error: WorkbenchError, target: string): WorkbenchError | null {
  if (error.code === 'cancelled') return null
  if (error.code === 'project.missing' || error.code === 'project.empty')
    return {
      ...error,
      hint: `Choose a folder with opsmith.json, or choose “New project there”. For a folder with sources, run \`opsmith --on ${target} init FOLDER\` in a terminal.`,
    }
  // The dialog shows above it what was printed.
  const { detail: _shown, ...rest } = error
  return error.code === 'target.unavailable' ? rest : error
}

export async function stopConnecting(): Promise<void> {
  await call('remote.stop', {})
}

export function cancelConnect(): void {
  // Also a connection that lists folders.
  void stopConnecting()
  remoteStore.setState({ shown: null })
}

export async function reconnect(): Promise<void> {
  await call('remote.reconnect', {})
}
