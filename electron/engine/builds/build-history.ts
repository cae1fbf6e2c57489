import { createHash } from 'node:crypto'
import fs from 'node:fs/promises'
import path from 'node:path'

import { diskError } from '../project/file-errors'
import { writeOver } from '../project/write-over'

/** Points that one history keeps. */
const keptPoints = 200
/** Histories that a project keeps: each change of an option in the window is another one. */
const keptHistories = 100

/** Identifies what JSON can write. */
export function hashOfJson(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 24)
}

/** JSON has no NaN and no infinities: they are written as words, which Number() reads. */
function withWords(_key: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value
}

/** What was measured by build, in the data folder: a file for each thing measured, a folder for each project. */
export class BuildHistory<Point extends { build: string }> {
  constructor(
    /** Of all projects. */
    private readonly folder: string,
    /** Throws at what is no point; numbers that are not finite come as words. */
    private readonly parse: (value: unknown) => Point,
  ) {}

  private folderOf(project: string): string {
    return path.join(this.folder, hashOfJson(path.resolve(project)))
  }

  private fileOf(project: string, key: string): string {
    return path.join(this.folderOf(project), `${key}.json`)
  }

  private pointsOf(text: string): Point[] | undefined {
    try {
      return (JSON.parse(text) as { points: unknown[] }).points.map(this.parse)
    } catch {
      return undefined
    }
  }

  /** Oldest first. */
  async read(project: string, key: string): Promise<Point[]> {
    const text = await fs.readFile(this.fileOf(project, key), 'utf8').catch(() => '')
    // A file of another version or a broken one: history starts again.
    return this.pointsOf(text) ?? []
  }

  /**
   * Adds a point, in place of the last one if that is of the same build. The point of the last
   * build that was another one comes back. A disk that cannot be written loses the point, not the result.
   */
  async add(project: string, key: string, point: Point): Promise<Point | null> {
    const known = await this.read(project, key)
    const before = known.filter((one) => one.build !== point.build)
    // Going back to an older build and forth again is two builds more, not one.
    const points = known.at(-1)?.build === point.build ? known.slice(0, -1) : known
    const text = JSON.stringify({ points: [...points, point].slice(-keptPoints) }, withWords)
    try {
      const canRead = (old: string): boolean => this.pointsOf(old) !== undefined
      await writeOver(this.fileOf(project, key), text, canRead)
      if (known.length === 0) await pruneOldest(this.folderOf(project), keptHistories)
    } catch (error) {
      if (!diskError(error)) throw error
    }
    return before.at(-1) ?? null
  }
}

/** Deletes the files of a folder that were written longest ago, until no more than `most` are left. */
export async function pruneOldest(folder: string, most: number): Promise<void> {
  const names = (await fs.readdir(folder)).filter((name) => name.endsWith('.json'))
  if (names.length <= most) return
  const aged = await Promise.all(
    names.map(async (name) => {
      const file = path.join(folder, name)
      const stat = await fs.stat(file).catch(() => undefined)
      return { file, time: stat?.mtimeMs ?? 0 }
    }),
  )
  aged.sort((a, b) => b.time - a.time)
  await Promise.all(aged.slice(most).map(({ file }) => fs.rm(file, { force: true })))
}
