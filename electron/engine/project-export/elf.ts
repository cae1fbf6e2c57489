/**
 * What can be read off a shared library without a tool: ELF, 64 bit, little endian, as System V's ABI
 * and its gABI chapters 4 and 5 describe it, with GNU's version sections.
 */

const tags = { needed: 1, strtab: 5, rpath: 15, runpath: 29, verneed: 0x6ffffffe } as const
const machines: Record<number, string> = { 62: 'x86_64', 183: 'aarch64', 243: 'riscv64' }

export interface ElfFacts {
  architecture: string
  needed: string[]
  runPath: string[]
  /** Symbol versions it needs by the library they come from: libc.so.6 → GLIBC_2.34, … */
  versions: Map<string, string[]>
  /** Names of sections that there are. */
  sections: string[]
}

interface Section {
  name: string
  type: number
  offset: number
  size: number
  link: number
}

export class ElfFile {
  private readonly sections: Section[]
  private readonly dynamic: { tag: number; value: number }[] = []
  private readonly strings: Section | undefined

  constructor(private readonly bytes: Buffer) {
    const magic = bytes.subarray(0, 6)
    if (!magic.equals(Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1]))) {
      throw new Error('not a 64-bit little-endian ELF file')
    }
    const offset = Number(bytes.readBigUInt64LE(0x28))
    const [size, count, names] = [0x3a, 0x3c, 0x3e].map((at) => bytes.readUInt16LE(at))
    const raw = Array.from({ length: count ?? 0 }, (_, index) => {
      const at = offset + index * (size ?? 64)
      return {
        nameAt: bytes.readUInt32LE(at),
        type: bytes.readUInt32LE(at + 4),
        offset: Number(bytes.readBigUInt64LE(at + 0x18)),
        size: Number(bytes.readBigUInt64LE(at + 0x20)),
        link: bytes.readUInt32LE(at + 0x28),
      }
    })
    const table = raw[names ?? 0]?.offset ?? 0
    this.sections = raw.map(({ nameAt, ...rest }) => ({
      name: this.text(table + nameAt),
      ...rest,
    }))
    const dynamic = this.sections.find((section) => section.type === 6)
    if (!dynamic) return
    this.strings = this.sections[dynamic.link]
    for (let at = dynamic.offset; at < dynamic.offset + dynamic.size; at += 16) {
      const tag = Number(bytes.readBigInt64LE(at))
      if (tag === 0) break
      this.dynamic.push({ tag, value: Number(bytes.readBigUInt64LE(at + 8)) })
    }
  }

  private text(at: number): string {
    return this.bytes.toString('utf8', at, this.bytes.indexOf(0, at))
  }

  private dynamicText(value: number): string {
    return this.text((this.strings?.offset ?? 0) + value)
  }

  facts(): ElfFacts {
    const named = (tag: number): string[] =>
      this.dynamic.filter((one) => one.tag === tag).map((one) => this.dynamicText(one.value))
    const machine = this.bytes.readUInt16LE(0x12)
    return {
      architecture: machines[machine] ?? `machine ${machine}`,
      needed: named(tags.needed),
      runPath: [...named(tags.runpath), ...named(tags.rpath)].flatMap((path) =>
        path.split(':').filter((part) => part !== ''),
      ),
      versions: this.versions(),
      sections: this.sections.map((section) => section.name),
    }
  }

  /** .gnu.version_r: for each library the versions of its symbols that are needed. */
  private versions(): Map<string, string[]> {
    const found = new Map<string, string[]>()
    const section = this.sections.find((one) => one.type === tags.verneed)
    if (!section) return found
    const strings = this.sections[section.link]?.offset ?? 0
    for (let at = section.offset; ;) {
      const library = this.text(strings + this.bytes.readUInt32LE(at + 4))
      const versions: string[] = []
      let aux = at + this.bytes.readUInt32LE(at + 8)
      for (let left = this.bytes.readUInt16LE(at + 2); left > 0; left -= 1) {
        versions.push(this.text(strings + this.bytes.readUInt32LE(aux + 8)))
        aux += this.bytes.readUInt32LE(aux + 12)
      }
      found.set(library, versions)
      const next = this.bytes.readUInt32LE(at + 12)
      if (next === 0) return found
      at += next
    }
  }

  /**
   * The same file with another run-path, which must not be longer than the one it has; the rest of
   * the old text becomes zeros, so that nothing of it stays. A file without a run-path stays as it is.
   */
  withRunPath(runPath: string): Buffer {
    const changed = Buffer.from(this.bytes)
    for (const { tag, value } of this.dynamic) {
      if (tag !== tags.runpath && tag !== tags.rpath) continue
      const at = (this.strings?.offset ?? 0) + value
      const room = this.text(at).length
      if (runPath.length > room) throw new Error('the new run-path is longer than the old one')
      changed.fill(0, at, at + room)
      changed.write(runPath, at)
    }
    return changed
  }
}

/** Compares "2.34" with "2.4": by numbers, part by part. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((text) => text.split('.').map(Number))
  for (let i = 0; i < Math.max(left?.length ?? 0, right?.length ?? 0); i += 1) {
    const difference = (left?.[i] ?? 0) - (right?.[i] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

/** The highest of the versions of a kind: "3.4.30" of GLIBCXX_3.4 and GLIBCXX_3.4.30; "" for none. */
export function highestVersion(facts: ElfFacts, kind: string): string {
  return (
    [...facts.versions.values()]
      .flat()
      .filter((name) => name.startsWith(`${kind}_`))
      .map((name) => name.slice(kind.length + 1))
      .filter((version) => /^\d/.test(version))
      .sort(compareVersions)
      .at(-1) ?? ''
  )
}
