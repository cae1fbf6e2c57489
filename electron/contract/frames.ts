/**
 * Frames of bytes on a stream that user code may write to as well: each says its length and a checksum of what it
 * holds. Three unsigned words of 32 bits, the lowest byte first, then the payload: the mark, the payload's bytes,
 * its checksum.
 */
const frameMark = 0x4d53504f // "OPSM"
const headerBytes = 12
/** A larger length is not a frame: the largest answers are graphs of some hundred megabytes. */
const largestPayload = 2 ** 31 - 1

/** FNV-1a over words of 32 bits: a gigabyte a second, which a table of CRC-32 does not reach. */
export function checksumOf(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const words = bytes.byteLength >> 2
  let hash = 0x811c9dc5
  for (let index = 0; index < words; index += 1) {
    hash = Math.imul(hash ^ view.getInt32(index << 2, true), 0x01000193)
  }
  for (let index = words << 2; index < bytes.byteLength; index += 1) {
    hash = Math.imul(hash ^ view.getUint8(index), 0x01000193)
  }
  return hash >>> 0
}

/** What goes before the payload. */
export function frameHeader(payload: Uint8Array): Uint8Array {
  const header = new DataView(new ArrayBuffer(headerBytes))
  header.setUint32(0, frameMark, true)
  header.setUint32(4, payload.byteLength, true)
  header.setUint32(8, checksumOf(payload), true)
  return new Uint8Array(header.buffer)
}

/** The bytes are not a frame, or a damaged one: nothing after them can be read. */
export class BadFrame extends Error {}

/** Splits a stream into the payloads of its frames. */
export class FrameReader {
  private pieces: Uint8Array[] = []
  private size = 0
  /** The number of bytes from which the next frame can be complete. */
  private wanted = headerBytes

  private joined(): Uint8Array {
    const [first, ...others] = this.pieces
    if (first && others.length === 0) return first
    const all = new Uint8Array(this.size)
    let at = 0
    for (const piece of this.pieces) {
      all.set(piece, at)
      at += piece.byteLength
    }
    this.pieces = [all]
    return all
  }

  /** @throws BadFrame after the payloads that are good; what comes then is not to be read */
  *take(piece: Uint8Array): Generator<Uint8Array, void> {
    this.pieces.push(piece)
    this.size += piece.byteLength
    while (this.size >= this.wanted) {
      const bytes = this.joined()
      const header = new DataView(bytes.buffer, bytes.byteOffset, headerBytes)
      const length = header.getUint32(4, true)
      if (header.getUint32(0, true) !== frameMark || length > largestPayload) {
        throw new BadFrame('bytes that are not a message')
      }
      const end = headerBytes + length
      if (bytes.byteLength < end) {
        this.wanted = end
        return
      }
      const payload = bytes.subarray(headerBytes, end)
      if (checksumOf(payload) !== header.getUint32(8, true)) {
        throw new BadFrame('a damaged message')
      }
      this.pieces = [bytes.subarray(end)]
      this.size = bytes.byteLength - end
      this.wanted = headerBytes
      yield payload
    }
  }
}
