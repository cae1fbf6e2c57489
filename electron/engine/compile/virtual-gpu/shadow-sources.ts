/** CUDA sources as clang compiles them: rewritten copies, in a folder of the cache. */
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'

import { rewriteCuda } from './rewrite'
import type { PlaceAliases } from './rewrite'

/** Files that are rewritten: CUDA's, and headers, which may have kernels too. */
const headerEnding = /\.(?:cuh|h|hh|hpp|hxx|inc|inl|cu|cuhpp)$|^[^.]+$/

export interface ShadowSources {
  /** Where the rewritten copy of a source is. */
  shadowOf: (source: string) => string
  dependentBlocks: boolean
  /** Changes with every text that was rewritten. */
  hash: string
  /** All files that were read, the sources among them. */
  files: string[]
}

/**
 * Rewrites sources and the headers of the project that they include.
 * @param sources absolute paths
 * @param folders where `#include` looks, besides the folder of the file that includes
 * @param target the folder for the copies
 * @param preamble what each copy of `sources` begins with
 */
export function rewriteSources(
  sources: readonly string[],
  folders: readonly string[],
  target: string,
  preamble = '',
): ShadowSources {
  const shadows = new Map<string, string>()
  const hash = createHash('sha256')
  const aliases: PlaceAliases = new Map()
  let dependentBlocks = false

  const shadow = (file: string): string => {
    const known = shadows.get(file)
    if (known !== undefined) return known
    const name = createHash('sha256').update(file).digest('hex').slice(0, 12)
    const copy = path.join(target, `${name}-${path.basename(file).replace(/\.cu$/, '.cu.cpp')}`)
    // Before its text is read: headers may include each other.
    shadows.set(file, copy)
    const find = (included: string, quoted: boolean): string | undefined => {
      const places = quoted ? [path.dirname(file), ...folders] : folders
      for (const place of places) {
        const candidate = path.resolve(place, included)
        const stat = fs.statSync(candidate, { throwIfNoEntry: false })
        if (!stat?.isFile()) continue
        return headerEnding.test(path.basename(candidate)) ? shadow(candidate) : candidate
      }
      return undefined
    }
    const { text, dependentBlocks: depends } = rewriteCuda(
      fs.readFileSync(file, 'utf8'),
      name,
      find,
      aliases,
    )
    dependentBlocks ||= depends
    const before = sources.includes(file) ? preamble : ''
    const whole = `${before}#line 1 ${JSON.stringify(file)}\n${text}`
    hash.update(`${copy}\0${whole}\0`)
    writeIfOther(copy, whole)
    return copy
  }

  fs.mkdirSync(target, { recursive: true })
  for (const source of sources) shadow(source)
  return {
    shadowOf: (source) => shadow(source),
    dependentBlocks,
    hash: hash.digest('hex'),
    files: [...shadows.keys()],
  }
}

/** A file that is as it was keeps its time, and stays in the compiler's caches. */
function writeIfOther(file: string, text: string): void {
  try {
    if (fs.readFileSync(file, 'utf8') === text) return
  } catch {
    // It does not exist yet.
  }
  const temporary = `${file}.${process.pid}`
  fs.writeFileSync(temporary, text)
  fs.renameSync(temporary, file)
}
