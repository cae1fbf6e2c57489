import { openPromise } from 'yauzl'
import type { Entry, ZipFile } from 'yauzl'

import { fail } from '../../contract/outcome'

/** Entries beyond this are no model's: PyTorch writes one a tensor. */
const mostEntries = 1_000_000
/** Not a constant: the first toLocaleString() loads ICU, which takes 12 ms of each start. */
const tooManyEntries = (): string =>
  `the archive has more than ${mostEntries.toLocaleString('en')} entries`

/**
 * Reads single files of a zip archive of any size without reading the rest. What does not fit the
 * format is a WorkbenchFailure that says so.
 */
export class ZipReader {
  private constructor(
    private readonly file: string,
    private readonly zip: ZipFile,
    private readonly entries: ReadonlyMap<string, Entry>,
  ) {}

  static async open(file: string): Promise<ZipReader> {
    let zip: ZipFile | undefined
    try {
      zip = await openPromise(file, { lazyEntries: true, autoClose: false })
      const entries = new Map<string, Entry>()
      for await (const entry of zip.eachEntry()) {
        entries.set(entry.fileName, entry)
        if (entries.size > mostEntries) throw new Error(tooManyEntries())
      }
      return new ZipReader(file, zip, entries)
    } catch (error) {
      zip?.close()
      return broken(file, error)
    }
  }

  get names(): string[] {
    return [...this.entries.keys()]
  }

  /** Bytes that all compressed files of the archive unpack to, by what the archive says of them. */
  get unpackedBytes(): number {
    const packed = [...this.entries.values()].filter(
      ({ compressionMethod }) => compressionMethod !== 0,
    )
    return packed.reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0)
  }

  /** A file of the archive as text; refused before a byte is read when it says it is larger than `limit` bytes. */
  async text(name: string, limit: number): Promise<string> {
    const entry = this.entries.get(name)
    if (!entry) {
      return fail('input.invalid', `${this.file} does not contain ${name}.`, { hint: brokenHint })
    }
    if (entry.uncompressedSize > limit) {
      return fail(
        'input.invalid',
        `Opsmith cannot open ${this.file}: the entry ${name} has ${entry.uncompressedSize} bytes, but the limit is ${limit} bytes.`,
        { hint: 'Save a smaller part of the model, or open the file in PyTorch.' },
      )
    }
    try {
      const stream = await this.zip.openReadStreamPromise(entry)
      const parts: Buffer[] = []
      // yauzl ends the stream with an error once it gives more than the size declared above.
      for await (const part of stream) parts.push(part as Buffer)
      return Buffer.concat(parts).toString('utf8')
    } catch (error) {
      return broken(this.file, error)
    }
  }

  close(): void {
    this.zip.close()
  }
}

const brokenHint = 'The file may be incomplete. Copy, download or save the file again.'

function broken(file: string, error: unknown): never {
  const detail = error instanceof Error ? error.message : String(error)
  const outside = /^(?:invalid relative|absolute) path: (.*)$/.exec(detail)?.[1]
  if (outside !== undefined) {
    return fail(
      'input.invalid',
      `Opsmith does not open ${file}: the archive contains the path ${outside}, which is outside of the archive.`,
      { hint: 'PyTorch does not write such paths. Do not unpack this archive.' },
    )
  }
  if (detail === tooManyEntries()) {
    return fail('input.invalid', `Opsmith does not open ${file}: ${tooManyEntries()}.`, {
      hint: 'PyTorch writes one entry for each tensor, so this is probably not a model. Choose another file.',
    })
  }
  return fail('input.invalid', `${file} is a broken zip archive.`, {
    detail,
    hint: brokenHint,
  })
}
