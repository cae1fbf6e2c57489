import { createStore } from 'zustand/vanilla'

import { call } from '../../bridge/bridge'
import { fileStatesStore, stateOf } from '../../store/file-states'
import { notifyError } from '../../store/notifications'
import { currentFolder } from '../../store/project'

/** Files as the last commit has them, by path; null where it has none. What was not asked for is absent. */
export const headsStore = createStore<{ texts: ReadonlyMap<string, string | null> }>(() => ({
  texts: new Map(),
}))

const asked = new Map<string, Promise<string | null>>()

/** Another commit is checked out, or another project is open. */
export function forgetHeads(): void {
  asked.clear()
  headsStore.setState({ texts: new Map() })
}

/** Whether the last commit may have the file. */
export function isTracked(path: string): boolean {
  const { states, isRepository } = fileStatesStore.getState()
  const state = stateOf(states, path)
  return isRepository && state !== 'untracked' && state !== 'ignored' && state !== 'added'
}

/** The file as the last commit has it; asked once for each commit. */
export function headOf(path: string): Promise<string | null> {
  const folder = currentFolder()
  if (folder === null) return Promise.resolve(null)
  const known = asked.get(path)
  if (known) return known
  const head = call('git.head', { folder, path }).then((answer) => {
    if (!answer.ok) notifyError(answer.error)
    const text = answer.ok ? answer.value.text : null
    if (asked.get(path) === head)
      headsStore.setState(({ texts }) => ({ texts: new Map([...texts, [path, text]]) }))
    return text
  })
  asked.set(path, head)
  return head
}
