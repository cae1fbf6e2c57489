import fs from 'node:fs/promises'

import type { z } from 'zod'

import { systemCode } from '../project/file-errors'

/** A file of events, a line each, that one process appends to. */
export class JournalWriter<Event> {
  private last: Promise<void> = Promise.resolve()
  /** Whoever wrote before us may have been killed in the middle of a line. */
  private lineEnd = '\n'

  constructor(private readonly file: string) {}

  async add(event: Event): Promise<void> {
    const text = `${this.lineEnd}${JSON.stringify(event)}\n`
    this.lineEnd = ''
    await this.append(text)
  }

  /** An empty line: the file grows while its process lives. */
  async beat(): Promise<void> {
    await this.append('\n')
  }

  private async append(text: string): Promise<void> {
    this.last = this.last.catch(() => undefined).then(() => fs.appendFile(this.file, text))
    await this.last
  }
}

/** Reads what has been appended to a journal since the last time. */
export class JournalReader<Event> {
  private offset = 0

  constructor(
    private readonly file: string,
    private readonly type: z.ZodType<Event>,
  ) {}

  /** Bytes read so far, empty lines among them. */
  get size(): number {
    return this.offset
  }

  /** New events. A line that is not whole yet is read the next time. */
  async read(): Promise<Event[]> {
    const text = await this.readRest()
    const end = text.lastIndexOf(0x0a) + 1
    this.offset += end
    const lines = text.subarray(0, end).toString('utf8').split('\n')
    return lines.flatMap((line) => this.eventOf(line))
  }

  /** Nothing of an empty line, and of one whose writer was killed. */
  private eventOf(line: string): Event[] {
    if (line === '') return []
    let value: unknown
    try {
      value = JSON.parse(line)
    } catch {
      return []
    }
    const parsed = this.type.safeParse(value)
    return parsed.success ? [parsed.data] : []
  }

  private async readRest(): Promise<Buffer> {
    let handle: fs.FileHandle | undefined
    try {
      handle = await fs.open(this.file, 'r')
      const { size } = await handle.stat()
      if (size <= this.offset) return Buffer.alloc(0)
      const rest = Buffer.alloc(size - this.offset)
      const { bytesRead } = await handle.read(rest, 0, rest.length, this.offset)
      return rest.subarray(0, bytesRead)
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return Buffer.alloc(0)
      throw error
    } finally {
      await handle?.close()
    }
  }
}
