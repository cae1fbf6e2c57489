/** The lines of instructions: DWARF 4's .debug_line, as clang writes it. */
import path from 'node:path'

import { Cursor } from './cursor'

export interface LineRow {
  /** As the file of the program has it. */
  address: number
  /** Absolute path. */
  file: string
  line: number
  /** 0 for what a function does before its first statement. */
  column: number
}

/** Rows of straight pieces of code, by address; each row holds until the next. */
export class LineTable {
  private readonly rows: LineRow[] = []

  /** @param folder where the unit was compiled */
  add(section: Buffer, offset: number, folder: string): void {
    for (const row of rowsOf(section, offset, folder)) this.rows.push(row)
  }

  /** Once all units have been added. */
  sort(): void {
    this.rows.sort((one, other) => one.address - other.address)
  }

  at(address: number): LineRow | undefined {
    let low = 0
    let high = this.rows.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.rows[middle]?.address ?? 0) <= address) low = middle + 1
      else high = middle
    }
    return this.rows[low - 1]
  }

  /** Lines of a file that have code. */
  linesOf(file: string): Set<number> {
    return new Set(
      this.rows.filter((row) => row.file === file && row.column > 0).map(({ line }) => line),
    )
  }
}

interface Header {
  minimumLength: number
  lineBase: number
  lineRange: number
  opcodeBase: number
  lengths: number[]
  files: string[]
}

function readHeader(cursor: Cursor, folder: string): Header {
  const minimumLength = cursor.u8()
  // Operations of an instruction, and whether rows begin as statements: neither matters here.
  cursor.at += 2
  const lineBase = (cursor.u8() << 24) >> 24
  const lineRange = cursor.u8()
  const opcodeBase = cursor.u8()
  const lengths = Array.from({ length: opcodeBase - 1 }, () => cursor.u8())
  const folders = [folder]
  for (let name = cursor.text(); name !== ''; name = cursor.text())
    folders.push(path.resolve(folder, name))
  const files = ['']
  for (let name = cursor.text(); name !== ''; name = cursor.text()) {
    files.push(path.resolve(folders[cursor.uleb()] ?? folder, name))
    // When it was changed, and its length.
    cursor.uleb()
    cursor.uleb()
  }
  return { minimumLength, lineBase, lineRange, opcodeBase, lengths, files }
}

const opcode = {
  copy: 1,
  advanceAddress: 2,
  advanceLine: 3,
  setFile: 4,
  setColumn: 5,
  addConstant: 8,
  fixedAdvance: 9,
  endSequence: 1,
  setAddress: 2,
} as const

function* rowsOf(section: Buffer, offset: number, folder: string): Generator<LineRow> {
  const cursor = new Cursor(section, offset)
  const length = cursor.u32()
  const end = cursor.at + length
  if (cursor.u16() !== 4) return
  const headerLength = cursor.u32()
  const program = cursor.at + headerLength
  const header = readHeader(cursor, folder)
  cursor.at = program
  let row = { address: 0, file: 1, line: 1, column: 0 }
  const advance = (operations: number): void => {
    row.address += operations * header.minimumLength
  }
  const made = (): LineRow => ({ ...row, file: header.files[row.file] ?? '' })
  while (cursor.at < end) {
    const code = cursor.u8()
    if (code >= header.opcodeBase) {
      const special = code - header.opcodeBase
      advance(Math.floor(special / header.lineRange))
      row.line += header.lineBase + (special % header.lineRange)
      yield made()
    } else if (code === 0) {
      const size = cursor.uleb()
      const next = cursor.at + size
      const extended = cursor.u8()
      if (extended === opcode.setAddress) row.address = cursor.u64()
      if (extended === opcode.endSequence) {
        yield { address: row.address, file: '', line: 0, column: 0 }
        row = { address: 0, file: 1, line: 1, column: 0 }
      }
      cursor.at = next
    } else if (code === opcode.copy) yield made()
    else if (code === opcode.advanceAddress) advance(cursor.uleb())
    else if (code === opcode.advanceLine) row.line += cursor.sleb()
    else if (code === opcode.setFile) row.file = cursor.uleb()
    else if (code === opcode.setColumn) row.column = cursor.uleb()
    else if (code === opcode.addConstant)
      advance(Math.floor((255 - header.opcodeBase) / header.lineRange))
    else if (code === opcode.fixedAdvance) row.address += cursor.u16()
    else for (let count = header.lengths[code - 1] ?? 0; count > 0; count -= 1) cursor.uleb()
  }
}
