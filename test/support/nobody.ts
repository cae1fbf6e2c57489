import { moveToTrash } from '../../electron/engine/project/trash'
import type { Desktop } from '../../electron/session/desktop'

/** A desktop where nobody is: dialogs are cancelled, and events reach no window. */
export const nobody: Desktop = {
  version: '0.0.0',
  send: () => undefined,
  askToOpen: () => Promise.resolve(null),
  askToSave: () => Promise.resolve(null),
  ask: ({ cancelId }) => Promise.resolve(cancelId),
  showInFolder: () => undefined,
  openFolder: () => Promise.resolve(''),
  moveToTrash,
}
