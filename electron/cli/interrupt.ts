import os from 'node:os'

import { endingSignals } from './ending-signals'

/** Milliseconds from the first signal until this process ends, whatever it still does. */
const graceMilliseconds = 2_000

let controller: AbortController | undefined
const listeners = new Map<NodeJS.Signals, () => void>()

function end(signal: NodeJS.Signals): never {
  // As a shell reports a process that a signal ended.
  process.exit(128 + os.constants.signals[signal])
}

/**
 * Aborted by Ctrl+C, SIGTERM and the end of the terminal: compilers and op hosts end, and the verb says that it was stopped. A verb
 * that does not end in time, or a second signal, ends the process and its children at once.
 */
export function interruptSignal(): AbortSignal {
  if (controller) return controller.signal
  const created = new AbortController()
  controller = created
  for (const signal of endingSignals) {
    const listener = (): void => {
      if (created.signal.aborted) end(signal)
      created.abort()
      setTimeout(() => end(signal), graceMilliseconds).unref()
    }
    listeners.set(signal, listener)
    process.on(signal, listener)
  }
  return created.signal
}

/** For what a signal does not simply end: the caller listens for signals from now on. */
export function releaseInterrupts(): void {
  for (const [signal, listener] of listeners) process.off(signal, listener)
  listeners.clear()
  controller = undefined
}
