import fs from 'node:fs'
import path from 'node:path'

import { escapePath, glob, isDynamicPattern } from 'tinyglobby'

import type { Manifest } from '../../contract/manifest'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { fileSystemReason } from './file-errors'
import { ignoredFolders, listTree } from './list-tree'
import { fetchCommand, submoduleOf } from './submodules'
import { isUtf16 } from './text-encoding'
import { manifestFileOf } from './manifest-place'

const cppExtensions = new Set(['.cpp', '.cc', '.cxx', '.c++', '.C', '.c'])
const headerExtensions = new Set(['.h', '.hpp', '.hxx', '.hh', '.cuh', '.inl', '.ipp'])

export function isHeader(file: string): boolean {
  return headerExtensions.has(path.extname(file))
}

/** Whether a file's name is one of C++ or CUDA code; headers of the standard library have no extension. */
export function isCode(file: string): boolean {
  const extension = path.extname(file)
  if (extension === '') return file.split(path.sep).includes('include')
  return cppExtensions.has(extension) || isCuda(file) || isHeader(file) || extension === '.tcc'
}

/** Bytes of one source. */
const largestSource = 64 << 20

export function isCuda(file: string): boolean {
  return path.extname(file) === '.cu'
}

/** What no compiler takes for a source, to be read after its name; undefined for a source. */
function whyUnreadable(file: string): string | undefined {
  let descriptor: number
  try {
    descriptor = fs.openSync(file, 'r')
  } catch (error) {
    return `cannot be read: ${fileSystemReason(error) ?? String(error)}.`
  }
  try {
    const { size } = fs.fstatSync(descriptor)
    if (size > largestSource) {
      return `is ${size >> 20} MiB; the limit for a source is ${largestSource >> 20} MiB.`
    }
    const start = Buffer.alloc(2)
    const bytes = fs.readSync(descriptor, start, 0, start.length, 0)
    return isUtf16(start.subarray(0, bytes))
      ? 'is written in UTF-16, but compilers read UTF-8. Save the file again as UTF-8.'
      : undefined
  } finally {
    fs.closeSync(descriptor)
  }
}

function missingSourceHint(folder: string, pattern: string): string {
  const submodule = submoduleOf(folder, pattern)
  return submodule
    ? `The git submodule ${submodule.path} is empty. Fetch the submodule: ${fetchCommand(submodule)}`
    : 'Create the file, or correct the name. Paths are relative to the folder of opsmith.json, or to "root" if opsmith.json contains this key. * and ** do not follow symlinks to folders.'
}

/** Links to folders that a pattern does not name: * and ** do not follow them, since any tree may be behind one. */
async function linkedFolders(folder: string, pattern: string): Promise<string[]> {
  if (!isDynamicPattern(pattern)) return []
  const { linkedFolders: all } = await listTree(folder)
  return all.filter((link) => !pattern.startsWith(`${link}/`)).map((link) => escapePath(link))
}

/** The files that a list of globs names, relative, sorted within each; a pattern that finds nothing is an error. */
async function resolveGlobs(
  folder: string,
  manifest: Manifest,
  key: 'sources' | 'cudaSources',
): Promise<Result<string[]>> {
  const sources: string[] = []
  for (const [index, pattern] of manifest[key].entries()) {
    const found = await glob([pattern], {
      cwd: folder,
      onlyFiles: true,
      expandDirectories: false,
      ignore: [...ignoredFolders, ...(await linkedFolders(folder, pattern))].map(
        (name) => `${name}/**`,
      ),
    })
    const fitting = found
      .filter((file) => cppExtensions.has(path.extname(file)) || isCuda(file))
      .sort()
    if (fitting.length === 0) {
      const where = { path: `${key}[${index}]`, file: manifestFileOf(folder) }
      return found.length > 0
        ? err(
            'project.invalid',
            `opsmith.json, ${key}[${index}]: ${pattern} is not a C++ or CUDA source (.cpp, .cc, .cxx, .cu).`,
            where,
          )
        : err('project.invalid', `opsmith.json, ${key}[${index}]: no file matches ${pattern}.`, {
            ...where,
            hint: missingSourceHint(folder, pattern),
          })
    }
    for (const file of fitting) {
      const unreadable = whyUnreadable(path.join(folder, file))
      if (unreadable !== undefined) {
        return err('project.invalid', `${file} ${unreadable}`, { file: path.join(folder, file) })
      }
      if (!sources.includes(file)) sources.push(file)
    }
  }
  return ok(sources)
}

export interface ProjectSources {
  /** What is compiled everywhere. */
  plain: string[]
  /** What is left out without nvcc; what both lists of opsmith.json name is here. */
  cuda: string[]
}

/** A file that is named by a link too is compiled once: twice, all it defines would be defined twice. */
function withoutLinksToSame(folder: string, files: string[], known: Set<string>): string[] {
  const real = new Map(files.map((file) => [file, realPath(path.join(folder, file))]))
  // The file itself is preferred to a link to it.
  const isLink = (file: string): boolean => real.get(file) !== path.join(realPath(folder), file)
  const ordered = [...files].sort((a, b) => Number(isLink(a)) - Number(isLink(b)))
  const kept = new Set(
    ordered.filter((file) => {
      const target = real.get(file) ?? file
      if (known.has(target)) return false
      known.add(target)
      return true
    }),
  )
  return files.filter((file) => kept.has(file))
}

function realPath(file: string): string {
  try {
    return fs.realpathSync(file)
  } catch {
    return file
  }
}

export async function resolveSources(
  folder: string,
  manifest: Manifest,
): Promise<Result<ProjectSources>> {
  const plain = await resolveGlobs(folder, manifest, 'sources')
  if (!plain.ok) return plain
  const cuda = await resolveGlobs(folder, manifest, 'cudaSources')
  if (!cuda.ok) return cuda
  const conditional = new Set(cuda.value)
  const known = new Set<string>()
  return ok({
    cuda: withoutLinksToSame(folder, cuda.value, known),
    plain: withoutLinksToSame(
      folder,
      plain.value.filter((file) => !conditional.has(file)),
      known,
    ),
  })
}
