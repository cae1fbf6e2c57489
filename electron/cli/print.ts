import path from 'node:path'

import type { Diagnostic } from '../contract/diagnostics'
import { deviceText } from '../contract/gpu-choice'
import type { WorkbenchError } from '../contract/outcome'
import type { OutputValue, TensorStats } from '../contract/tensor'
import { exitCodes } from './exit-codes'

/** A file or folder as the user named it, seen from where they ran the command. */
export function callerPath(named: string): string {
  return path.resolve(process.env['OPSMITH_CALLER_FOLDER'] ?? process.cwd(), named)
}

/** JSON has no NaN and no infinities: they are written as strings. */
export function toJson(value: unknown): string {
  return JSON.stringify(
    value,
    (_key, item: unknown) => {
      if (typeof item === 'number' && !Number.isFinite(item)) return String(item)
      return typeof item === 'bigint' ? item.toString() : item
    },
    2,
  )
}

export function printJson(value: unknown): void {
  process.stdout.write(`${toJson(value)}\n`)
}

/** Colours stay; what else a terminal obeys (its title, its clipboard, its cursor) does not reach it. */
const terminalOrders = new RegExp(`${String.fromCharCode(27)}\\[[\\d;]*m|\\p{Cc}`, 'gu')

/** Text of user code as a terminal may be shown it; a file or pipe gets it as it is. */
export function forTerminal(text: string, isTerminal: boolean): string {
  if (!isTerminal) return text
  return text.replace(terminalOrders, (order) =>
    order.length > 1 || '\n\t\r'.includes(order) ? order : '\uFFFD',
  )
}

export function printLines(lines: readonly string[]): void {
  for (const line of lines) process.stdout.write(`${forTerminal(line, process.stdout.isTTY)}\n`)
}

export function progress(text: string): void {
  process.stderr.write(`${forTerminal(text, process.stderr.isTTY)}\n`)
}

export function describeError(error: WorkbenchError): string {
  const place =
    error.file === undefined
      ? ''
      : `${error.file}${error.line ? `:${error.line}` : ''}${error.column ? `:${error.column}` : ''}: `
  const lines = [`${place}${error.message}`]
  if (error.hint) lines.push(`  → ${error.hint}`)
  for (const frame of error.exit?.stack.filter((candidate) => candidate.isUser) ?? []) {
    lines.push(`  in ${frame.symbol} (${frame.file ?? ''}:${frame.line ?? 0})`)
  }
  return lines.join('\n')
}

/** Says why there is no answer, in the form asked for; the exit code comes back. */
export function printError(error: WorkbenchError, json: boolean): number {
  if (json) printJson({ ok: false, error })
  progress(`opsmith: ${describeError(error)}`)
  return exitCodes.noAnswer
}

/**
 * A compiler's message, shortened where that could be done; `verbose` has the compiler's own text in
 * place of the notes.
 */
export function describeDiagnostic(diagnostic: Diagnostic, verbose = false): string {
  const at = (place: { file: string; line: number; column: number }): string =>
    place.file === ''
      ? ''
      : `${place.file}:${place.line}${place.column > 0 ? `:${place.column}` : ''}: `
  const flag = diagnostic.code === '' ? '' : ` [${diagnostic.code}]`
  const { raw } = diagnostic
  const notes = diagnostic.notes.map((note) => `${at(note)}note: ${note.message}`)
  const more = raw === undefined ? notes : verbose ? raw.split('\n') : []
  return [
    `${at(diagnostic)}${diagnostic.severity}: ${diagnostic.message}${flag}`,
    ...more.map((line) => `  ${line}`),
  ].join('\n')
}

/** Six significant digits, without trailing zeros. */
export function shortNumber(value: number | null): string {
  return value === null
    ? '–'
    : Number.isFinite(value)
      ? String(Number(value.toPrecision(6)))
      : String(value)
}

export function describeStats(stats: TensorStats): string {
  const odd = [
    stats.nan > 0 ? `${stats.nan} NaN` : '',
    stats.posInf + stats.negInf > 0 ? `${stats.posInf + stats.negInf} Inf` : '',
  ].filter((part) => part !== '')
  const parts = [
    `min ${shortNumber(stats.min)}`,
    `max ${shortNumber(stats.max)}`,
    `mean ${shortNumber(stats.mean)}`,
    `std ${shortNumber(stats.std)}`,
    ...odd,
  ]
  return parts.join(', ')
}

/** @param isVirtual devices other than the CPU are the virtual GPU */
export function describeOutput(output: OutputValue, isVirtual: boolean): string {
  return output.kind === 'tensor'
    ? `${output.dtype}[${output.shape.join(', ')}] on ${deviceText(output.device, isVirtual)}: ${describeStats(output.stats)}`
    : `${output.type}: ${output.text}`
}
