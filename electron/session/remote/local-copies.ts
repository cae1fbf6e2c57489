import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { Draft } from '../../contract/project'
import { dropDraft, keepDraft, listDrafts } from '../../engine/project/drafts'
import { diskError } from '../../engine/project/file-errors'
import { keepResults, readResults } from '../../engine/project/shown-results'

/**
 * What this machine keeps of a project of another: what was typed, and what the panels showed. A lost connection
 * loses neither.
 */
export class LocalCopies {
  /** No folder of this machine's has this name. */
  private readonly key: string

  /** @param name as placeName() makes it */
  constructor(
    private readonly dataFolder: string,
    name: string,
  ) {
    this.key = `/elsewhere/${name}`
  }

  async keepDraft(draft: Draft): Promise<Result<object>> {
    return await this.written(keepDraft(this.dataFolder, this.key, draft))
  }

  async dropDraft(path: string): Promise<Result<object>> {
    return await this.written(dropDraft(this.dataFolder, this.key, path))
  }

  async drafts(): Promise<Draft[]> {
    return await listDrafts(this.dataFolder, this.key)
  }

  async keepResults(text: string): Promise<Result<object>> {
    return await this.written(keepResults(this.dataFolder, this.key, text))
  }

  async results(): Promise<string> {
    return await readResults(this.dataFolder, this.key)
  }

  private async written(writing: Promise<void>): Promise<Result<object>> {
    try {
      await writing
      return ok({})
    } catch (error) {
      const refused = diskError(error)
      if (!refused) throw error
      const { code, message, ...more } = refused
      return err(code, message, more)
    }
  }
}
