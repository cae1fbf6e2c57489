import fs from 'node:fs/promises'
import path from 'node:path'

import { manifestFileName } from '../../contract/manifest'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { withRoot } from '../../contract/project-import'
import type { ProjectProposal, ProposedFile } from '../../contract/project-import'
import { systemCode } from '../project/file-errors'
import { ioError, makeFolder } from '../project/files'
import { withoutLinks } from '../project/inside'

async function writeNew(folder: string, name: string, text: string): Promise<Result<string>> {
  const target = await withoutLinks(folder, name)
  if (!target.ok) return target
  try {
    await fs.writeFile(target.value, text, { flag: 'wx' })
    return target
  } catch (error) {
    return systemCode(error) === 'EEXIST'
      ? err(
          'file.conflict',
          `${folder} already contains a file ${name}, so Opsmith wrote nothing.`,
          {
            file: target.value,
            hint: 'Delete or rename that file, or choose another folder.',
          },
        )
      : ioError(error, `write ${target.value}`)
  }
}

/**
 * The proposal for a folder in which opsmith.json is to be written. One that is not the sources' own gets them as its
 * "root".
 * Errors: texts would become files next to the sources all the same (request.invalid).
 */
export function placeProposal(proposal: ProjectProposal, out: string): Result<ProjectProposal> {
  const { folder, files } = proposal
  if (path.resolve(out) === path.resolve(folder)) return ok(proposal)
  const [first] = files
  if (first) {
    return err(
      'request.invalid',
      `The import needs a new file ${first.path} in ${folder}, with text from ${first.origin}. You chose another folder for opsmith.json.`,
      {
        hint: 'Write opsmith.json into the folder of the sources, or first save the text as a file in that folder.',
      },
    )
  }
  return ok(withRoot(proposal))
}

/**
 * Writes a proposed opsmith.json and the sources that are proposed with it, all of them or none. A file that is
 * there is never overwritten, not even one that appeared meanwhile. The folder is made where it is not there.
 * Errors: there is one (file.conflict); the file system says no (io).
 */
export async function writeProposal(
  folder: string,
  text: string,
  files: readonly Pick<ProposedFile, 'path' | 'text'>[] = [],
): Promise<Result<string>> {
  const written: string[] = []
  try {
    await makeFolder(folder)
  } catch (error) {
    return ioError(error, `make ${folder}`)
  }
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
