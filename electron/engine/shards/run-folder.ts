import fs from 'node:fs/promises'
import path from 'node:path'

import { runManifest, shard as shardLine, shardResult } from '../../contract/shards'
import type { RunManifest, Shard, ShardResult } from '../../contract/shards'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { systemCode } from '../project/file-errors'
import { ioError, makeFolder, writeAtomically } from '../project/files'
import { shellWord } from '../toolchain/shell-word'

/** Attempts at a shard: one more after its worker has died. */
export const mostAttempts = 2

const subfolders = ['claims', 'results', 'again', 'workers', 'logs', 'jobs']

/**
 * The folder of a run: everything that is known of it, on a file system that all nodes share. Several processes on
 * several machines work with it at the same time. Each file has one writer, or is made once and by one alone.
 */
export class RunFolder {
  private shards: Promise<readonly Shard[]> | undefined

  /** @param name as `opsmith runs` takes it: the id of a run in the usual place, else the folder */
  constructor(
    readonly folder: string,
    readonly manifest: RunManifest,
    readonly name = shellWord(folder),
  ) {}

  path(...names: string[]): string {
    return path.join(this.folder, ...names)
  }

  /** Of all shards, in their order. */
  async allShards(): Promise<readonly Shard[]> {
    this.shards ??= readLines(this.path('shards.jsonl'), (value) => shardLine.parse(value))
    return await this.shards
  }

  /** Claims a shard for a worker; false if another has it. */
  async claim(shard: number, attempt: number, worker: string): Promise<boolean> {
    return await makeOnce(this.path('claims', `${shard}.${attempt}`), worker)
  }

  /** Lets others claim a shard whose worker has gone before it began. */
  async forgetClaim(shard: number, attempt: number): Promise<void> {
    await fs.rm(this.path('claims', `${shard}.${attempt}`), { force: true })
  }

  /** What has been claimed, by whomever. */
  async claims(): Promise<{ shard: number; attempt: number }[]> {
    const names = await fs.readdir(this.path('claims'))
    return names.map((name) => {
      const [shard, attempt] = name.split('.').map(Number)
      return { shard: shard ?? 0, attempt: attempt ?? 0 }
    })
  }

  /** How many workers of a job have come. */
  async livesOf(job: string): Promise<number> {
    const names = await fs.readdir(this.path('workers'))
    return Math.max(1, names.filter((name) => name.startsWith(`${job}.`)).length)
  }

  /** Lets a worker try a shard once more. */
  async tryAgain(shard: number): Promise<void> {
    await makeOnce(this.path('again', String(shard)), '')
  }

  /** Numbers of the shards that may be tried once more. */
  async again(): Promise<number[]> {
    return (await fs.readdir(this.path('again'))).map(Number)
  }

  async hasResult(shard: number): Promise<boolean> {
    return await exists(this.path('results', `${shard}.json`))
  }

  async writeResult(result: ShardResult): Promise<void> {
    await writeAtomically(
      this.path('results', `${result.shard}.json`),
      JSON.stringify(result, withNumbers),
    )
  }

  /** undefined if there is none yet. */
  async readResult(shard: number): Promise<ShardResult | undefined> {
    const text = await readIfThere(this.path('results', `${shard}.json`))
    return text === undefined ? undefined : shardResult.parse(JSON.parse(text, numbersBack))
  }

  /** Workers end after this, and start nothing more. */
  async askToStop(): Promise<void> {
    await makeOnce(this.path('stop'), '')
  }

  async isStopped(): Promise<boolean> {
    return await exists(this.path('stop'))
  }
}

/** JSON has no NaN and no infinities. */
function withNumbers(_key: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) return { '#number': String(value) }
  return value
}

function numbersBack(_key: string, value: unknown): unknown {
  const isNumber = typeof value === 'object' && value !== null && '#number' in value
  return isNumber ? Number(value['#number']) : value
}

/** Makes a file that is not there yet; false if it is. One of several that try succeeds, also over NFS. */
async function makeOnce(file: string, text: string): Promise<boolean> {
  try {
    await fs.writeFile(file, text, { flag: 'wx' })
    return true
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false
    throw error
  }
}

async function exists(file: string): Promise<boolean> {
  return await fs.access(file).then(
    () => true,
    () => false,
  )
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await fs.readFile(file, 'utf8')
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    throw error
  }
}

async function readLines<Line>(file: string, parse: (value: unknown) => Line): Promise<Line[]> {
  const lines = (await fs.readFile(file, 'utf8')).split('\n').filter((line) => line !== '')
  return lines.map((line) => parse(JSON.parse(line)))
}

/** Where runs are: results cannot be made again for nothing, so they are data. */
export function runsFolder(dataFolder: string): string {
  return path.join(dataFolder, 'runs')
}

/** What a run is made of. */
export type NewRun = Omit<RunManifest, 'opsmithRun' | 'id' | 'created' | 'shards'>

/** "1126-154500-x7f": the newest come last in a list. */
function newId(now: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0')
  const day = two(now.getMonth() + 1) + two(now.getDate())
  const time = two(now.getHours()) + two(now.getMinutes()) + two(now.getSeconds())
  return `${day}-${time}-${Math.random().toString(36).slice(2, 5).padEnd(3, '0')}`
}

/**
 * Makes the folder of a run.
 * @param parent the folder that gets it
 */
export async function createRun(
  parent: string,
  run: NewRun,
  shards: readonly Shard[],
): Promise<Result<RunFolder>> {
  const now = new Date()
  const id = newId(now)
  const folder = path.join(parent, id)
  const manifest: RunManifest = {
    opsmithRun: 1,
    id,
    created: now.getTime(),
    shards: shards.length,
    ...run,
  }
  try {
    for (const name of subfolders) await makeFolder(path.join(folder, name))
    const lines = shards.map((one) => `${JSON.stringify(one)}\n`)
    await writeAtomically(path.join(folder, 'shards.jsonl'), lines.join(''))
    // Last: a folder with run.json is whole.
    await writeAtomically(
      path.join(folder, 'run.json'),
      `${JSON.stringify(manifest, undefined, 2)}\n`,
    )
  } catch (error) {
    return ioError(error, `make the folder of the run in ${parent}`)
  }
  return ok(new RunFolder(folder, manifest))
}

export async function openRun(folder: string): Promise<Result<RunFolder>> {
  const file = path.join(folder, 'run.json')
  let value: unknown
  try {
    const text = await readIfThere(file)
    if (text === undefined)
      return err('request.invalid', `There is no run in ${folder}.`, {
        hint: '`opsmith runs` lists the runs. On a compute node, the folder must be on a file system that all nodes share.',
      })
    value = JSON.parse(text)
  } catch (error) {
    return ioError(error, `read ${file}`)
  }
  const parsed = runManifest.safeParse(value)
  return parsed.success
    ? ok(new RunFolder(folder, parsed.data))
    : err('request.invalid', `${file} was not written by this version of Opsmith.`, {
        hint: 'Open the run with the version that started it.',
      })
}

/** The runs of a folder, the newest last; what is no run is left out. */
export async function listRuns(parent: string): Promise<RunFolder[]> {
  const names = await fs.readdir(parent).catch(() => [])
  const runs = await Promise.all(names.map((name) => openRun(path.join(parent, name))))
  const whole = runs.flatMap((run) => (run.ok ? [run.value] : []))
  return whole.sort((one, other) => one.manifest.created - other.manifest.created)
}
