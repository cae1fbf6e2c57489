import path from 'node:path'

import type { AssemblyRow } from '../../../contract/assembly'
import type { DeviceFunction } from './parse-device-code'
import { referenceOf } from './parse-disassembly'
import type { DisassembledFunction, SourceFrame } from './parse-disassembly'

/** Makes a compiler's path absolute, and says whether it is of the project. */
export interface Places {
  absolute(file: string): string
  isOwn(file: string): boolean
}

type RowPlace = Pick<AssemblyRow, 'file' | 'line' | 'inlined'>

/** The innermost line of the project's, and what was inlined there if that is another place. */
export function placeOfFrames(frames: readonly SourceFrame[], places: Places): RowPlace {
  const own = frames.findIndex(({ file, line }) => line > 0 && places.isOwn(places.absolute(file)))
  const [first] = frames
  const isForeign = first !== undefined && !places.isOwn(places.absolute(first.file))
  const inner = isForeign && first.file !== '' ? first : undefined
  const inlined = inner
    ? `${inner.function === '' ? '' : `${inner.function}, `}${path.basename(inner.file)}${inner.line > 0 ? `:${inner.line}` : ''}`
    : ''
  const found = own < 0 ? undefined : frames[own]
  return found
    ? { file: places.absolute(found.file), line: found.line, inlined }
    : { file: '', line: 0, inlined }
}

/** Instructions with labels where the function jumps to itself. */
export function machineRows(
  code: DisassembledFunction,
  frames: ReadonlyMap<bigint, SourceFrame[]>,
  places: Places,
): AssemblyRow[] {
  const own = new Set(code.instructions.map(({ address }) => address))
  const references = code.instructions.map(({ text }) => referenceOf(text))
  const targets = [
    ...new Set(
      references.flatMap((one) =>
        one && own.has(one.address) && one.address !== code.address ? [one.address] : [],
      ),
    ),
  ].sort((a, b) => (a < b ? -1 : 1))
  const labels = new Map(targets.map((address, index) => [address, `.L${index + 1}`]))
  const rows: AssemblyRow[] = []
  const rowOf = new Map<string, number>()
  code.instructions.forEach(({ address, text }, index) => {
    const label = labels.get(address)
    if (label !== undefined) {
      rowOf.set(label, rows.length)
      const nowhere = { address: '', file: '', line: 0, inlined: '', target: -1 }
      rows.push({ ...nowhere, kind: 'label', text: `${label}:` })
    }
    const reference = references[index]
    const to = reference && labels.get(reference.address)
    const shown = reference === undefined ? text : `${reference.before}${to ?? reference.symbol}`
    rows.push({
      kind: 'instruction',
      address: address.toString(16),
      text: shown.replace(/\b(QWORD|DWORD|WORD|BYTE|XMMWORD|YMMWORD|ZMMWORD) PTR\b/g, (words) =>
        words.toLowerCase(),
      ),
      ...placeOfFrames(frames.get(address) ?? [], places),
      target: -1,
    })
  })
  return withTargets(rows, rowOf)
}

/** Rows of PTX or SASS, whose jumps name labels already, or addresses where cuobjdump wrote them. */
export function deviceRows(code: DeviceFunction, places: Places): AssemblyRow[] {
  const rowOf = new Map<string, number>()
  const rows = code.lines.map(({ kind, address, text, frames }, index): AssemblyRow => {
    if (kind === 'label') rowOf.set(text.replace(/:$/, ''), index)
    if (address !== '') rowOf.set(`0x${address.replace(/^0+(?=.)/, '')}`, index)
    return { kind, address, text, ...placeOfFrames(frames, places), target: -1 }
  })
  return withTargets(rows, rowOf)
}

/**
 * Where a jump of SASS goes, or (BSSY) where its threads meet again. Address 0 stands for what is not linked yet;
 * offsets of indirect jumps (BRX, RET) are no addresses.
 */
const sassJump = /(?:^|\s)(?:BRA|BSSY|CALL|JMP)\b\S*\s(?:.*\s)?(0x0*[1-9a-f][0-9a-f]*)$/

function withTargets(rows: AssemblyRow[], rowOf: ReadonlyMap<string, number>): AssemblyRow[] {
  return rows.map((row) => {
    if (row.kind !== 'instruction') return row
    const label = /(?:^|[\s`(])([.$][\w$]+)\)?$/.exec(row.text)?.[1] ?? sassJump.exec(row.text)?.[1]
    const target = label === undefined ? undefined : rowOf.get(label)
    return target === undefined ? row : { ...row, target }
  })
}
