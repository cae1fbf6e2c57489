import { app, dialog, shell } from 'electron'
import type { BrowserWindow } from 'electron'

import type { AppEvent, AppEventName } from '../contract/app-calls'
import { eventChannel } from '../contract/channels'
import type { OpenQuestion, Question, SaveQuestion } from '../contract/desktop'
import { moveToTrash } from '../engine/project/trash'
import type { Desktop } from '../session/desktop'

/** The window, and the dialogs of the system in front of it. */
export class ElectronDesktop implements Desktop {
  readonly version = app.getVersion()
  window: BrowserWindow | undefined
  /** The window was closed: what was typed is kept, then this process ends. */
  isClosing = false
  /** Called when the page listens. */
  private readonly waiting: (() => void)[] = []
  private listens = false

  /** Whether the page listens to events, and knows what its start named. */
  get isListening(): boolean {
    return this.listens
  }

  noteListening(): void {
    this.listens = true
    for (const go of this.waiting.splice(0)) go()
  }

  /** The page that listened is gone. */
  notePageGone(): void {
    this.listens = false
  }

  /** Resolves when the page listens. */
  async whenListening(): Promise<void> {
    if (this.listens) return
    await new Promise<void>((resolve) => this.waiting.push(resolve))
  }

  send<N extends AppEventName>(name: N, payload: AppEvent<N>): void {
    if (this.window && !this.window.isDestroyed()) {
      this.window.webContents.send(eventChannel, name, payload)
    }
  }

  async askToOpen(question: OpenQuestion): Promise<string | null> {
    const chosen = this.window
      ? await dialog.showOpenDialog(this.window, question)
      : await dialog.showOpenDialog(question)
    return chosen.canceled ? null : (chosen.filePaths[0] ?? null)
  }

  async askToSave(question: SaveQuestion): Promise<string | null> {
    const chosen = this.window
      ? await dialog.showSaveDialog(this.window, question)
      : await dialog.showSaveDialog(question)
    return chosen.canceled || chosen.filePath === '' ? null : chosen.filePath
  }

  async ask(question: Question): Promise<number> {
    const { response } = this.window
      ? await dialog.showMessageBox(this.window, question)
      : await dialog.showMessageBox(question)
    return response
  }

  showInFolder(file: string): void {
    shell.showItemInFolder(file)
  }

  async openFolder(folder: string): Promise<string> {
    return await shell.openPath(folder)
  }

  /** Electron's own way needs a desktop's tools on Linux, which not every machine has. */
  async moveToTrash(file: string): Promise<void> {
    if (process.platform === 'linux') await moveToTrash(file)
    else await shell.trashItem(file)
  }

  /** Brings the window to the front; false if there is none. */
  show(): boolean {
    const { window } = this
    if (!window || window.isDestroyed()) return false
    if (window.isMinimized()) window.restore()
    window.show()
    window.focus()
    return true
  }
}
