import type { AppEvent, AppEventName } from '../contract/app-calls'
import type { OpenQuestion, Question, SaveQuestion } from '../contract/desktop'

/** What a session needs of the place where the user is: somebody who listens, dialogs, a file manager. */
export interface Desktop {
  /** The version of Opsmith. */
  readonly version: string
  /** An event reaches the window, or nobody if there is none. */
  send<N extends AppEventName>(name: N, payload: AppEvent<N>): void
  /** The file or folder that the user chooses; null when they change their mind. */
  askToOpen(question: OpenQuestion): Promise<string | null>
  /** Where the user wants a file written; null when they change their mind. */
  askToSave(question: SaveQuestion): Promise<string | null>
  /** The place of the button that the user presses. */
  ask(question: Question): Promise<number>
  /** Shows a file or folder in the file manager. */
  showInFolder(file: string): void
  /** Opens a folder in the file manager. Why that was not possible comes back; "" if it was. */
  openFolder(folder: string): Promise<string>
  /** @throws if the system has no trash, or the trash does not take it */
  moveToTrash(file: string): Promise<void>
}
