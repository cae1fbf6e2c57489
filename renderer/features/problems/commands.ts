import type { Diagnostic } from '../../../electron/contract/diagnostics'
import type { Command } from '../../store/commands'
import { filesStore, projectPath } from '../../store/files'
import { openProblem } from '../../store/layout'
import { currentProblems } from '../../store/problems'

export const problemsCommands: readonly Command[] = [
  {
    id: 'problems.next',
    title: 'Next problem',
    group: 'Go',
    shortcut: 'F8',
    run: () => goToProblem(1),
  },
  {
    id: 'problems.previous',
    title: 'Previous problem',
    group: 'Go',
    shortcut: 'Shift+F8',
    run: () => goToProblem(-1),
  },
]

/** The problem that was shown last. */
let visited: Diagnostic | null = null

/** From the caret, file after file in the order of the list, and in a file from its first line to its last. */
function goToProblem(step: 1 | -1): void {
  const problems = inOrder(currentProblems().filter(({ file, line }) => file !== '' && line > 0))
  const index = indexFrom(problems, step)
  visited = problems.at(index % problems.length) ?? null
  if (visited) openProblem(visited)
}

function inOrder(problems: readonly Diagnostic[]): Diagnostic[] {
  const files = [...new Set(problems.map(({ file }) => file))]
  return problems.toSorted(
    (a, b) =>
      files.indexOf(a.file) - files.indexOf(b.file) || a.line - b.line || a.column - b.column,
  )
}

/** The place of the next problem in the list, which may be one past either end. */
function indexFrom(problems: readonly Diagnostic[], step: 1 | -1): number {
  const { active } = filesStore.getState()
  const isHere = ({ file }: Diagnostic): boolean => projectPath(file).path === active?.path
  const last = problems.findIndex((one) => isSame(one, visited))
  if (last >= 0 && visited && isHere(visited) && visited.line === active?.line) return last + step
  if (!active || !problems.some(isHere)) return step > 0 ? 0 : -1
  const isAfter = ({ line, column }: Diagnostic): boolean =>
    line > active.line || (line === active.line && column > active.column)
  if (step < 0) {
    const before = problems.findLastIndex((one) => isHere(one) && one.line < active.line)
    return before >= 0 ? before : problems.findIndex(isHere) - 1
  }
  const after = problems.findIndex((one) => isHere(one) && isAfter(one))
  return after >= 0 ? after : problems.findLastIndex(isHere) + 1
}

/** Problems are made again with each build. */
function isSame(one: Diagnostic, other: Diagnostic | null): boolean {
  return one.file === other?.file && one.line === other.line && one.message === other.message
}
