import { createHash } from 'node:crypto'
import fs from 'node:fs/promises'
import path from 'node:path'

import { gradcheckPoint } from '../../contract/gradcheck'
import type { GradcheckPoint } from '../../contract/gradcheck'
import { writeAtomically } from '../project/files'
import { inputsNamed } from './gradcheck-case'
import type { GradcheckCase } from './gradcheck-case'

/** Points a check keeps. */
const kept = 200
/** Checks a project keeps: each change of an option in the window is another check. */
const keptChecks = 100

function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 24)
}

/** Errors can be compared where call, inputs and options are the same. */
function keyOf(given: GradcheckCase): string {
  const inputs = inputsNamed(given.args, given.inputs).map((name) => [name, given.inputs[name]])
  return hashOf([given.op, given.args, inputs, given.secondOrder, given.dtype, given.options])
}

/** JSON has no NaN and no infinities: they are written as words, which Number() reads. */
function toFile(points: readonly GradcheckPoint[]): string {
  const word = (_key: string, value: unknown): unknown =>
    typeof value === 'number' && !Number.isFinite(value) ? String(value) : value
  return JSON.stringify({ points }, word)
}

function fromFile(text: string): GradcheckPoint[] {
  try {
    const value = JSON.parse(text) as { points: { error: unknown }[] }
    return value.points.map((point) =>
      gradcheckPoint.parse({
        ...point,
        error: typeof point.error === 'string' ? Number(point.error) : point.error,
      }),
    )
  } catch {
    // A file of another version or a broken one: history starts again.
    return []
  }
}

/** The largest error of each check by build, in the cache folder: a file a check, a folder a project. */
export class ErrorHistory {
  constructor(private readonly cacheFolder: string) {}

  private folderOf(project: string): string {
    return path.join(this.cacheFolder, 'gradchecks', hashOf(path.resolve(project)))
  }

  private fileOf(project: string, given: GradcheckCase): string {
    return path.join(this.folderOf(project), `${keyOf(given)}.json`)
  }

  /** Oldest first. */
  async read(project: string, given: GradcheckCase): Promise<GradcheckPoint[]> {
    const text = await fs.readFile(this.fileOf(project, given), 'utf8').catch(() => '')
    return text === '' ? [] : fromFile(text)
  }

  /**
   * Adds a point, in place of the last one if that is of the same build. The point of the last
   * build that was another one comes back.
   */
  async add(
    project: string,
    given: GradcheckCase,
    point: GradcheckPoint,
  ): Promise<GradcheckPoint | null> {
    const known = await this.read(project, given)
    const before = known.filter((one) => one.build !== point.build)
    // Going back to an older build and forth again is two builds more, not one.
    const points = known.at(-1)?.build === point.build ? known.slice(0, -1) : known
    const file = this.fileOf(project, given)
    await writeAtomically(file, toFile([...points, point].slice(-kept)))
    if (known.length === 0) await this.prune(project)
    return before.at(-1) ?? null
  }

  private async prune(project: string): Promise<void> {
    const folder = this.folderOf(project)
    const names = (await fs.readdir(folder)).filter((name) => name.endsWith('.json'))
    if (names.length <= keptChecks) return
    const aged = await Promise.all(
      names.map(async (name) => {
        const file = path.join(folder, name)
        const stat = await fs.stat(file).catch(() => undefined)
        return { file, time: stat?.mtimeMs ?? 0 }
      }),
    )
    aged.sort((a, b) => b.time - a.time)
    await Promise.all(aged.slice(keptChecks).map(({ file }) => fs.rm(file, { force: true })))
  }
}
