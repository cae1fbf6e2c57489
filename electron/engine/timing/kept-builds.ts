import fs from 'node:fs/promises'
import path from 'node:path'

import { z } from 'zod'

import { buildKey } from '../../contract/timing-report'
import type { KeptBuild } from '../../contract/timing-report'
import type { BuildReport } from '../../contract/build'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { programSource } from '../../contract/run'
import type { ProgramSource } from '../../contract/run'
import { hashOfJson, pruneOldest } from '../builds/build-history'
import { readProjectFile, versionOf, writeAtomically } from '../project/files'
import type { OpenProject } from '../project/open-project'

/**
 * Builds of one project whose sources are remembered; the one that was built longest ago goes
 * first, with its library. A library without a name is the build cache's own, 2 GiB for all
 * projects, of which the one that was used longest ago goes first (build.ts); one with a name is
 * copied to here and stays until its name is taken away.
 */
const keptRecords = 200
/** Sources and headers of a project beyond this are not remembered: history then shows no diff. */
const mostSourceBytes = 4 << 20

const buildRecord = z.object({
  key: buildKey,
  name: z.string(),
  /** Where it was linked. */
  library: z.string(),
  program: programSource.optional(),
  sources: z.record(z.string(), z.string()),
})
/** `time` is when it was built last, milliseconds since 1970: the file's time. */
type BuildRecord = z.infer<typeof buildRecord> & { time: number }

/** A build that can be loaded next to the current one. */
export interface LoadableBuild {
  key: string
  /** For people: its name, else when it was built. */
  label: string
  library: string
  program?: ProgramSource
}

/** Changes with the library and with the program. */
export function buildKeyOf(build: BuildReport, program: ProgramSource | undefined): string {
  return versionOf(`${build.key}\n${program?.source ?? ''}`)
}

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

function labelOf({ name, time }: BuildRecord): string {
  if (name !== '') return `build ${name}`
  const at = new Date(time)
  const two = (value: number): string => String(value).padStart(2, '0')
  return `build of ${at.getDate()} ${months[at.getMonth()] ?? ''} ${two(at.getHours())}:${two(at.getMinutes())}`
}

/** Undefined where it cannot be read, or is not a text. */
async function textOf(folder: string, file: string): Promise<string | undefined> {
  const content = await readProjectFile(folder, file)
  return content.ok ? content.value.text : undefined
}

async function sourcesOf(project: OpenProject): Promise<Record<string, string>> {
  const sources: Record<string, string> = {}
  let bytes = 0
  for (const { path: file, role } of await project.files()) {
    if (role === 'other') continue
    const text = role === 'manifest' ? project.manifestText : await textOf(project.folder, file)
    if (text === undefined) continue
    bytes += text.length
    if (bytes > mostSourceBytes) return {}
    sources[file] = text
  }
  return sources
}

/** The builds of each project that something can be timed against. */
export class KeptBuilds {
  constructor(private readonly dataFolder: string) {}

  private folderOf(project: string): string {
    return path.join(this.dataFolder, 'bench', 'builds', hashOfJson(path.resolve(project)))
  }

  private fileOf(project: string, key: string): string {
    return path.join(this.folderOf(project), `${key}.json`)
  }

  /** Where the library of a named build is kept. */
  private copyOf(project: string, record: BuildRecord): string {
    return path.join(this.folderOf(project), record.key, path.basename(record.library))
  }

  private async readRecord(project: string, key: string): Promise<BuildRecord | undefined> {
    if (!buildKey.safeParse(key).success) return undefined
    const file = this.fileOf(project, key)
    try {
      const record = buildRecord.parse(JSON.parse(await fs.readFile(file, 'utf8')))
      return record.key === key ? { ...record, time: (await fs.stat(file)).mtimeMs } : undefined
    } catch {
      // Not built yet, or pruned in the meantime.
      return undefined
    }
  }

  /** Newest first, those without a library too. */
  private async records(project: string): Promise<BuildRecord[]> {
    const names = await fs.readdir(this.folderOf(project)).catch(() => [])
    const keys = names.flatMap((name) => (name.endsWith('.json') ? [name.slice(0, -5)] : []))
    const all = await Promise.all(keys.map((key) => this.readRecord(project, key)))
    return all.filter((one) => one !== undefined).sort((a, b) => b.time - a.time)
  }

