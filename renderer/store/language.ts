import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import type { Diagnostic } from '../../electron/contract/diagnostics'
import type { LanguageState } from '../../electron/contract/language'
import { call, listen } from '../bridge/bridge'
import { notify, notifyError, withdraw } from './notifications'
import { currentFolder } from './project'

type Store = {
  state: LanguageState
  /** What clangd says of the texts that the editor holds, by absolute file. */
  said: Readonly<Record<string, readonly Diagnostic[]>>
}

const initial: Store = {
  state: { state: 'idle', name: '', busy: false, message: '', hint: '', pid: 0 },
  said: {},
}

export const languageStore = createStore<Store>(() => initial)

export function useLanguage<T>(select: (state: Store) => T): T {
  return useStore(languageStore, select)
}

/** Whether to tell that clangd is not there: once is enough. */
let toldAbsence = false

export async function listenToLanguage(): Promise<void> {
  listen('language.changed', takeState)
  listen('language.diagnosed', (event) => {
    if (event.folder !== currentFolder()) return
    languageStore.setState(({ said }) => ({ said: { ...said, [event.file]: event.diagnostics } }))
  })
  const result = await call('language.state', {})
  if (result.ok && languageStore.getState().state.state === 'idle') takeState(result.value)
}

function takeState(state: LanguageState): void {
  const before = languageStore.getState().state
  // What a clangd that is gone has said is nobody's any more: the build's messages stand again.
  const gone = state.state !== 'ready' && before.state === 'ready'
  languageStore.setState(gone ? { state, said: {} } : { state })
  if (state.state === before.state) return
  // What has failed works again, or belongs to the project before.
  if (before.state === 'failed') withdraw(before.message)
  const { message, hint } = state
  if (state.state === 'restarting') notify('info', message, { detail: hint })
  if (state.state === 'failed') {
    const action = { label: 'Restart clangd', run: () => void restartLanguage() }
    notify('warning', message, { hint, action })
  }
  if (state.state === 'absent' && !toldAbsence) {
    toldAbsence = true
    const rest = 'All other parts of Opsmith work without clangd.'
    // A sentence, or a command that installs clangd.
    const isSentence = hint.endsWith('.')
    notify('info', message, {
      hint: isSentence ? `${hint} ${rest}` : `${rest} To install clangd: ${hint}`,
    })
  }
}

/** Another engine starts clangd from now on. */
export function forgetLanguage(): void {
  languageStore.setState(initial)
}

/** Why clangd cannot be asked now; "" when it can. */
export function whyNoClangd(): string {
  const { state, message } = languageStore.getState().state
  if (state === 'ready') return ''
  if (message !== '') return message
  return state === 'starting' ? 'clangd is still starting.' : 'clangd is not running.'
}

export async function restartLanguage(): Promise<void> {
  const result = await call('language.restart', {})
  if (!result.ok) notifyError(result.error)
}

/** The editor let go of the file, or the project was closed (no file). */
export function forgetLanguageDiagnostics(file?: string): void {
  languageStore.setState(({ said }) => {
    if (file === undefined) return { said: {} }
    const left = { ...said }
    delete left[file]
    return { said: left }
  })
}
