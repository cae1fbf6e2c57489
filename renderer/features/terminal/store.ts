import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import type { WorkbenchError } from '../../../electron/contract/outcome'
import { call, listen } from '../../bridge/bridge'
import { currentFolder } from '../../store/project'
import { isRestricted } from '../../store/trust'
import { loadViews, views } from './load-views'

export type Terminal = {
  /** As main names it. */
  name: string
  /** "bash 2" */
  title: string
  /** Of a shell that has ended; null while it runs. */
  exitCode: number | null
}

type TerminalsState = {
  terminals: readonly Terminal[]
  /** The one that is shown. */
  shown: string | null
  isOpening: boolean
  error: WorkbenchError | null
}

export const terminalsStore = createStore<TerminalsState>(() => ({
  terminals: [],
  shown: null,
  isOpening: false,
  error: null,
}))

export function useTerminals<T>(select: (state: TerminalsState) => T): T {
  return useStore(terminalsStore, select)
}

let opened = 0

/** Starts another shell and shows it. */
export async function openTerminal(): Promise<void> {
  const folder = currentFolder()
  if (folder === null || isRestricted() || terminalsStore.getState().isOpening) return
  terminalsStore.setState({ isOpening: true, error: null })
  const { makeView } = await loadViews()
  const result = await call('terminal.open', { folder, columns: 80, rows: 24 })
  if (currentFolder() !== folder) return
  if (!result.ok) {
    terminalsStore.setState({ isOpening: false, error: result.error })
    return
  }
  opened += 1
  const { terminal: name, shell } = result.value
  makeView(folder, name)
  terminalsStore.setState(({ terminals }) => ({
    terminals: [...terminals, { name, title: `${shell} ${opened}`, exitCode: null }],
    shown: name,
    isOpening: false,
  }))
}

export function showTerminal(name: string): void {
  terminalsStore.setState({ shown: name })
}

/** The next one, or the one before. */
export function stepTerminal(step: 1 | -1): void {
  const { terminals, shown } = terminalsStore.getState()
  const at = terminals.findIndex(({ name }) => name === shown)
  const next = terminals[(at + step + terminals.length) % terminals.length]
  if (next) showTerminal(next.name)
}

/** Ends the shell and what was started in it. */
export async function closeTerminal(name: string): Promise<void> {
  const folder = currentFolder()
  remove(name)
  if (folder !== null) await call('terminal.close', { folder, terminal: name })
}

function remove(name: string): void {
  views()?.dropView(name)
  terminalsStore.setState(({ terminals, shown }) => {
    const at = terminals.findIndex((terminal) => terminal.name === name)
    const others = terminals.filter((terminal) => terminal.name !== name)
    const next = others[Math.min(at, others.length - 1)]?.name ?? null
    return { terminals: others, shown: shown === name ? next : shown }
  })
}

export function followTerminals(): void {
  listen('terminal.printed', ({ terminal, text }) => views()?.drawText(terminal, text))
  listen('terminal.ended', ({ terminal: name, exitCode }) => {
    if (exitCode === 0) {
      remove(name)
      return
    }
    // What was printed before a shell failed says why.
    terminalsStore.setState(({ terminals }) => ({
      terminals: terminals.map((one) => (one.name === name ? { ...one, exitCode } : one)),
    }))
  })
}

/** Another project opens, or none: main has ended the shells. */
export function forgetTerminals(): void {
  for (const { name } of terminalsStore.getState().terminals) views()?.dropView(name)
  terminalsStore.setState(terminalsStore.getInitialState(), true)
}
