import fs from 'node:fs'
import path from 'node:path'

import { findAllOnPath } from './find-on-path'

const pythonName = /^python3(\.\d+)?$/

function linesOf(file: string): string[] | undefined {
  try {
    const lines = fs.readFileSync(file, 'utf8').split('\n')
    return lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'))
  } catch {
    return undefined
  }
}

/** The versions that pyenv would use in a folder: those of $PYENV_VERSION, of the nearest .python-version, or its own. */
function chosenVersions(pyenv: string, folder: string): string[] {
  const named = process.env['PYENV_VERSION'] ?? ''
  if (named !== '') return named.split(':')
  for (let above = folder; ; above = path.dirname(above)) {
    const lines = linesOf(path.join(above, '.python-version'))
    if (lines) return lines
    if (above === path.dirname(above)) break
  }
  return linesOf(path.join(pyenv, 'version')) ?? []
}

/** The folder of pyenv, if this file is one of its shims, or a link to one. */
function pyenvOfShim(file: string): string | undefined {
  const folder = path.dirname(fs.realpathSync(file))
  const pyenv = path.dirname(folder)
  const isShim = path.basename(folder) === 'shims' && fs.existsSync(path.join(pyenv, 'versions'))
  return isShim ? pyenv : undefined
}

/**
 * The Pythons that the shims of pyenv start. A shim runs some ten shell scripts to find out: half a second for each, and
 * there is one for every version that pyenv has.
 * @returns undefined if a version is not one of pyenv's folders, such as "3.11" for the newest 3.11
 */
function behindShims(pyenv: string, shims: readonly string[]): string[] | undefined {
  const folders = chosenVersions(pyenv, process.cwd()).map((version) =>
    path.join(pyenv, 'versions', version, 'bin'),
  )
  if (folders.length === 0 || !folders.every((folder) => fs.existsSync(folder))) return undefined
  return folders.flatMap((folder) =>
    shims
      .map((shim) => path.join(folder, path.basename(shim)))
      .filter((file) => fs.existsSync(file)),
  )
}

/** Every Python on PATH, in its order; several names of one file count once. */
export function pythonsOnPath(): string[] {
  const files = findAllOnPath(pythonName)
  const shims = files.filter((file) => pyenvOfShim(file) !== undefined)
  const [first = ''] = shims
  const pyenv = pyenvOfShim(first)
  if (pyenv === undefined) return files
  const behind = behindShims(pyenv, shims)
  if (behind === undefined) return files
  const all = files.flatMap((file) =>
    file === first ? behind : shims.includes(file) ? [] : [file],
  )
  const reals = all.map((file) => fs.realpathSync(file))
  return all.filter((_file, index) => reals.indexOf(reals[index] ?? '') === index)
}
