import fs from 'node:fs/promises'
import path from 'node:path'

import { manifestFileName } from '../../contract/manifest'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { systemCode } from '../project/file-errors'
import { ioError } from '../project/files'

/**
 * Writes a proposed opsmith.json. One that is there is never overwritten, not even one that appeared meanwhile.
 * Errors: there is one (file.conflict); the file system says no (io).
 */
export async function writeProposal(folder: string, text: string): Promise<Result<string>> {
  const file = path.join(folder, manifestFileName)
  try {
    await fs.writeFile(file, text, { flag: 'wx' })
    return ok(file)
  } catch (error) {
    return systemCode(error) === 'EEXIST'
      ? err('file.conflict', `${folder} has an ${manifestFileName} already.`, { file })
      : ioError(error, `write ${file}`)
  }
}
