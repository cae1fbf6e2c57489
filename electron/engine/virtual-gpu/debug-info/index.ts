/**
 * Lines and variables of a program that clang compiled with `-O0 -gdwarf-4`: each variable has one place in the frame of
 * its function, so that a small reader is enough.
 */
import path from 'node:path'

import { Cursor } from './cursor'
import { elfSections } from './elf'
import { attribute, bytesOf, numberOf, tag, textOf, unitsOf } from './entries'
import type { DebugSections, Entry, Unit } from './entries'
import { LineTable } from './line-table'
import type { LineRow } from './line-table'
import { Types } from './types'
import type { DebugType } from './types'

/** Where a variable is while its function runs. */
export interface VariablePlace {
  base: 'frame' | 'stack'
  offset: number
  /** The place holds the address of the variable. */
  isIndirect: boolean
}

export interface Variable {
  name: string
  type: DebugType
  declarationLine: number
  isParameter: boolean
  place: VariablePlace
  /** Where its scope begins and ends. */
  ranges: readonly Range[]
}

type Range = readonly [begin: number, end: number]

export interface DebugFunction {
  name: string
  begin: number
  end: number
  variables: Variable[]
}

interface Subprogram {
  unit: Unit
  offset: number
  begin: number
  end: number
}

const scopes: ReadonlySet<number> = new Set([tag.lexicalBlock, tag.inlinedSubroutine])

export class DebugInfo {
  readonly lines = new LineTable()
  private readonly units: Unit[]
  private readonly types: Types
  private readonly subprograms: Subprogram[] = []
  private readonly functions = new Map<Subprogram, DebugFunction>()

  private constructor(
    private readonly sections: DebugSections,
    private readonly folder: string,
  ) {
    this.units = unitsOf(sections)
    this.types = new Types((offset) => this.unitAt(offset))
    for (const unit of this.units) this.index(unit)
    this.lines.sort()
    this.subprograms.sort((one, other) => one.begin - other.begin)
  }

  /** @param folder The units name their compile folder relative to this folder. */
  static of(file: string, folder: string): DebugInfo {
    const found = elfSections(
      file,
      new Set(['.debug_info', '.debug_abbrev', '.debug_str', '.debug_line', '.debug_ranges']),
    )
    const section = (name: string): Buffer => found.get(name) ?? Buffer.alloc(0)
    const sections = {
      info: section('.debug_info'),
      abbreviations: section('.debug_abbrev'),
      texts: section('.debug_str'),
      lines: section('.debug_line'),
      ranges: section('.debug_ranges'),
    }
    return new DebugInfo(sections, folder)
  }

  lineAt(address: number): LineRow | undefined {
    return this.lines.at(address)
  }

  functionAt(address: number): DebugFunction | undefined {
    const found = this.subprograms.find(({ begin, end }) => address >= begin && address < end)
    if (!found) return undefined
    const known = this.functions.get(found) ?? this.read(found)
    this.functions.set(found, known)
    return known
  }

  private unitAt(offset: number): Unit | undefined {
    return this.units.find(({ begin, end }) => offset >= begin && offset < end)
  }

  private index(unit: Unit): void {
    const top = unit.at(unit.first)
    if (!top) return
    const lines = numberOf(top, attribute.statementList)
    const compiledIn = path.resolve(this.folder, textOf(top, attribute.compilationFolder) ?? '')
    if (lines !== undefined) this.lines.add(this.sections.lines, lines, compiledIn)
    for (const { entry } of unit.below(top)) {
      const begin = numberOf(entry, attribute.lowPc)
      // What the linker has dropped begins at 0.
      if (entry.tag !== tag.subprogram || begin === undefined || begin === 0) continue
      this.subprograms.push({ unit, offset: entry.offset, begin, end: endOf(entry, begin) })
    }
  }

