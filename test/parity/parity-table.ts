import { gradientChecks, opcheckTests } from './python-checks'
import type { GradientCheck, OpcheckTest } from './python-checks'

/** chance: what it says differs from call to call, as the memory around a tensor does. */
export type Verdict = 'passed' | 'failed' | 'crashed' | 'chance'
export type PythonColumn = GradientCheck | OpcheckTest

/** One check of one operator. */
export interface Cell {
  /** undefined where it was not asked for. */
  python: Verdict | undefined
  /** undefined where we have no check like it. */
  ours: Verdict | undefined
  /** Why ours fails what PyTorch's passes; "" where they are to be equal. */
  stricter: string
}

export interface WrongRow {
  op: string
  /** "" of a right operator. */
  wrong: string
  cells: Record<PythonColumn, Cell>
  /** Our checks that failed: "gradcheck: backward". */
  found: string[]
  /** Of more variants of gradcheck than `cells`; undefined where no input requires grad. */
  gradients: GradientRow | undefined
}

export interface GradientRow {
  name: string
  /** By variant. */
  cells: Record<string, Cell>
}

const columns: readonly PythonColumn[] = [...gradientChecks, ...opcheckTests]
const marks = { passed: '✓', failed: '✗', crashed: 'crash', chance: '?' } as const

/** One mark where both say the same, else PyTorch's and ours. */
function cellText({ python, ours }: Cell): string {
  if (python === undefined) return ''
  if (ours === undefined || ours === python) return marks[python]
  return `${marks[python]} → ${marks[ours]}`
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

const shortName = (op: string): string => op.slice(op.indexOf('::') + 2)

/** What each of PyTorch's checks that was made passed. */
export function pythonPasses(row: WrongRow): boolean {
  const made = Object.values(row.cells).filter((cell) => cell.python !== undefined)
  return made.length > 0 && made.every((cell) => cell.python === 'passed')
}

/** Every verdict that both have, and how many of them differ. */
export function countOf(rows: readonly { cells: Record<string, Cell> }[]): {
  compared: number
  stricter: number
} {
  const compared = rows
    .flatMap((row) => Object.values(row.cells))
    .filter((cell) => cell.python !== undefined && cell.ours !== undefined)
  return {
    compared: compared.length,
    stricter: compared.filter((cell) => cell.python !== cell.ours).length,
  }
}

/** The verdicts that are in no GradientRow. */
export function operatorCheckRow(row: WrongRow): { cells: Record<string, Cell> } {
  return { cells: Object.fromEntries(opcheckTests.map((test) => [test, row.cells[test]])) }
}

/** docs/check-parity.md. */
export function parityDocument(
  wrong: readonly WrongRow[],
  libtorch: readonly GradientRow[],
): string {
  const faults = wrong.filter((row) => row.wrong !== '')
  const missed = faults.filter(pythonPasses)
  const stricter = wrong.flatMap((row) =>
    Object.entries(row.cells)
      .filter(([, cell]) => cell.stricter !== '')
      .map(([column, cell]) => `- \`${shortName(row.op)}\`, ${column}: ${cell.stricter}`),
  )
  const small = countOf(wrong)
  const gradients = [...libtorch, ...wrong.flatMap((row) => row.gradients ?? [])]
  const large = countOf(gradients)
  const variants = Object.keys(gradients[0]?.cells ?? {})
  return `# Verdicts beside PyTorch's

Made by \`npm test -- parity --update\`; the tests fail when it is not up to date.

Every operator of \`test/cases/gradcheck\` and \`test/cases/operator-checks\`, ${faults.length} of them wrong, each in one
way: what PyTorch's checks say, each in a process of its own, and what Opsmith's say. ${small.compared} verdicts are
of checks that both have. One mark: both say so. ✓ → ✗: PyTorch's check passes, Opsmith's fails, for a
reason given below the table (${small.stricter} times; never the other way round). Crash: the check ends its
process. ?: chance, the operator reads or writes outside of its tensors or leaves some of its output unwritten. Empty: the
inputs do not require grad.
test_schema is compared with \`mutation\` and \`aliasing\`, test_autograd_registration with
\`autograd_registration\`, test_faketensor with \`meta\`. test_aot_dispatch_dynamic compiles with Python,
and has no counterpart.

${table(
  ['operator', 'what is wrong', ...columns, 'Opsmith finds it by'],
  wrong.map((row) => [
    shortName(row.op),
    row.wrong || '(right)',
    ...columns.map((column) => cellText(row.cells[column])),
    row.found.join('; '),
  ]),
)}

Where Opsmith's counterpart is stricter:

${stricter.join('\n')}

## What PyTorch's checks pass, and Opsmith's do not

${missed.length} of the ${faults.length} wrong operators pass every check of PyTorch's that applies to them:

${table(
  ['operator', 'what is wrong', 'Opsmith finds it by'],
  missed.map((row) => [shortName(row.op), row.wrong, row.found.join('; ')]),
)}

## Gradients, in ${variants.length} ways

${libtorch.length} calls of libtorch's differentiable operators, by family, and ${gradients.length - libtorch.length} of the operators above: ${large.compared} verdicts,
all equal but ${large.stricter}, of which the last paragraph speaks. Where gradcheck's message names what fails, it
fails here too.

${table(
  ['operator', ...variants],
  gradients.map((row) => [
    row.name,
    ...variants.map((variant) => cellText(row.cells[variant] ?? none)),
  ]),
)}

✓ → ✗: PyTorch has that derivative in Python only (torch._decomp.decompositions_for_jvp); libtorch by
itself has none, and says so. ✗ → crash: PyTorch stops at the first failure, Opsmith goes on to the crash.
\`in_place\` changes one element of 12 in fast mode: whether fast mode sees that depends on its random vectors.
`
}

const none: Cell = { python: undefined, ours: undefined, stricter: '' }