  /** Its named copy, else the build cache's; undefined when it was evicted. */
  private async libraryOf(project: string, record: BuildRecord): Promise<string | undefined> {
    for (const file of [this.copyOf(project, record), record.library]) {
      if (
        await fs.access(file).then(
          () => true,
          () => false,
        )
      )
        return file
    }
    return undefined
  }

  /** Keeps a good build with the sources as they are now; its key comes back. */
  async remember(
    project: OpenProject,
    build: BuildReport,
    program: ProgramSource | undefined,
  ): Promise<string> {
    const key = buildKeyOf(build, program)
    const known = await this.readRecord(project.folder, key)
    if (known?.library === build.loadPath) {
      const now = new Date()
      await fs.utimes(this.fileOf(project.folder, key), now, now)
      return key
    }
    await this.write(project.folder, {
      key,
      name: known?.name ?? '',
      library: build.loadPath,
      ...(program ? { program } : {}),
      sources: known?.sources ?? (await sourcesOf(project)),
    })
    await this.prune(project.folder)
    return key
  }

  private async write(project: string, record: z.infer<typeof buildRecord>): Promise<void> {
    await writeAtomically(this.fileOf(project, record.key), JSON.stringify(record))
  }

  private async prune(project: string): Promise<void> {
    const folder = this.folderOf(project)
    await pruneOldest(folder, keptRecords)
    const names = await fs.readdir(folder)
    const orphans = names.filter((name) => !name.includes('.') && !names.includes(`${name}.json`))
    for (const name of orphans) await fs.rm(path.join(folder, name), { recursive: true })
  }

  /** Newest first; `current` is the key of what is built now. */
  async list(project: string, current: string): Promise<KeptBuild[]> {
    const builds: KeptBuild[] = []
    for (const record of await this.records(project)) {
      if ((await this.libraryOf(project, record)) === undefined) continue
      const { key, name, time } = record
      builds.push({ key, name, time, current: key === current })
    }
    return builds
  }

  /** "" takes a name away. Two builds cannot have one name. */
  async rename(project: string, key: string, name: string): Promise<Result<null>> {
    const record = await this.readRecord(project, key)
    const library = record && (await this.libraryOf(project, record))
    if (!record || library === undefined)
      return err('request.invalid', `The build ${key} no longer exists.`, { path: 'key' })
    const taken = (await this.records(project)).some((one) => one.key !== key && one.name === name)
    if (name === 'last' || (name !== '' && taken)) {
      return err(
        'request.invalid',
        name === 'last'
          ? 'A build cannot have the name "last", because "last" always means the previous build.'
          : `Another build is named "${name}".`,
        {
          hint:
            name === 'last'
              ? 'Choose another name.'
              : 'Choose another name, or remove the name from that build first.',
          path: 'name',
        },
      )
    }
    const copy = this.copyOf(project, record)
    if (name === '') await fs.rm(path.dirname(copy), { recursive: true, force: true })
    else if (library !== copy) {
      await fs.mkdir(path.dirname(copy), { recursive: true })
      await fs.copyFile(library, copy, fs.constants.COPYFILE_FICLONE)
    }
    const { time, ...kept } = record
    await this.write(project, { ...kept, name })
    // A name does not make it any newer.
    await fs.utimes(this.fileOf(project, key), new Date(), new Date(time))
    return ok(null)
  }

  /** "last", a name, or a key. */
  async find(project: string, wanted: string, current: string): Promise<Result<LoadableBuild>> {
    const records = await this.records(project)
    for (const record of records) {
      const suits =
        wanted === 'last' ? record.key !== current : [record.name, record.key].includes(wanted)
      const library = suits ? await this.libraryOf(project, record) : undefined
      if (library === undefined) continue
      const { key, program } = record
      return ok({ key, label: labelOf(record), library, ...(program ? { program } : {}) })
    }
    const names = records.flatMap(({ name }) => (name === '' ? [] : [name]))
    return wanted === 'last'
      ? err('request.invalid', 'Opsmith has not kept an earlier build.', {
          hint: 'Change a source and build again: the current build becomes the previous build.',
          path: 'builds',
        })
      : err('request.invalid', `No kept build has the name or key "${wanted}".`, {
          hint:
            names.length > 0
              ? `Choose one of ${names.join(', ')} or "last".`
              : 'No build has a name yet. Write "last" for the previous build.',
          path: 'builds',
        })
  }

  /** The sources of a build by their paths; undefined when they are not remembered. */
  async sources(project: string, key: string): Promise<Record<string, string> | undefined> {
    return (await this.readRecord(project, key))?.sources
  }
}
