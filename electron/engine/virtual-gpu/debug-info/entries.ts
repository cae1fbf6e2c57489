/** Entries of DWARF 4's .debug_info: a tag with attributes each, as abbreviations declare them. */
import { Cursor } from './cursor'

export const tag = {
  arrayType: 0x01,
  enumerationType: 0x04,
  formalParameter: 0x05,
  lexicalBlock: 0x0b,
  member: 0x0d,
  pointerType: 0x0f,
  referenceType: 0x10,
  compileUnit: 0x11,
  structureType: 0x13,
  subroutineType: 0x15,
  typedef: 0x16,
  unionType: 0x17,
  inheritance: 0x1c,
  inlinedSubroutine: 0x1d,
  subrange: 0x21,
  baseType: 0x24,
  constType: 0x26,
  enumerator: 0x28,
  subprogram: 0x2e,
  variable: 0x34,
  volatileType: 0x35,
  restrictType: 0x37,
  classType: 0x02,
  rvalueReferenceType: 0x42,
} as const

export const attribute = {
  location: 0x02,
  name: 0x03,
  byteSize: 0x0b,
  statementList: 0x10,
  lowPc: 0x11,
  highPc: 0x12,
  compilationFolder: 0x1b,
  constantValue: 0x1c,
  upperBound: 0x2f,
  abstractOrigin: 0x31,
  count: 0x37,
  memberLocation: 0x38,
  declarationLine: 0x3b,
  encoding: 0x3e,
  frameBase: 0x40,
  specification: 0x47,
  type: 0x49,
  ranges: 0x55,
} as const

interface Abbreviation {
  tag: number
  hasChildren: boolean
  /** Pairs of attribute and form. */
  attributes: number[]
}

export interface Entry {
  /** In the section. */
  offset: number
  tag: number
  hasChildren: boolean
  values: Map<number, number | string | Buffer>
  /** DW_AT_high_pc is a length, not an address. */
  highPcIsLength: boolean
}

export interface DebugSections {
  info: Buffer
  abbreviations: Buffer
  texts: Buffer
  lines: Buffer
  ranges: Buffer
}

const addressForm = 0x01

/** One compiled source. */
export class Unit {
  private readonly abbreviations: Map<number, Abbreviation>

  /** Of its first entry. */
  readonly first: number

  constructor(
    private readonly sections: DebugSections,
    /** Of its header, which references are relative to. */
    readonly begin: number,
    readonly end: number,
  ) {
    // Behind the length and the version; the size of addresses follows.
    const cursor = new Cursor(sections.info, begin + 6)
    this.abbreviations = readAbbreviations(sections.abbreviations, cursor.u32())
    this.first = cursor.at + 1
  }

  /** @returns undefined for the mark that ends a list of children */
  read(cursor: Cursor): Entry | undefined {
    const offset = cursor.at
    const abbreviation = this.abbreviations.get(cursor.uleb())
    if (!abbreviation) return undefined
    const values = new Map<number, number | string | Buffer>()
    const { attributes } = abbreviation
    let highPcIsLength = false
    for (let index = 0; index < attributes.length; index += 2) {
      const name = attributes[index] ?? 0
      const form = attributes[index + 1] ?? 0
      if (name === attribute.highPc) highPcIsLength = form !== addressForm
      values.set(name, this.value(cursor, form))
    }
    return {
      offset,
      tag: abbreviation.tag,
      hasChildren: abbreviation.hasChildren,
      values,
      highPcIsLength,
    }
  }

  at(offset: number): Entry | undefined {
    return this.read(new Cursor(this.sections.info, offset))
  }

  /** The entries below one, each with how deep it is; 1: its own children. */
  *below(entry: Entry): Generator<{ entry: Entry; depth: number }> {
    if (!entry.hasChildren) return
    const cursor = new Cursor(this.sections.info, entry.offset)
    this.read(cursor)
    for (let depth = 1; depth > 0 && cursor.at < this.end;) {
      const next = this.read(cursor)
      if (!next) {
        depth -= 1
        continue
      }
      yield { entry: next, depth }
      if (next.hasChildren) depth += 1
    }
  }

  children(entry: Entry): Entry[] {
    return [...this.below(entry)].filter(({ depth }) => depth === 1).map((child) => child.entry)
  }

  private value(cursor: Cursor, form: number): number | string | Buffer {
    const block = (length: number): Buffer => {
      cursor.at += length
      return cursor.bytes.subarray(cursor.at - length, cursor.at)
    }
    switch (form) {
      case addressForm:
      case 0x07: // data8
        return cursor.u64()
      case 0x03: // block2
        return block(cursor.u16())
      case 0x04: // block4
        return block(cursor.u32())
      case 0x05: // data2
        return cursor.u16()
      case 0x06: // data4
      case 0x17: // sec_offset
        return cursor.u32()
      case 0x08: // string
        return cursor.text()
      case 0x09: // block
      case 0x18: // exprloc
        return block(cursor.uleb())
      case 0x0a: // block1
        return block(cursor.u8())
      case 0x0b: // data1
      case 0x0c: // flag
        return cursor.u8()
      case 0x0d: // sdata
        return cursor.sleb()
      case 0x0e: // strp
        return new Cursor(this.sections.texts, cursor.u32()).text()
      case 0x0f: // udata
        return cursor.uleb()
      case 0x10: // ref_addr
        return cursor.u32()
      case 0x11: // ref1
        return this.begin + cursor.u8()
      case 0x12: // ref2
        return this.begin + cursor.u16()
      case 0x13: // ref4
        return this.begin + cursor.u32()
      case 0x14: // ref8
        return this.begin + cursor.u64()
      case 0x15: // ref_udata
        return this.begin + cursor.uleb()
      case 0x19: // flag_present
        return 1
      case 0x20: // ref_sig8
        return cursor.u64()
      default:
        throw new Error(`DW_FORM 0x${form.toString(16)} is unknown`)
    }
  }
}

function readAbbreviations(section: Buffer, offset: number): Map<number, Abbreviation> {
  const cursor = new Cursor(section, offset)
  const abbreviations = new Map<number, Abbreviation>()
  for (let code = cursor.uleb(); code !== 0; code = cursor.uleb()) {
    const entryTag = cursor.uleb()
    const hasChildren = cursor.u8() !== 0
    const attributes: number[] = []
    while (true) {
      const name = cursor.uleb()
      const form = cursor.uleb()
      if (name === 0 && form === 0) break
      attributes.push(name, form)
    }
    abbreviations.set(code, { tag: entryTag, hasChildren, attributes })
  }
  return abbreviations
}

/** Units of DWARF 4; those of other versions are not ours. */
export function unitsOf(sections: DebugSections): Unit[] {
  const units: Unit[] = []
  for (let begin = 0; begin < sections.info.length;) {
    const cursor = new Cursor(sections.info, begin)
    const length = cursor.u32()
    const end = cursor.at + length
    if (cursor.u16() === 4) units.push(new Unit(sections, begin, end))
    begin = end
  }
  return units
}

export const numberOf = (entry: Entry | undefined, name: number): number | undefined => {
  const value = entry?.values.get(name)
  return typeof value === 'number' ? value : undefined
}

export const textOf = (entry: Entry | undefined, name: number): string | undefined => {
  const value = entry?.values.get(name)
  return typeof value === 'string' ? value : undefined
}

export const bytesOf = (entry: Entry | undefined, name: number): Buffer | undefined => {
  const value = entry?.values.get(name)
  return value instanceof Buffer ? value : undefined
}
