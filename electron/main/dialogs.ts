import { dialog } from 'electron'
import type {
  MessageBoxOptions,
  MessageBoxReturnValue,
  OpenDialogOptions,
  SaveDialogOptions,
} from 'electron'

import type { AppSession } from './app-session'

/** The file or folder that the user chooses; null when they change their mind. */
export async function askToOpen(
  { window }: AppSession,
  options: OpenDialogOptions,
): Promise<string | null> {
  const chosen = window
    ? await dialog.showOpenDialog(window, options)
    : await dialog.showOpenDialog(options)
  return chosen.canceled ? null : (chosen.filePaths[0] ?? null)
}

/** Where the user wants a file written; null when they change their mind. */
export async function askToSave(
  { window }: AppSession,
  options: SaveDialogOptions,
): Promise<string | null> {
  const chosen = window
    ? await dialog.showSaveDialog(window, options)
    : await dialog.showSaveDialog(options)
  return chosen.canceled || chosen.filePath === '' ? null : chosen.filePath
}

export async function askQuestion(
  { window }: AppSession,
  options: MessageBoxOptions,
): Promise<MessageBoxReturnValue> {
  return window
    ? await dialog.showMessageBox(window, options)
    : await dialog.showMessageBox(options)
}
