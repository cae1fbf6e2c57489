import fs from 'node:fs'
import path from 'node:path'

import type { Installation } from '../installation'
import { hashOf, temporaryBeside } from './object-cache'

export interface IncludeSnapshot {
  folder: string
  key: string
}

function listFiles(folder: string, prefix = ''): string[] {
  return fs
    .readdirSync(path.join(folder, prefix), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const name = path.join(prefix, entry.name)
      return entry.isDirectory() ? listFiles(folder, name) : [name]
    })
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
  const key = hashOf(
    ...files.flatMap(({ name, file, from }) => [name, file, fs.readFileSync(from)]),
  )
  const folder = path.join(installation.cacheFolder, 'include', key)
  if (!fs.existsSync(folder)) {
    const temporary = temporaryBeside(folder)
    for (const { name, file, from } of files) {
      const target = path.join(temporary, name, file)
      fs.mkdirSync(path.dirname(target), { recursive: true })
      fs.copyFileSync(from, target)
    }
    fs.mkdirSync(temporary, { recursive: true })
    try {
      fs.renameSync(temporary, folder)
    } catch {
      // Another process made the same copy first.
      fs.rmSync(temporary, { recursive: true, force: true })
    }
  }
  // Links resolved: the path is in every key, and a cache may be reached by several.
  return { folder: fs.realpathSync(folder), key }
}
