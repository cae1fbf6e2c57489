import fs from 'node:fs/promises'
import path from 'node:path'

import { glob } from 'tinyglobby'

import { manifestFileName } from '../../contract/manifest'
import type { Manifest } from '../../contract/manifest'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { Project, ProjectFile } from '../../contract/project'
import { readManifest } from './read-manifest'
import { ignoredFolders, resolveSources } from './sources'

const headerExtensions = new Set(['.h', '.hpp', '.hxx', '.hh', '.cuh', '.inl', '.ipp'])

/** The project's files, relative: opsmith.json, sources, headers, the program, then the others. */
export async function listFiles(
  folder: string,
  manifest: Manifest | undefined,
): Promise<ProjectFile[]> {
  const all = await glob(['**/*'], {
    cwd: folder,
    onlyFiles: true,
    dot: false,
    deep: 6,
    ignore: ignoredFolders.map((name) => `**/${name}/**`),
  })
  const sources = manifest ? await resolveSources(folder, manifest) : undefined
  const sourceSet = new Set(sources?.ok ? [...sources.value.plain, ...sources.value.cuda] : [])
  const order = { manifest: 0, source: 1, header: 2, program: 3, other: 4 }
  return all
    .map((file): ProjectFile => {
      if (file === manifestFileName) return { path: file, role: 'manifest' }
      if (sourceSet.has(file)) return { path: file, role: 'source' }
      if (
        manifest?.program !== undefined &&
        path.normalize(manifest.program) === path.normalize(file)
      ) {
        return { path: file, role: 'program' }
      }
      return { path: file, role: headerExtensions.has(path.extname(file)) ? 'header' : 'other' }
    })
    .sort((a, b) => order[a.role] - order[b.role] || a.path.localeCompare(b.path))
}

/** A project and its files. One with a broken opsmith.json is described all the same, so that it can be repaired here. */
export async function describeProject(folder: string): Promise<Result<Project>> {
  const absolute = path.resolve(folder)
  const isFolder = await fs.stat(absolute).then(
    (stat) => stat.isDirectory(),
    () => false,
  )
  if (!isFolder) {
    return err('project.missing', `There is no folder ${absolute}.`, { hint: 'Check the path.' })
  }
  const manifest = await readManifest(absolute)
  if (!manifest.ok && manifest.error.code === 'project.missing') return manifest
  const files = await listFiles(absolute, manifest.ok ? manifest.value : undefined)
  return ok({
    folder: absolute,
    name: manifest.ok ? manifest.value.name : path.basename(absolute),
    files,
    ...(manifest.ok ? { manifest: manifest.value } : { problem: manifest.error }),
  })
}
