import type { AppCallName, AppEventName, AppInput, AppOutput } from './app-calls'
import type { AppEvent } from './app-calls'
import type { Result } from './outcome'

/** What the preload puts on the renderer's window as `opsmith`: the only door between the two. */
export interface OpsmithBridge {
  call<N extends AppCallName>(name: N, input: AppInput<N>): Promise<Result<AppOutput<N>>>
  /** Returns what stops listening. */
  on<N extends AppEventName>(name: N, listener: (event: AppEvent<N>) => void): () => void
  /**
   * The absolute paths of files that the user dropped on the window; main lets the window copy or show these.
   * A file that a script made has no path, and is left out.
   */
  dropped(files: readonly DroppedFile[]): Promise<string[]>
}

/** The DOM's File, which the contract has no types for. */
export interface DroppedFile {
  readonly name: string
  readonly size: number
}
