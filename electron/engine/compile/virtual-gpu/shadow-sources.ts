/** CUDA sources as clang compiles them: rewritten copies, in a folder of the cache. */
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'

import { temporaryBeside } from '../sealed-files'
import { rewriteCuda } from './rewrite'
import type { PlaceAliases } from './rewrite'

/** Files that are rewritten: CUDA's, and headers, which may have kernels too. */
const headerEnding = /\.(?:cuh|h|hh|hpp|hxx|inc|inl|cu|cuhpp)$|^[^.]+$/

export interface ShadowSources {
  /** Where the rewritten copy of a source is. */
  shadowOf: (source: string) => string
  dependentBlocks: boolean
  /** All of them, without the preamble. */
  texts: readonly string[]
  /** Changes with every text that was rewritten, and with the name of its copy. */
  hash: string
}

interface ShadowOptions {
  /** Where `#include` looks, besides the folder of the file that includes. */
  folders: readonly string[]
  /** What each copy of a source begins with, by the rewritten texts of all of them. */
  preamble: (texts: readonly string[]) => string
  /**
   * Files of this folder are named relative to it, so that copies of a project have equal texts. Undefined: all names are
   * absolute.
   */
  projectFolder?: string
}

/** The name of a file in all copies of its project; an absolute one for a file outside. */
function nameInProject(file: string, projectFolder: string | undefined): string {
  if (projectFolder === undefined || !file.startsWith(projectFolder + path.sep)) return file
  return path.relative(projectFolder, file)
}

/** Finds the file that an `#include` names; undefined if no folder has it. */
function includedFile(included: string, places: readonly string[]): string | undefined {
  return places
    .map((place) => path.resolve(place, included))
    .find((candidate) => fs.statSync(candidate, { throwIfNoEntry: false })?.isFile())
}

/**
 * Rewrites sources and the headers of the project that they include. The copies lie in one folder, and include each
 * other by their names in it: headers may include each other, so no name can depend on a text.
 * @param sources absolute paths
 * @param targetOf the folder for copies with this hash
 */
export function rewriteSources(
  sources: readonly string[],
  { folders, preamble, projectFolder }: ShadowOptions,
  targetOf: (hash: string) => string,
): ShadowSources {
  const copies = new Map<string, { name: string; text: string }>()
  const aliases: PlaceAliases = new Map()
  let dependentBlocks = false
  // The compiler searches these folders: a copy does not lie beside its original.
  const searched = [...sources.map((source) => path.dirname(source)), ...folders]

  /** The name of the copy of a file, which is rewritten the first time. */
  const copyOf = (file: string): string => {
    const known = copies.get(file)
    if (known !== undefined) return known.name
    const place = nameInProject(file, projectFolder)
    const id = createHash('sha256').update(place).digest('hex').slice(0, 12)
    const name = `${id}-${path.basename(file).replace(/\.cu$/, '.cu.cpp')}`
    const copy = { name, text: '' }
    // Before its text is read: headers may include each other.
    copies.set(file, copy)
    const find = (included: string, quoted: boolean): string | undefined => {
      const places = quoted ? [path.dirname(file), ...folders] : folders
      const found = includedFile(included, places)
      if (found === undefined) return undefined
      if (headerEnding.test(path.basename(found))) return copyOf(found)
      // Not as the source spells it: the same words may name another file later.
      const named = nameInProject(found, projectFolder)
      return includedFile(named, searched) === found ? named : found
    }
    const rewritten = rewriteCuda(fs.readFileSync(file, 'utf8'), id, find, aliases)
    dependentBlocks ||= rewritten.dependentBlocks
    copy.text = `#line 1 ${JSON.stringify(place)}\n${rewritten.text}`
    return name
  }

  const names = new Map(sources.map((source) => [source, copyOf(source)]))
  const texts = [...copies.values()].map(({ text }) => text)
  const before = preamble(texts)
  for (const source of sources) {
    const copy = copies.get(source)
    if (copy) copy.text = before + copy.text
  }
  const hash = createHash('sha256')
  for (const { name, text } of copies.values()) hash.update(`${name}\0${text}\0`)
  const digest = hash.digest('hex')
  const target = targetOf(digest)
  fs.mkdirSync(target, { recursive: true })
  for (const { name, text } of copies.values()) writeIfOther(path.join(target, name), text)
  return {
    shadowOf: (source) => path.join(target, names.get(source) ?? ''),
    dependentBlocks,
    texts,
    hash: digest,
  }
}

/** A file that is as it was keeps its time, and stays in the compiler's caches. */
function writeIfOther(file: string, text: string): void {
  try {
    if (fs.readFileSync(file, 'utf8') === text) return
  } catch {
    // It does not exist yet.
  }
  const temporary = temporaryBeside(file)
  fs.writeFileSync(temporary, text)
  fs.renameSync(temporary, file)
}
