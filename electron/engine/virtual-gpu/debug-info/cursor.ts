/** Reads the numbers and texts of DWARF sections, one after the other. */
export class Cursor {
  constructor(
    readonly bytes: Buffer,
    public at = 0,
  ) {}

  u8(): number {
    const value = this.bytes[this.at] ?? 0
    this.at += 1
    return value
  }

  u16(): number {
    this.at += 2
    return this.bytes.readUInt16LE(this.at - 2)
  }

  u32(): number {
    this.at += 4
    return this.bytes.readUInt32LE(this.at - 4)
  }

  /** Addresses and offsets of files are far below 2^53. */
  u64(): number {
    this.at += 8
    return Number(this.bytes.readBigUInt64LE(this.at - 8))
  }

  uleb(): number {
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      const byte = this.u8()
      value += (byte & 127) * scale
      if (byte < 128) return value
    }
  }

  sleb(): number {
    let value = 0
    let scale = 1
    while (true) {
      const byte = this.u8()
      value += (byte & 127) * scale
      scale *= 128
      if (byte < 128) return (byte & 64) !== 0 ? value - scale : value
    }
  }

  text(): string {
    const begin = this.at
    const end = this.bytes.indexOf(0, begin)
    this.at = end + 1
    return this.bytes.toString('utf8', begin, end)
  }
}
