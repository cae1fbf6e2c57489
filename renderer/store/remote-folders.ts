import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import type { KnownTarget, RemoteFolder } from '../../electron/contract/remote-calls'
import { call } from '../bridge/bridge'

/** Milliseconds without a key until the folders are asked for. */
const pause = 250

/** The folders that fit what is typed in "Connect to …". */
type Listed = {
  /** Of this target and this typed folder, up to its last slash; null for nothing yet. */
  of: { target: string; path: string } | null
  /** What was found last, and the path of it as it was typed. */
  found: (RemoteFolder & { path: string }) | null
  isBusy: boolean
  /** Why there are none. */
  problem: string
}

const none: Listed = { of: null, found: null, isBusy: false, problem: '' }

export const remoteFoldersStore = createStore<Listed>(() => none)

export function useRemoteFolders(): Listed {
  return useStore(remoteFoldersStore)
}

let timer: ReturnType<typeof setTimeout> | undefined

/** "operators/my" is the folder "operators/" and the beginning of a name in it. */
export function splitTyped(typed: string): { path: string; start: string } {
  const end = typed.lastIndexOf('/') + 1
  return { path: typed.slice(0, end), start: typed.slice(end) }
}

/** Nobody looks at folders any more. */
export function forgetFolders(): void {
  clearTimeout(timer)
  remoteFoldersStore.setState(none)
}

/** What was typed is not asked for any more. */
export function stopListing(): void {
  clearTimeout(timer)
}

/** Asks for the folders on a machine that the user's own files name. Others are asked about first, by Connect. */
export function listFolders(target: KnownTarget | undefined, typed: string): void {
  clearTimeout(timer)
  if (!target || target.kind === 'recent') {
    forgetFolders()
    return
  }
  const { path } = splitTyped(typed)
  const { of } = remoteFoldersStore.getState()
  if (of?.target === target.name && of.path === path) return
  if (of && of.target !== target.name) remoteFoldersStore.setState(none)
  timer = setTimeout(() => void ask(target.name, path), pause)
}

async function ask(target: string, path: string): Promise<void> {
  const of = { target, path }
  remoteFoldersStore.setState({ of, isBusy: true, problem: '' })
  const listed = await call('remote.folders', { target, path })
  // Something else was typed meanwhile.
  if (remoteFoldersStore.getState().of !== of) return
  remoteFoldersStore.setState({
    isBusy: false,
    found: listed.ok ? { ...listed.value, path } : null,
    problem: listed.ok || listed.error.code === 'cancelled' ? '' : listed.error.message,
  })
}
