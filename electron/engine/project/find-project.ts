import fs from 'node:fs/promises'
import path from 'node:path'

import { findNodeAtLocation, parseTree } from 'jsonc-parser'

import { manifestFileName } from '../../contract/manifest'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { noteManifestFolder } from './manifest-place'
import { placeOf, readManifestText } from './read-manifest'

/**
 * The folder of a project by the folder of its opsmith.json: what "root" names, else the same. Where its
 * opsmith.json is, is noted for manifest-place.ts, in place of what was noted of it before.
 * Errors: there is no such folder (project.invalid). What else is wrong with opsmith.json is left to its readers.
 */
export async function findProjectFolder(named: string): Promise<Result<string>> {
  const folder = path.resolve(named)
  noteManifestFolder(folder, folder)
  const text = await readManifestText(folder)
  const tree = text.ok ? parseTree(text.value) : undefined
  const node = tree && findNodeAtLocation(tree, ['root'])
  if (!text.ok || typeof node?.value !== 'string') return ok(folder)
  const root = path.resolve(folder, node.value)
  const isFolder = await fs.stat(root).then(
    (stat) => stat.isDirectory(),
    () => false,
  )
  if (!isFolder) {
    return err('project.invalid', `opsmith.json, root: there is no folder ${root}.`, {
      path: 'root',
      file: path.join(folder, manifestFileName),
      ...placeOf(text.value, node.offset),
      hint: 'Correct the path. "root" must be absolute, or relative to the folder of opsmith.json.',
    })
  }
  noteManifestFolder(root, folder)
  return ok(root)
}
