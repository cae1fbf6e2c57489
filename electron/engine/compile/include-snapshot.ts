import fs from 'node:fs'
import path from 'node:path'

import type { Installation } from '../installation'
import { hashOf } from './result-cache'
import { isSealed, listFiles, sealLater, temporaryBeside } from './sealed-files'

export interface IncludeSnapshot {
  folder: string
  key: string
}

/**
 * Our headers, copied to the cache under their hash. Builds include the copy: precompiled headers
 * and objects then do not depend on where this Opsmith is installed, and a header edited while a
 * build runs cannot give half of each.
 */
export function snapshotIncludes(installation: Installation): IncludeSnapshot {
  const roots = [
    ['include', installation.includeFolder],
    ['kernels', installation.kernelsInclude],
  ] as const
  const files = roots.flatMap(([name, folder]) =>
    fs.existsSync(folder)
      ? listFiles(folder).map((file) => ({ name, file, from: path.join(folder, file) }))
      : [],
  )
  const texts = files.map(({ name, file, from }) => ({
    relative: path.join(name, file),
    bytes: fs.readFileSync(from),
  }))
  const key = hashOf(...texts.flatMap(({ relative, bytes }) => [relative, bytes]))
  const folder = path.join(installation.cacheFolder, 'include', key)
  fs.mkdirSync(folder, { recursive: true })
  for (const { relative, bytes } of texts) copyInto(path.join(folder, relative), bytes)
  // Links resolved: the path is in every key, and a cache may be reached by several.
  return { folder: fs.realpathSync(folder), key }
}

/** Each file by a rename of its own: another process may read the same snapshot. */
function copyInto(file: string, bytes: Buffer): void {
  if (isSealed(file, bytes.length)) return
  if (fs.existsSync(file) && fs.readFileSync(file).equals(bytes)) {
    sealLater(file)
    return
  }
  fs.mkdirSync(path.dirname(file), { recursive: true })
  const temporary = temporaryBeside(file)
  fs.writeFileSync(temporary, bytes)
  sealLater(temporary)
  fs.renameSync(temporary, file)
}
