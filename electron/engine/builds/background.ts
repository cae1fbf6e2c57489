import type { WorkbenchError } from '../../contract/outcome'

/** What a window shows of work that nobody waits for. */
export interface BackgroundEvents {
  /** `done` from 0 to 1; -1 where nobody knows how much is left. */
  onBackground?: (title: string, done: number, detail: string) => void
  onBackgroundFailed?: (error: WorkbenchError) => void
}
