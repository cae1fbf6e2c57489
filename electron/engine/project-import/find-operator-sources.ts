import fs from 'node:fs'
import path from 'node:path'

import { withoutComments } from '../project/scan-source'
import { isCode, isHeader } from '../project/sources'

/** A source in bytes beyond which nobody has written it by hand. */
const largest = 2 << 20
/** Folders of what is no part of a library. */
export const otherFolders =
  /(^|\/)(tests?|benchmarks?|examples?|third_party|third-party|3rdparty|external|extern|docs?|dist)(\/|$)/i

const registration =
  /\b(TORCH_LIBRARY(_IMPL|_FRAGMENT)?|PYBIND11_MODULE|STABLE_TORCH_LIBRARY\w*)\s*\(|\bRegisterOperators\b/

function codeOf(folder: string, file: string): string {
  const absolute = path.join(folder, file)
  try {
    return fs.statSync(absolute).size > largest
      ? ''
      : withoutComments(fs.readFileSync(absolute, 'utf8'))
  } catch {
    return ''
  }
}

export interface OperatorSource {
  file: string
  /** It registers operators or functions. */
  registers: boolean
}

/**
 * The sources of a folder without a build file: those that register operators, and the others in their folders
 * and below, without programs (main) and without tests, examples and other people's code.
 * @param files of the folder, relative
 */
export function findOperatorSources(folder: string, files: readonly string[]): OperatorSource[] {
  const sources = files
    .filter((file) => isCode(file) && !isHeader(file) && path.extname(file) !== '')
    .filter((file) => !otherFolders.test(path.dirname(file)))
    .map((file) => ({ file, text: codeOf(folder, file) }))
    .filter(({ text }) => !/\bint\s+main\s*\(/.test(text))
    .map(({ file, text }) => ({ file, registers: registration.test(text) }))
  const homes = sources.filter(({ registers }) => registers).map(({ file }) => path.dirname(file))
  const isAtHome = (file: string): boolean =>
    homes.some((home) => home === '.' || file.startsWith(`${home}/`))
  return sources.filter(({ file }) => isAtHome(file)).sort((a, b) => (a.file < b.file ? -1 : 1))
}
