import type { GradcheckFinding, GradcheckReport } from '../../../contract/gradcheck'
import type { HostPool } from '../../../engine/host/host-pool'

/** The error of a Jacobian, made small enough for a page: each cell holds the largest error in it. */
export interface ErrorPicture {
  /** "backward, input x, output 0" */
  title: string
  failed: boolean
  /** Of the whole Jacobian: elements of the input, elements of the output. */
  rows: number
  columns: number
  /** The part that is shown; all of it unless the Jacobian is very large. */
  rowStart: number
  columnStart: number
  shownRows: number
  shownColumns: number
  /** Row-major, `cellRows` × `cellColumns`; NaN where an element is not a number. */
  cells: number[]
  cellRows: number
  cellColumns: number
  /** Where the worst element lies, in rows and columns of the whole; absent when there is none. */
  worst?: { row: number; column: number }
}

/** Cells on a side; finer than that, neighbours cannot be told apart in a report. */
const mostCells = 64
/** The most that tensor.page gives at once. */
const pageSize = 1024
/** Elements that are read for one picture. */
const mostElements = 4 << 20
const pageTimeout = 60

/** "backward, input x, output 0, imaginary part" */
export function findingTitle(report: GradcheckReport, finding: GradcheckFinding): string {
  const parts: string[] = [finding.check]
  if (finding.input !== undefined) {
    parts.push(`input ${report.inputs[finding.input]?.name ?? String(finding.input)}`)
  }
  if (finding.output !== undefined) parts.push(`output ${finding.output}`)
  if (finding.part !== '') parts.push(`${finding.part} part`)
  return parts.join(', ')
}

/** Row-major position of an index. */
export function ravel(index: readonly number[], shape: readonly number[]): number {
  return index.reduce((flat, position, dim) => flat * (shape[dim] ?? 1) + position, 0)
}

/** Larger of two errors; what is not a number outdoes any. */
function larger(a: number, b: number): number {
  return Number.isNaN(a) || Number.isNaN(b) ? NaN : Math.max(a, b)
}

function windowAround(middle: number, size: number, whole: number): number {
  return Math.max(0, Math.min(whole - size, middle - Math.floor(size / 2)))
}

/** Reads the error that a finding's Jacobian was kept with; undefined when the op host is gone. */
export async function readErrorPicture(
  hosts: HostPool,
  report: GradcheckReport,
  finding: GradcheckFinding,
): Promise<ErrorPicture | undefined> {
  const { error } = finding
  const [rows = 0, columns = 0] = error?.shape ?? []
  if (!error || rows === 0 || columns === 0) return undefined
  const worst =
    finding.worst && finding.input !== undefined && finding.output !== undefined
      ? {
          row: ravel(finding.worst.inputIndex, report.inputs[finding.input]?.shape ?? []),
          column: ravel(finding.worst.outputIndex, report.outputs[finding.output]?.shape ?? []),
        }
      : undefined
  const whole = rows * columns <= mostElements
  const shownRows = whole ? rows : Math.min(rows, pageSize)
  const shownColumns = whole ? columns : Math.min(columns, pageSize)
  const rowStart = windowAround(worst?.row ?? 0, shownRows, rows)
  const columnStart = windowAround(worst?.column ?? 0, shownColumns, columns)
  const cellRows = Math.min(mostCells, shownRows)
  const cellColumns = Math.min(mostCells, shownColumns)
  const cells = new Array<number>(cellRows * cellColumns).fill(0)
  for (let row = 0; row < shownRows; row += pageSize) {
    for (let column = 0; column < shownColumns; column += pageSize) {
      const page = await hosts.call(
        'tensor.page',
        {
          handle: error.handle,
          index: [],
          rowStart: rowStart + row,
          rowCount: Math.min(pageSize, shownRows - row),
          columnStart: columnStart + column,
          columnCount: Math.min(pageSize, shownColumns - column),
        },
        { timeout: pageTimeout, phase: '' },
      )
      if (!page.ok) return undefined
      const { values, pageRows, pageColumns } = page.value
      for (let i = 0; i < pageRows; i += 1) {
        const cellRow = Math.floor(((row + i) * cellRows) / shownRows)
        for (let j = 0; j < pageColumns; j += 1) {
          const cellColumn = Math.floor(((column + j) * cellColumns) / shownColumns)
          const cell = cellRow * cellColumns + cellColumn
          cells[cell] = larger(cells[cell] ?? 0, values[i * pageColumns + j] ?? NaN)
        }
      }
    }
  }
  return {
    title: findingTitle(report, finding),
    failed: finding.status === 'failed',
    rows,
    columns,
    rowStart,
    columnStart,
    shownRows,
    shownColumns,
    cells,
    cellRows,
    cellColumns,
    ...(worst ? { worst } : {}),
  }
}
