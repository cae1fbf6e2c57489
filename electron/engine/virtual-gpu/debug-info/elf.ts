/** Sections of an ELF file: programs and libraries of Linux. */
import fs from 'node:fs'
import { inflateSync } from 'node:zlib'

const compressed = 0x800
const noBits = 8

/** The sections whose name is wanted. Empty where the file is not a 64-bit little-endian ELF file. */
export function elfSections(file: string, wanted: ReadonlySet<string>): Map<string, Buffer> {
  const sections = new Map<string, Buffer>()
  const descriptor = fs.openSync(file, 'r')
  const read = (offset: number, length: number): Buffer => {
    const bytes = Buffer.alloc(length)
    fs.readSync(descriptor, bytes, 0, length, offset)
    return bytes
  }
  try {
    const header = read(0, 64)
    if (header.readUInt32BE(0) !== 0x7f454c46 || header[4] !== 2 || header[5] !== 1) return sections
    const size = header.readUInt16LE(58)
    const count = header.readUInt16LE(60)
    const table = read(Number(header.readBigUInt64LE(40)), size * count)
    const at = (index: number): Buffer => table.subarray(index * size, (index + 1) * size)
    const contentOf = (section: Buffer): Buffer =>
      section.readUInt32LE(4) === noBits
        ? Buffer.alloc(0)
        : read(Number(section.readBigUInt64LE(24)), Number(section.readBigUInt64LE(32)))
    const names = contentOf(at(header.readUInt16LE(62)))
    for (let index = 0; index < count; index += 1) {
      const section = at(index)
      const begin = section.readUInt32LE(0)
      const name = names.toString('latin1', begin, names.indexOf(0, begin))
      if (!wanted.has(name)) continue
      const content = contentOf(section)
      const isCompressed = (Number(section.readBigUInt64LE(8)) & compressed) !== 0
      // A header of 24 bytes says how, and the only way that linkers use is zlib's.
      sections.set(name, isCompressed ? inflateSync(content.subarray(24)) : content)
    }
    return sections
  } finally {
    fs.closeSync(descriptor)
  }
}
