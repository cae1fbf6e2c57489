import type { Diagnostic } from '../../contract/diagnostics'
import type { CommandResult } from '../toolchain/run-command'

/** A word of a command line as a shell takes it. */
export const quote = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`

/** Why a compiler or linker did not end by itself; undefined when it did. */
export function stoppedBecause(result: CommandResult, label: string): string | undefined {
  if (result.stopped === 'timeout')
    return `${label}: stopped after ${Math.round(result.seconds)} s, the limit.`
  if (result.stopped === 'not-found')
    return `${label}: the compiler could not be started: ${result.stderr}`
  if (result.stopped === 'signal') {
    return `${label}: the compiler was ended by ${result.signal ?? 'a signal'}, most likely for lack of memory.`
  }
  return undefined
}

/** An error of the build as a whole. */
export function plainError(message: string): Diagnostic {
  return {
    severity: 'error',
    file: '',
    line: 0,
    column: 0,
    message,
    source: 'opsmith',
    code: '',
    notes: [],
  }
}
