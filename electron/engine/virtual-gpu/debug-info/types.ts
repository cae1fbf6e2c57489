/** Types of variables, as debug information describes them. */
import { attribute, numberOf, tag, textOf } from './entries'
import type { Entry, Unit } from './entries'

export interface Member {
  name: string
  offset: number
  type: DebugType
}

export type DebugType =
  | { kind: 'base'; name: string; size: number; encoding: number }
  | { kind: 'enumeration'; name: string; size: number; names: ReadonlyMap<number, string> }
  | { kind: 'pointer' | 'reference'; name: string; size: number; target: () => DebugType }
  | { kind: 'array'; name: string; size: number; element: DebugType; dimensions: number[] }
  | { kind: 'structure'; name: string; size: number; members: () => Member[] }
  | { kind: 'unknown'; name: string; size: number }

const unknown: DebugType = { kind: 'unknown', name: 'void', size: 0 }

const transparent: ReadonlySet<number> = new Set([
  tag.constType,
  tag.volatileType,
  tag.restrictType,
  tag.typedef,
])

export class Types {
  private readonly known = new Map<number, DebugType>()

  constructor(private readonly unitAt: (offset: number) => Unit | undefined) {}

  /** The type of a variable, a member or an element; `typedef` and `const` are left out. */
  of(entry: Entry): DebugType {
    const offset = numberOf(entry, attribute.type)
    return offset === undefined ? unknown : this.at(offset)
  }

  private at(offset: number): DebugType {
    const known = this.known.get(offset)
    if (known) return known
    const unit = this.unitAt(offset)
    const entry = unit?.at(offset)
    if (!unit || !entry) return unknown
    const type = transparent.has(entry.tag) ? this.of(entry) : this.made(unit, entry)
    this.known.set(offset, type)
    return type
  }

  private made(unit: Unit, entry: Entry): DebugType {
    const name = textOf(entry, attribute.name) ?? ''
    const size = numberOf(entry, attribute.byteSize) ?? 0
    const target = (): DebugType => this.of(entry)
    switch (entry.tag) {
      case tag.baseType:
        return { kind: 'base', name, size, encoding: numberOf(entry, attribute.encoding) ?? 0 }
      case tag.enumerationType:
        return { kind: 'enumeration', name, size, names: enumerators(unit, entry) }
      case tag.pointerType:
        return { kind: 'pointer', name: `${this.nameBehind(entry)}*`, size: 8, target }
      case tag.referenceType:
      case tag.rvalueReferenceType:
        return { kind: 'reference', name: `${this.nameBehind(entry)}&`, size: 8, target }
      case tag.arrayType:
        return this.array(unit, entry)
      case tag.structureType:
      case tag.classType:
      case tag.unionType:
        return { kind: 'structure', name, size, members: () => this.members(unit, entry) }
      default:
        return { kind: 'unknown', name, size }
    }
  }

  /** Of what a pointer points at, without its own target: types may name themselves. */
  private nameBehind(entry: Entry): string {
    const offset = numberOf(entry, attribute.type)
    const behind = offset === undefined ? undefined : this.unitAt(offset)?.at(offset)
    if (!behind) return 'void'
    if (behind.tag === tag.pointerType) return `${this.nameBehind(behind)}*`
    if (behind.tag === tag.arrayType || behind.tag === tag.subroutineType)
      return behind.tag === tag.arrayType ? this.of(entry).name : 'function'
    return textOf(behind, attribute.name) ?? this.nameBehind(behind)
  }

  private array(unit: Unit, entry: Entry): DebugType {
    const dimensions = unit
      .children(entry)
      .filter((child) => child.tag === tag.subrange)
      .map(
        (child) =>
          numberOf(child, attribute.count) ?? (numberOf(child, attribute.upperBound) ?? -1) + 1,
      )
    const element = this.of(entry)
    const count = dimensions.reduce((product, dimension) => product * dimension, 1)
    const name = `${element.name}${dimensions.map((dimension) => `[${dimension}]`).join('')}`
    return { kind: 'array', name, size: element.size * count, element, dimensions }
  }

  private members(unit: Unit, entry: Entry): Member[] {
    return unit.children(entry).flatMap((child): Member[] => {
      const offset = numberOf(child, attribute.memberLocation)
      if (offset === undefined) {
        // A union's members all begin at 0, and a static one is not here.
        if (child.tag !== tag.member || entry.tag !== tag.unionType) return []
      }
      const type = this.of(child)
      if (child.tag === tag.inheritance && type.kind === 'structure')
        return type.members().map((one) => ({ ...one, offset: one.offset + (offset ?? 0) }))
      if (child.tag !== tag.member) return []
      const name = textOf(child, attribute.name)
      // Members of a struct without a name are the outer one's.
      if (name === undefined && type.kind === 'structure')
        return type.members().map((one) => ({ ...one, offset: one.offset + (offset ?? 0) }))
      return [{ name: name ?? '', offset: offset ?? 0, type }]
    })
  }
}

function enumerators(unit: Unit, entry: Entry): Map<number, string> {
  return new Map(
    unit
      .children(entry)
      .filter((child) => child.tag === tag.enumerator)
      .map((child) => [
        numberOf(child, attribute.constantValue) ?? 0,
        textOf(child, attribute.name) ?? '',
      ]),
  )
}