  private read({ unit, offset, begin, end }: Subprogram): DebugFunction {
    const entry = unit.at(offset)
    const variables: Variable[] = []
    // The ranges of the scope at each depth.
    const around: (readonly Range[])[] = [[[begin, end]]]
    const base = entry ? registerOf(bytesOf(entry, attribute.frameBase)?.[0]) : undefined
    for (const { entry: inner, depth } of entry ? unit.below(entry) : []) {
      const ranges = around[depth - 1] ?? []
      around[depth] = scopes.has(inner.tag) ? this.rangesOf(inner, unit) : ranges
      const variable = this.variable(inner, ranges, base ?? 'frame')
      if (variable) variables.push(variable)
    }
    return { name: entry ? this.nameOf(entry) : '', begin, end, variables }
  }

  private nameOf(entry: Entry): string {
    return textOf(this.origin(entry, attribute.name), attribute.name) ?? ''
  }

  /** The entry, or the one that it was made from, that has an attribute. */
  private origin(entry: Entry, name: number): Entry {
    if (entry.values.has(name)) return entry
    const from =
      numberOf(entry, attribute.abstractOrigin) ?? numberOf(entry, attribute.specification)
    const other = from === undefined ? undefined : this.unitAt(from)?.at(from)
    return other ? this.origin(other, name) : entry
  }

  private variable(
    entry: Entry,
    ranges: readonly Range[],
    base: 'frame' | 'stack',
  ): Variable | undefined {
    if (entry.tag !== tag.variable && entry.tag !== tag.formalParameter) return undefined
    const place = placeOf(bytesOf(entry, attribute.location), base)
    const name = this.nameOf(entry)
    if (!place || name === '' || name === 'this') return undefined
    return {
      name,
      type: this.types.of(this.origin(entry, attribute.type)),
      declarationLine:
        numberOf(this.origin(entry, attribute.declarationLine), attribute.declarationLine) ?? 0,
      isParameter: entry.tag === tag.formalParameter,
      place,
      ranges,
    }
  }

  private rangesOf(entry: Entry, unit: Unit): Range[] {
    const begin = numberOf(entry, attribute.lowPc)
    if (begin !== undefined) return [[begin, endOf(entry, begin)]]
    const list = numberOf(entry, attribute.ranges)
    if (list === undefined) return []
    const first = numberOf(unit.at(unit.first), attribute.lowPc) ?? 0
    const cursor = new Cursor(this.sections.ranges, list)
    const ranges: Range[] = []
    while (true) {
      const from = cursor.u64()
      const to = cursor.u64()
      if (from === 0 && to === 0) return ranges
      ranges.push([first + from, first + to])
    }
  }
}

function endOf(entry: Entry, begin: number): number {
  const high = numberOf(entry, attribute.highPc) ?? begin
  return entry.highPcIsLength ? begin + high : high
}

const operation = { dereference: 0x06, frameRegister: 0x91, baseRegister: 0x70, register: 0x50 }

/** The frame pointer and the stack pointer of x86-64 and aarch64, by their numbers in DWARF. */
function registerOf(code: number | undefined): 'frame' | 'stack' | undefined {
  const number = (code ?? 0) - operation.register
  if (number === 6 || number === 29) return 'frame'
  return number === 7 || number === 31 ? 'stack' : undefined
}

function placeOf(
  expression: Buffer | undefined,
  frameBase: 'frame' | 'stack',
): VariablePlace | undefined {
  if (!expression) return undefined
  const cursor = new Cursor(expression)
  const code = cursor.u8()
  const base =
    code === operation.frameRegister
      ? frameBase
      : registerOf(code - operation.baseRegister + operation.register)
  if (base === undefined || (code < operation.baseRegister && code !== operation.frameRegister))
    return undefined
  const offset = cursor.sleb()
  const isIndirect = cursor.at < expression.length && cursor.u8() === operation.dereference
  return cursor.at < expression.length ? undefined : { base, offset, isIndirect }
}
