import type {
  AssemblyComparison,
  AssemblyFunction,
  AssemblyReport,
  AssemblyRow,
} from '../../../contract/assembly'
import { err, ok } from '../../../contract/outcome'
import type { Result } from '../../../contract/outcome'
import { diffLines } from '../../diff-lines'

/** Differences beyond which two functions are shown as one replaced by the other. */
const mostEdits = 800

/** The text without what changes although the instruction is the same. */
function comparable({ text }: AssemblyRow): string {
  return text
    .replace(/\s*#.*$/, '')
    .replace(/\[rip[+-]0x[0-9a-f]+\]/i, '[rip]')
    .replace(/[.$]L\w*/g, '.L')
    .replace(/%(r|rd|rs|f|fd|p|b|h)\d+\b/g, '%$1')
    .replace(/\s+/g, ' ')
}

/** The rows of two functions next to each other, without directives and comments. */
export function pairRows(
  base: readonly AssemblyRow[],
  other: readonly AssemblyRow[],
): AssemblyComparison['pairs'] {
  const shown = (rows: readonly AssemblyRow[]): { index: number; text: string }[] =>
    rows.flatMap((row, index) =>
      row.kind === 'instruction' || row.kind === 'label' ? [{ index, text: comparable(row) }] : [],
    )
  const [baseRows, otherRows] = [shown(base), shown(other)]
  const texts = (rows: { text: string }[]): string[] => rows.map(({ text }) => text)
  const pairs: AssemblyComparison['pairs'] = []
  let [atBase, atOther] = [0, 0]
  let [removed, added]: [number[], number[]] = [[], []]
  const takeChanges = (): void => {
    for (let place = 0; place < Math.max(removed.length, added.length); place += 1) {
      pairs.push({ base: added[place] ?? -1, other: removed[place] ?? -1, same: false })
    }
    removed = []
    added = []
  }
  for (const { sign } of diffLines(texts(otherRows), texts(baseRows), mostEdits)) {
    const [baseIndex, otherIndex] = [baseRows[atBase]?.index ?? -1, otherRows[atOther]?.index ?? -1]
    if (sign !== '-') atBase += 1
    if (sign !== '+') atOther += 1
    if (sign === '-') removed.push(otherIndex)
    else if (sign === '+') added.push(baseIndex)
    else {
      takeChanges()
      pairs.push({ base: baseIndex, other: otherIndex, same: true })
    }
  }
  takeChanges()
  return pairs
}

/** The function of another build with the name of this one; of several, the one whose line is nearest. */
export function counterpart(
  functions: readonly AssemblyFunction[],
  wanted: AssemblyFunction,
  label: string,
): Result<AssemblyFunction> {
  const named = functions.filter(({ name, file }) => name === wanted.name && file === wanted.file)
  const distance = ({ line }: AssemblyFunction): number => Math.abs(line - wanted.line)
  const [nearest] = [...named].sort((a, b) => distance(a) - distance(b))
  return nearest
    ? ok(nearest)
    : err('operator.unknown', `The other version (${label}) has no function ${wanted.title}.`, {
        hint: 'That version does not define the function, or inlines it into its callers.',
      })
}

type Side = { label: string; report: AssemblyReport }

export function comparisonOf(base: Side, other: Side): AssemblyComparison {
  return {
    base: base.report,
    other: other.report,
    baseLabel: base.label,
    otherLabel: other.label,
    pairs: pairRows(base.report.rows, other.report.rows),
  }
}
