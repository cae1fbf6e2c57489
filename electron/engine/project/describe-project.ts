import fs from 'node:fs/promises'
import path from 'node:path'

import { manifestFileName } from '../../contract/manifest'
import type { Manifest } from '../../contract/manifest'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { DescribedProject, ProjectFile } from '../../contract/project'
import { isManifestElsewhere, manifestFileOf } from './manifest-place'
import { readManifest } from './read-manifest'
import { listTree, mostFiles } from './list-tree'
import { isHeader, resolveSources } from './sources'

/** The project's files, relative: opsmith.json, sources, headers, the program, then the others. */
export async function listFiles(
  folder: string,
  manifest: Manifest | undefined,
): Promise<ProjectFile[]> {
  return (await describeFiles(folder, manifest)).files
}

/** The same, and whether there are more files than are listed. */
async function describeFiles(
  folder: string,
  manifest: Manifest | undefined,
): Promise<{ files: ProjectFile[]; isCut: boolean }> {
  const { files: listed, isCut } = await listTree(folder)
  const all = isManifestElsewhere(folder, manifestFileName)
    ? [manifestFileName, ...listed.filter((file) => file !== manifestFileName)]
    : listed
  const sources = manifest ? await resolveSources(folder, manifest) : undefined
  const sourceSet = new Set(sources?.ok ? [...sources.value.plain, ...sources.value.cuda] : [])
  const order = { manifest: 0, source: 1, header: 2, program: 3, other: 4 }
  const files = all
    .map((file): ProjectFile => {
      if (file === manifestFileName) return { path: file, role: 'manifest' }
      if (sourceSet.has(file)) return { path: file, role: 'source' }
      if (
        manifest?.program !== undefined &&
        path.normalize(manifest.program) === path.normalize(file)
      ) {
        return { path: file, role: 'program' }
      }
      return { path: file, role: isHeader(file) ? 'header' : 'other' }
    })
    .sort((a, b) => order[a.role] - order[b.role] || a.path.localeCompare(b.path))
  return { files, isCut }
}

/** A project and its files. One with a broken opsmith.json is described all the same, so that it can be repaired here. */
export async function describeProject(folder: string): Promise<Result<DescribedProject>> {
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
  const contents = manifest.ok ? manifest.value : undefined
  const { files, isCut } = await describeFiles(absolute, contents)
  return ok({
    folder: absolute,
    manifestFile: manifestFileOf(absolute),
    name: manifest.ok ? manifest.value.name : path.basename(absolute),
    files,
    ...(isCut && {
      remark: `This folder contains more than ${mostFiles.toLocaleString('en')} files. Opsmith lists and watches only the first ${mostFiles.toLocaleString('en')}.`,
    }),
    ...(manifest.ok ? { manifest: manifest.value } : { problem: manifest.error }),
  })
}
