import fs from 'node:fs'
import path from 'node:path'

import { z } from 'zod'

import type { TrustedFolder, TrustState } from '../../contract/project'
import type { Installation } from '../installation'
import { isWithin, realPlace } from './inside'
import { isJsonOf, writeOver } from './write-over'

const decisions = z.object({
  trusted: z.array(z.string()),
  restricted: z.array(z.string()),
})

export function trustFile(data: string): string {
  return path.join(data, 'trust.json')
}

export function canReadTrust(text: string): boolean {
  return isJsonOf(text, (value) => decisions.safeParse(value).success)
}

/**
 * The user's decisions whose code may run, kept as trust.json in the data folder. A decision is about a folder
 * and all below it; the nearest one counts. Folders are compared with links resolved.
 */
export class Trust {
  /** What could not be written holds until the end of this process. Null: taken back. */
  private readonly unwritten = new Map<string, TrustedFolder['trust'] | null>()
  private writing: Promise<unknown> = Promise.resolve()

  constructor(private readonly installation: Pick<Installation, 'dataFolder' | 'samplesFolder'>) {}

  private get file(): string {
    return trustFile(this.installation.dataFolder)
  }

  private async read(): Promise<Map<string, TrustedFolder['trust']>> {
    const known = new Map<string, TrustedFolder['trust']>()
    try {
      // Reading a named pipe would wait for a writer.
      const text = fs.statSync(this.file).isFile() ? fs.readFileSync(this.file, 'utf8') : ''
      const { trusted, restricted } = decisions.parse(JSON.parse(text))
      for (const folder of trusted) known.set(folder, 'trusted')
      for (const folder of restricted) known.set(folder, 'restricted')
    } catch {
      // Not there or damaged: nothing is trusted, and the user is asked again.
    }
    for (const [folder, trust] of this.unwritten) {
      if (trust === null) known.delete(folder)
      else known.set(folder, trust)
    }
    return known
  }

  async list(): Promise<TrustedFolder[]> {
    const known = [...(await this.read())].map(([folder, trust]) => ({ folder, trust }))
    return known.sort((a, b) => a.folder.localeCompare(b.folder))
  }

  /** What holds for a folder. Opsmith's own samples are trusted. */
  async of(folder: string): Promise<TrustState> {
    const real = await realPlace(folder)
    const around = (await this.list()).filter((one) => isWithin(real, one.folder))
    const nearest = around.sort((a, b) => b.folder.length - a.folder.length)[0]
    if (nearest) return nearest.trust
    return isWithin(real, await realPlace(this.installation.samplesFolder)) ? 'trusted' : 'unknown'
  }

  /**
   * Keeps a decision, in place of those about folders below.
   * @throws what the file system says; the decision holds all the same, until the end of this process
   */
  async decide(folder: string, trust: TrustedFolder['trust']): Promise<void> {
    const real = await realPlace(folder)
    const below = (await this.list()).filter((one) => isWithin(one.folder, real))
    await this.change([...below.map((one) => [one.folder, null] as const), [real, trust]])
  }

  /** Takes a decision back; errors as decide(). */
  async forget(folder: string): Promise<void> {
    await this.change([[folder, null]])
  }

  private async change(
    changes: readonly (readonly [folder: string, trust: TrustedFolder['trust'] | null])[],
  ): Promise<void> {
    const write = this.writing.then(async () => {
      for (const [folder, trust] of changes) this.unwritten.set(folder, trust)
      const known = await this.list()
      const foldersWith = (trust: TrustedFolder['trust']): string[] =>
        known.filter((one) => one.trust === trust).map((one) => one.folder)
      const kept = { trusted: foldersWith('trusted'), restricted: foldersWith('restricted') }
      await writeOver(this.file, `${JSON.stringify(kept, null, 2)}\n`, canReadTrust)
      this.unwritten.clear()
    })
    this.writing = write.catch(() => undefined)
    await write
  }
}
