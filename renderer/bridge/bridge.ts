import type {
  AppCallName,
  AppEvent,
  AppEventName,
  AppInput,
  AppOutput,
} from '../../electron/contract/app-calls'
import type { OpsmithBridge } from '../../electron/contract/bridge'
import type { Result } from '../../electron/contract/outcome'

declare global {
  interface Window {
    readonly opsmith?: OpsmithBridge
  }
}

/**
 * Asks main. Never rejects: a refused or broken IPC call is an `internal` error like any other, so
 * that no panel needs a second way to fail.
 */
export async function call<N extends AppCallName>(
  name: N,
  input: AppInput<N>,
): Promise<Result<AppOutput<N>>> {
  const bridge = window.opsmith
  if (!bridge) {
    return failed(
      'The window is not connected to Opsmith. Restart Opsmith.',
      'window.opsmith is missing',
    )
  }
  try {
    return await bridge.call(name, input)
  } catch (problem) {
    const detail = problem instanceof Error ? (problem.stack ?? problem.message) : String(problem)
    return failed(
      `The window could not call "${name}" in Opsmith’s main process. Try again.`,
      detail,
    )
  }
}

/** Returns what stops listening. */
export function listen<N extends AppEventName>(
  name: N,
  listener: (event: AppEvent<N>) => void,
): () => void {
  return window.opsmith?.on(name, listener) ?? (() => undefined)
}

/** The absolute paths of what was dropped on the window; what a script made has none. */
export async function droppedPaths(files: readonly File[]): Promise<string[]> {
  return (await window.opsmith?.dropped(files)) ?? []
}

let jobs = 0
/** Job ids must differ between windows that share one main process. */
const windowId = Math.random().toString(36).slice(2, 10)

export function newJob(kind: string): string {
  jobs += 1
  return `${kind}-${windowId}-${jobs}`
}

function failed(message: string, detail: string): Result<never> {
  return { ok: false, error: { code: 'internal', message, detail } }
}
