import path from 'node:path'

import type { RecordedExtension } from './recorded-setup'

const sourceName = /\.(cpp|cc|cxx|c\+\+|C|c|cu)$/

/** Python's comments and long strings become spaces, so that offsets and lines stay. */
function withoutPythonComments(text: string): string {
  return text.replace(
    /("""[^]*?"""|'''[^]*?''')|("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|#[^\n]*/g,
    (match, long: string | undefined, short: string | undefined) =>
      short === undefined || long !== undefined ? match.replace(/[^\n]/g, ' ') : match,
  )
}

/** The text between the bracket at `open` and the one that closes it. */
function inBrackets(text: string, open: number): string {
  let depth = 0
  const token = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[()[\]{}]/g
  token.lastIndex = open
  for (let match = token.exec(text); match; match = token.exec(text)) {
    if ('([{'.includes(match[0])) depth += 1
    if (')]}'.includes(match[0])) depth -= 1
    if (depth === 0) return text.slice(open + 1, match.index)
  }
  return text.slice(open + 1)
}

const stringsOf = (text: string): string[] =>
  [...text.matchAll(/"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'/g)].map(
    (match) => match[1] ?? match[2] ?? '',
  )

/** What stands after `name=` in the arguments of a call: a list in brackets, or "". */
function listArgument(text: string, name: string): string {
  const found = new RegExp(`\\b${name}\\s*=\\s*\\[`).exec(text)
  return found ? inBrackets(text, found.index + found[0].length - 1) : ''
}

function macrosIn(text: string): [string, string | null][] {
  const pattern = /\(\s*["'](\w+)["']\s*,\s*(?:None|["']([^"']*)["'])\s*,?\s*\)/g
  return [...text.matchAll(pattern)].map(([, name = '', value]) => [name, value ?? null])
}

/** Finds the file that a text of setup.py names: as it is written, or the only one whose path ends with it. */
function findSource(named: string, files: readonly string[]): string | undefined {
  const plain = path.posix.normalize(named)
  if (files.includes(plain)) return plain
  const ending = files.filter((file) => file.endsWith(`/${plain}`))
  return ending.length === 1 ? ending[0] : undefined
}

/**
 * The extensions that can be read off the text of a setup.py which is not run: names, sources and macros that
 * are written out. Flags and what is computed are not read.
 * @param files of the folder, relative
 */
export function readSetupText(text: string, files: readonly string[]): RecordedExtension[] {
  const code = withoutPythonComments(text)
  const found: RecordedExtension[] = []
  const everywhere = stringsOf(code).filter((one) => sourceName.test(one))
  for (const match of code.matchAll(
    /(?<!class\s+)\b(CppExtension|CUDAExtension|Extension)\s*\(/g,
  )) {
    const [, kind = ''] = match
    const call = inBrackets(code, match.index + match[0].length - 1)
    const name = /\bname\s*=\s*["']([\w.]+)["']/.exec(call)?.[1] ?? stringsOf(call)[0] ?? ''
    const own = stringsOf(call).filter((one) => sourceName.test(one))
    const named = own.length > 0 ? own : everywhere
    const sources = named.flatMap((one) => findSource(one, files) ?? [])
    found.push({
      name: sourceName.test(name) ? '' : name,
      kind,
      line: code.slice(0, match.index).split('\n').length,
      sources: [...new Set(sources)],
      includeDirs: stringsOf(listArgument(call, 'include_dirs')),
      macros: macrosIn(listArgument(call, 'define_macros')),
      undefined: stringsOf(listArgument(call, 'undef_macros')),
      flags: {},
      libraries: stringsOf(listArgument(call, 'libraries')),
      libraryDirs: stringsOf(listArgument(call, 'library_dirs')),
      runtimeLibraryDirs: [],
      linkFlags: [],
      extraObjects: [],
      limitedApi: /py_limited_api\s*=\s*True/.test(call),
      language: '',
      deviceLink: false,
    })
  }
  return found
}
