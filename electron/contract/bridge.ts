import type { AppCallName, AppEventName, AppInput, AppOutput } from './app-calls'
import type { AppEvent } from './app-calls'
import type { Result } from './outcome'

/** What the preload puts on the renderer's window as `opsmith`: the only door between the two. */
export interface OpsmithBridge {
  call<N extends AppCallName>(name: N, input: AppInput<N>): Promise<Result<AppOutput<N>>>
  /** Returns what stops listening. */
  on<N extends AppEventName>(name: N, listener: (event: AppEvent<N>) => void): () => void
}
