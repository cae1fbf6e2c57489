import fs from 'node:fs'
import path from 'node:path'

import type { Diagnostic } from '../../contract/diagnostics'
import type { CommandResult } from '../toolchain/run-command'
import { parseWithText } from './diagnostics'
import type { CompilerMessage } from './diagnostics'
import { parseNvccOutput } from './nvcc-output'

/** A word of a command line as a shell takes it. */
export const shellQuote = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`

/** Why a compiler or linker ended before it was done; undefined when it was not ended. */
export function stoppedBecause(result: CommandResult, label: string): string | undefined {
  if (result.stopped === 'timeout')
    return `${label}: Opsmith stopped the compiler after ${Math.round(result.seconds)} s, the time limit.`
  if (result.stopped === 'not-found')
    return `${label}: the compiler could not be started: ${result.stderr}`
  if (result.stopped === 'signal') {
    const killed = `${label}: the compiler was killed by ${result.signal ?? 'a signal'}`
    return result.signal === 'SIGKILL'
      ? `${killed}, probably because memory ran out. Close other programs, then build again.`
      : `${killed}.`
  }
  return undefined
}

/** The same messages, errors before warnings; the order within each stays. */
export function errorsFirst(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const isError = ({ severity }: Diagnostic): boolean => severity === 'error'
  return [...diagnostics.filter(isError), ...diagnostics.filter((one) => !isError(one))]
}

/** The line that says most of an error that names no place of a source; undefined where nothing was printed. */
export function mainLine(output: string): string | undefined {
  const lines = output.split('\n').filter((line) => line.trim() !== '')
  const counts = /^\d+ (?:warnings?|errors?)\b.* generated\.$/
  return lines.find((line) => /\berror:/.test(line)) ?? lines.findLast((line) => !counts.test(line))
}

/** What is an error of the build and of no line. */
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

/** Functions of libtorch's CUDA libraries, which are declared in its CPU builds too. */
export function explainCpuBuild(diagnostic: Diagnostic): Diagnostic {
  const name = /^undefined reference to (.*\b(?:c10|at)::cuda::.*): the code uses/.exec(
    diagnostic.message,
  )
  return name
    ? {
        ...diagnostic,
        message: `undefined reference to ${name[1] ?? ''}: libc10_cuda or libtorch_cuda defines this symbol, but this libtorch is a CPU build without these libraries. Choose a CUDA build of libtorch, or move the source to "cudaSources" in opsmith.json`,
      }
    : diagnostic
}

/**
 * What a compiler printed of one source.
 *
 * @param folder where it ran
 * @param compiler its name; "nvcc" has words of its own
 */
export function messagesOf(
  output: string,
  folder: string,
  source: string,
  compiler: string,
): CompilerMessage[] {
  if (compiler !== 'nvcc') return parseWithText(output, folder, compiler)
  return parseNvccOutput(output, folder, path.resolve(folder, source), (file) =>
    fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : undefined,
  ).map((diagnostic) => ({ diagnostic, text: diagnostic.message }))
}
