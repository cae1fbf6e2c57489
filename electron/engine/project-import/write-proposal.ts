import fs from 'node:fs/promises'
import path from 'node:path'

import { manifestFileName } from '../../contract/manifest'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { ProposedFile } from '../../contract/project-import'
import { systemCode } from '../project/file-errors'
import { ioError } from '../project/files'
import { withoutLinks } from '../project/inside'

async function writeNew(folder: string, name: string, text: string): Promise<Result<string>> {
  const target = await withoutLinks(folder, name)
  if (!target.ok) return target
  try {
    await fs.writeFile(target.value, text, { flag: 'wx' })
    return target
  } catch (error) {
    return systemCode(error) === 'EEXIST'
      ? err('file.conflict', `${folder} has a file ${name} already.`, { file: target.value })
      : ioError(error, `write ${target.value}`)
  }
}

/**
 * Writes a proposed opsmith.json and the sources that are proposed with it, all of them or none. A file that is
 * there is never overwritten, not even one that appeared meanwhile.
 * Errors: there is one (file.conflict); the file system says no (io).
 */
export async function writeProposal(
  folder: string,
  text: string,
  files: readonly Pick<ProposedFile, 'path' | 'text'>[] = [],
): Promise<Result<string>> {
  const written: string[] = []
  for (const one of [...files, { path: manifestFileName, text }]) {
    const result = await writeNew(folder, one.path, one.text)
    if (!result.ok) {
      await Promise.all(written.map(async (file) => await fs.rm(file, { force: true })))
      return result
    }
    written.push(result.value)
  }
  return ok(path.join(folder, manifestFileName))
}
