/** What is read of a minidump, the file that Chromium's crash handler writes of a process that crashed. */
export interface Dump {
  pid: number
  /** The number of the signal. */
  signal: number
}

const signature = 'MDMP'
/** Of the directory: a type, a size, a place. */
const entryBytes = 12
const streams = { exception: 6, miscInfo: 15 }

/** undefined for bytes that are no minidump, or none of a crash. */
export function readDump(bytes: Buffer): Dump | undefined {
  try {
    if (bytes.toString('latin1', 0, 4) !== signature) return undefined
    const count = bytes.readUInt32LE(8)
    const directory = bytes.readUInt32LE(12)
    const placeOf = (type: number): number | undefined => {
      for (let index = 0; index < count; index += 1) {
        const entry = directory + index * entryBytes
        if (bytes.readUInt32LE(entry) === type) return bytes.readUInt32LE(entry + 8)
      }
      return undefined
    }
    const exception = placeOf(streams.exception)
    const misc = placeOf(streams.miscInfo)
    if (exception === undefined || misc === undefined) return undefined
    return { pid: bytes.readUInt32LE(misc + 8), signal: bytes.readUInt32LE(exception + 8) }
  } catch (error) {
    // Cut short: the places are beyond its end.
    if (error instanceof RangeError) return undefined
    throw error
  }
}
