import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import type {
  AssemblyForm,
  AssemblyFunction,
  AssemblyListing,
  AssemblyReport,
  AssemblyRow,
} from '../../../electron/contract/assembly'

/** What of the rows is shown. */
export type AssemblyFilter = {
  addresses: boolean
  directives: boolean
  labels: boolean
  /** What was inlined at a row. */
  inlined: boolean
}

/** What is chosen in the panel; what is read of the library is in the jobs. */
export type AssemblyState = {
  form: AssemblyForm
  /** What the last listing offered: the switch stays where a newer listing cannot be made. */
  forms: AssemblyListing['forms']
  /** The caret chooses the function. */
  follows: boolean
  /** Build whose functions are listed; what is shown may be of the one before, until it is read. */
  key: string
  /** Sources that build was made of. */
  stamp: string | null
  filter: AssemblyFilter
  /** What the function is compared with: "build:KEY", "flags:-O3", "flags:g++-12 -O3", "" for nothing. */
  against: string
  /** The other side of the comparison, written in the same way; "" for the loaded build. */
  base: string
  /** Whether clang's remarks are shown, at the lines and at their rows. */
  showsRemarks: boolean
  /** The row that the line at the foot explains. */
  pointed: AssemblyRow | null
  /** The line that the pointer is on, in the editor or here. */
  hovered: { file: string; line: number } | null
  /** The line whose rows are to be in view; `nonce` tells one wish from the next. */
  wanted: { file: string; line: number; nonce: number } | null
}

export const assemblyStore = createStore<AssemblyState>(() => ({
  form: 'machine',
  forms: [],
  follows: true,
  key: '',
  stamp: null,
  against: '',
  base: '',
  showsRemarks: false,
  pointed: null,
  hovered: null,
  wanted: null,
  filter: { addresses: false, directives: false, labels: true, inlined: true },
}))

export function useAssembly<T>(select: (state: AssemblyState) => T): T {
  return useStore(assemblyStore, select)
}

/** How many colours tell lines apart; styles/assembly.css has as many. */
export const lineColours = 6

/** A colour for each line of the project that a report has code of, neighbours in different ones. */
export function coloursOf(report: AssemblyReport | null): Map<string, number> {
  const places = new Map<string, { file: string; line: number }>()
  for (const { file, line } of report?.rows ?? []) {
    if (line > 0) places.set(lineKey(file, line), { file, line })
  }
  const sorted = [...places.entries()].sort(
    ([, a], [, b]) => a.file.localeCompare(b.file) || a.line - b.line,
  )
  return new Map(sorted.map(([key], index) => [key, index % lineColours]))
}

export function lineKey(file: string, line: number): string {
  return `${file}:${line}`
}

/**
 * The line whose instructions are shown for this one: itself, else the nearest before it that has instructions, else the
 * nearest after it; null if the function has none of this file. The compiler gives the code of a macro the line at which
 * the macro begins.
 */
export function lineWithCode(
  rows: readonly AssemblyRow[],
  { file, line }: { file: string; line: number },
): number | null {
  const lines = rows.flatMap((row) =>
    row.file === file && row.line > 0 && row.kind === 'instruction' ? [row.line] : [],
  )
  const before = lines.filter((one) => one <= line)
  if (before.length > 0) return before.reduce((a, b) => Math.max(a, b))
  return lines.length > 0 ? lines.reduce((a, b) => Math.min(a, b)) : null
}

/** What is said of each line of the project. */
export function byLine<Said extends { file: string; line: number }>(
  all: readonly Said[],
): Map<string, Said[]> {
  const found = new Map<string, Said[]>()
  for (const one of all) {
    const key = lineKey(one.file, one.line)
    found.set(key, [...(found.get(key) ?? []), one])
  }
  return found
}

/** Rows that the filter lets through; labels that nothing jumps to are directives of a sort. */
export function shownRows(report: AssemblyReport, filter: AssemblyFilter): AssemblyRow[] {
  return report.rows.filter(({ kind }) => {
    if (kind === 'instruction') return true
    return kind === 'label' ? filter.labels : filter.directives
  })
}

/** The function of a newer build that stands for one of an older: by name, then by the nearest line. */
export function sameFunction(
  functions: readonly AssemblyFunction[],
  wanted: AssemblyFunction,
): AssemblyFunction | undefined {
  const named = functions.filter((one) => one.name === wanted.name && one.file === wanted.file)
  const distance = (one: AssemblyFunction): number => Math.abs(one.line - wanted.line)
  return [...named].sort((a, b) => distance(a) - distance(b))[0]
}
