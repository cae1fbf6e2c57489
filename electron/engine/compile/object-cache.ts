import { createHash, randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
/** Hash over parts, each with its length, so that no two lists of parts give the same bytes. */
export function hashOf(...parts: readonly (string | Buffer)[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(`${part.length}:`).update(part)
  return hash.digest('hex').slice(0, 40)
}

/** A name beside `file` that nobody else writes to: what is written there is then renamed. */
export function temporaryBeside(file: string): string {
  return `${file}.${process.pid}-${randomUUID().slice(0, 8)}`
}

interface HeaderStamp {
  path: string
  stamp: string
}

interface Entry {
  headers: HeaderStamp[]
  object: string
}

export interface CachedObject {
  /** Equal keys: the same object, byte for byte as far as the compiler is deterministic. */
  key: string
  object: string
  /** What the compiler printed when it made it: warnings are shown again. */
  output: string
}

/**
 * Objects by what went into them. The first key covers the source, the flags, the compiler,
 * libtorch and our headers; under it lie one or more sets of headers read (from depfiles), each
 * with the object it gave: ccache calls this its direct mode. Paths inside the project are kept
 * relative, so that a copy of a project finds the objects of the original. Everything is written
 * under another name and renamed, so windows and commands may share the folder without locks.
 */
export class ObjectCache {
  private readonly folder: string

  /** Headers below `contentFolders` are compared by content, others by size and time. */
  constructor(
    cacheFolder: string,
    private readonly projectFolder: string,
    private readonly contentFolders: readonly string[],
  ) {
    this.folder = path.join(cacheFolder, 'objects')
    fs.mkdirSync(this.folder, { recursive: true })
  }

  private stampOf(header: string): string | undefined {
    const file = path.resolve(this.projectFolder, header)
    try {
      if (this.contentFolders.some((folder) => file.startsWith(folder + path.sep))) {
        return hashOf(fs.readFileSync(file))
      }
      const stat = fs.statSync(file)
      return `${stat.size}:${stat.mtimeMs}`
    } catch {
      return undefined
    }
  }

  private entriesFile(key: string): string {
    return path.join(this.folder, `${key}.json`)
  }

  private readEntries(key: string): Entry[] {
    try {
      const value: unknown = JSON.parse(fs.readFileSync(this.entriesFile(key), 'utf8'))
      return Array.isArray(value) ? (value as Entry[]) : []
    } catch {
      return []
    }
  }

  find(key: string): CachedObject | undefined {
    for (const entry of this.readEntries(key)) {
      const same = entry.headers.every((header) => this.stampOf(header.path) === header.stamp)
      if (!same) continue
      const object = path.join(this.folder, `${entry.object}.o`)
      if (!fs.existsSync(object)) continue
      const now = new Date()
      fs.utimesSync(object, now, now)
      let output = ''
      try {
        output = fs.readFileSync(path.join(this.folder, `${entry.object}.txt`), 'utf8')
      } catch {
        output = ''
      }
      return { key: entry.object, object, output }
    }
    return undefined
  }

  /** A private place for a compiler to write to. */
  temporary(): string {
    return temporaryBeside(path.join(this.folder, 'tmp'))
  }

  /** Takes the object at `temporary`; `headers` are the files that the compiler read besides the source. */
  store(key: string, temporary: string, headers: readonly string[], output: string): CachedObject {
    const stamps: HeaderStamp[] = []
    for (const header of headers) {
      const inside = header.startsWith(this.projectFolder + path.sep)
      const kept = inside ? path.relative(this.projectFolder, header) : header
      const stamp = this.stampOf(kept)
      if (stamp !== undefined) stamps.push({ path: kept, stamp })
    }
    const objectKey = hashOf(key, ...stamps.flatMap((stamp) => [stamp.path, stamp.stamp]))
    const object = path.join(this.folder, `${objectKey}.o`)
    if (output !== '') this.write(path.join(this.folder, `${objectKey}.txt`), output)
    fs.renameSync(temporary, object)
    // A handful of header states is enough: going back and forth between two is the common case.
    const entries = [
      { headers: stamps, object: objectKey },
      ...this.readEntries(key).filter((entry) => entry.object !== objectKey),
    ].slice(0, 8)
    this.write(this.entriesFile(key), JSON.stringify(entries))
    return { key: objectKey, object, output }
  }

  private write(file: string, text: string): void {
    const temporary = temporaryBeside(file)
    fs.writeFileSync(temporary, text)
    fs.renameSync(temporary, file)
  }
}

/** Deletes the least recently used entries of a cache folder until it fits; what is in use was touched lately. */
export function pruneFolder(folder: string, limitBytes: number): number {
  let names: string[]
  try {
    names = fs.readdirSync(folder)
  } catch {
    return 0
  }
  const entries = names.flatMap((name) => {
    const file = path.join(folder, name)
    try {
      const stat = fs.statSync(file)
      const size = stat.isDirectory()
        ? fs
            .readdirSync(file)
            .reduce((sum, inner) => sum + fs.statSync(path.join(file, inner)).size, 0)
        : stat.size
      return [{ file, size, used: stat.mtimeMs }]
    } catch {
      return []
    }
  })
  let total = entries.reduce((sum, entry) => sum + entry.size, 0)
  let removed = 0
  for (const entry of entries.sort((a, b) => a.used - b.used)) {
    if (total <= limitBytes) break
    fs.rmSync(entry.file, { recursive: true, force: true })
    total -= entry.size
    removed += 1
  }
  return removed
}
