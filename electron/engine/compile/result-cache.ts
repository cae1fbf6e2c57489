import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'

import { z } from 'zod'

import {
  contentsOf,
  fileContents,
  isSealed,
  lastUse,
  sealLater,
  stateOf,
  temporaryBeside,
  touchSealed,
} from './sealed-files'

/** Hash over parts, each with its length, so that no two lists of parts give the same bytes. */
export function hashOf(...parts: readonly (string | Buffer)[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(`${part.length}:`).update(part)
  return hash.digest('hex').slice(0, 40)
}

/** The state of a file that a compiler or linker read: by content, or by size and time; "" where it is not there. */
const inputStamp = z.object({ path: z.string(), stamp: z.string() })
type InputStamp = z.infer<typeof inputStamp>

const entries = z.array(
  z.object({
    inputs: z.array(inputStamp),
    result: z.string(),
    contents: fileContents,
    /** Hash of what the compiler printed; "" where it printed nothing. */
    output: z.string(),
  }),
)
type Entry = z.infer<typeof entries>[number]

export interface CachedResult {
  /** Equal keys: the same result, byte for byte as far as the compiler is deterministic. */
  key: string
  /** An object or a library. */
  file: string
  /** What the compiler printed when it made it: warnings are shown again. */
  output: string
}

interface ResultCacheOptions {
  /** Holds the results and their indexes. */
  folder: string
  projectFolder: string
  /** Inputs below these folders are compared by content, others by size and time. */
  contentFolders: readonly string[]
  /** Where a result is, relative to the folder. */
  nameOf: (key: string) => string
  /** A result that would have served is damaged: it has to be made again. */
  onDamaged?: () => void
}

/**
 * Objects or libraries by what went into them. The first key covers what is known before the compiler or linker
 * runs: the source, the flags, the tools, libtorch, our headers. Under it are one or more sets of files that it read
 * (from depfiles), each with the result it gave: ccache calls this its direct mode. Paths inside the project are kept
 * relative, so that a copy of a project finds the results of the original. Everything is written under another name
 * and renamed, so windows and commands may share the folder without locks. The index has the size and hash of each
 * result: see sealed-files.ts.
 */
export class ResultCache {
  /** By file outside of the project: its size and time. An instance lives as long as a build. */
  private readonly known = new Map<string, string>()

  constructor(private readonly options: ResultCacheOptions) {
    fs.mkdirSync(options.folder, { recursive: true })
  }

  private stampOf(input: string): string {
    const { projectFolder, contentFolders } = this.options
    const file = path.resolve(projectFolder, input)
    try {
      if (contentFolders.some((folder) => file.startsWith(folder + path.sep))) {
        return hashOf(fs.readFileSync(file))
      }
      return this.sizeAndTime(file)
    } catch {
      return ''
    }
  }

  /** Asks for each file only once: every object of a build reads the same hundreds of system headers. */
  private sizeAndTime(file: string): string {
    const known = this.known.get(file)
    if (known !== undefined) return known
    const stat = fs.statSync(file)
    const stamp = `${stat.size}:${stat.mtimeMs}`
    this.known.set(file, stamp)
    return stamp
  }

  private placeOf(name: string): string {
    return path.join(this.options.folder, name)
  }

  /** Undefined where the index is damaged. */
  private readEntries(key: string): Entry[] | undefined {
    const file = this.placeOf(`${key}.json`)
    try {
      return entries.parse(JSON.parse(fs.readFileSync(file, 'utf8')))
    } catch {
      return fs.existsSync(file) ? undefined : []
    }
  }

  find(key: string): CachedResult | undefined {
    const known = this.readEntries(key)
    if (!known) this.options.onDamaged?.()
    for (const entry of known ?? []) {
      const same = entry.inputs.every((input) => this.stampOf(input.path) === input.stamp)
      if (!same) continue
      const file = this.placeOf(this.options.nameOf(entry.result))
      const state = stateOf(file, entry.contents)
      const output = state === 'intact' ? this.readOutput(entry) : undefined
      if (state === 'damaged' || (state === 'intact' && output === undefined)) {
        this.options.onDamaged?.()
      }
      if (output === undefined) continue
      this.touch(key, file, entry.contents.size)
      return { key: entry.result, file, output }
    }
    return undefined
  }

  /** Undefined where it is damaged. */
  private readOutput(entry: Entry): string | undefined {
    if (entry.output === '') return ''
    try {
      const text = fs.readFileSync(this.placeOf(`${entry.result}.txt`), 'utf8')
      return hashOf(text) === entry.output ? text : undefined
    } catch {
      return undefined
    }
  }

  private touch(key: string, file: string, size: number): void {
    const now = new Date()
    fs.utimesSync(this.placeOf(`${key}.json`), now, now)
    const parent = path.dirname(file)
    if (parent !== this.options.folder) fs.utimesSync(parent, now, now)
    // Without a seal it was made, or compared, a moment ago.
    else if (isSealed(file, size)) touchSealed(file)
  }

  /** A private place for a compiler to write to. */
  temporary(): string {
    return temporaryBeside(this.placeOf('tmp'))
  }

  /** Takes the file at `temporary`; `inputs` are the files that the compiler read besides the source. */
  store(key: string, temporary: string, inputs: readonly string[], output: string): CachedResult {
    const { projectFolder, nameOf } = this.options
    const stamps: InputStamp[] = []
    for (const input of inputs) {
      const inside = input.startsWith(projectFolder + path.sep)
      const kept = inside ? path.relative(projectFolder, input) : input
      stamps.push({ path: kept, stamp: this.stampOf(kept) })
    }
    const result = hashOf(key, ...stamps.flatMap((stamp) => [stamp.path, stamp.stamp]))
    const file = this.placeOf(nameOf(result))
    const contents = contentsOf(temporary)
    if (output !== '') this.write(`${result}.txt`, output)
    fs.mkdirSync(path.dirname(file), { recursive: true })
    sealLater(temporary)
    fs.renameSync(temporary, file)
    // A handful of input states is enough: going back and forth between two is the common case.
    const all: Entry[] = [
      { inputs: stamps, result, contents, output: output === '' ? '' : hashOf(output) },
      ...(this.readEntries(key) ?? []).filter((entry) => entry.result !== result),
    ]
    this.write(`${key}.json`, JSON.stringify(all.slice(0, 8)))
    return { key: result, file, output }
  }

  private write(name: string, text: string): void {
    const file = this.placeOf(name)
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
      return [{ file, size, used: lastUse(stat) }]
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
