import path from 'node:path'

import type { Diagnostic, DiagnosticNote } from '../../contract/diagnostics'

/** `op.cpp:3:5: error: text [-Wflag]`, as clang and g++ print it, nvcc's host compiler among them. */
const gnuLine = /^(.+?):(\d+):(?:(\d+):)?\s*(fatal error|error|warning|note|remark):\s*(.*)$/
const includedFrom = /^(?:In file included from|\s+from)\s+(.+?):(\d+)/
/** g++ prints where a template was asked for before the error itself. */
const requiredFrom = /^(.+?):(\d+):(?:(\d+):)?\s{2,}(required from .*|recursively required .*)$/

export function resolveFile(file: string, folder: string): string {
  return file.startsWith('<') || file === '' ? '' : path.resolve(folder, file)
}

function severityOf(word: string): DiagnosticNote['severity'] {
  return word === 'warning' ? 'warning' : word === 'note' || word === 'remark' ? 'note' : 'error'
}

/** Lines in which g++ says within what the next message arose. */
const within =
  /: (?:In (?:.*[^\w])?(?:function|member function|instantiation|substitution|constructor|destructor|lambda).*|At global scope):$/

/** Messages of one compile. `folder` is where the compiler ran; `source` names who speaks. */
export function parseCompilerOutput(text: string, folder: string, source: string): Diagnostic[] {
  return parseWithText(text, folder, source).map(({ diagnostic }) => diagnostic)
}

/** A message with all that the compiler printed of it. */
export interface CompilerMessage {
  diagnostic: Diagnostic
  text: string
}

/** The same, each with the lines that the compiler printed of it. */
export function parseWithText(text: string, folder: string, source: string): CompilerMessage[] {
  const found: { diagnostic: Diagnostic; lines: string[] }[] = []
  let leading: DiagnosticNote[] = []
  let leadingLines: string[] = []
  for (const line of text.split(/\r?\n/)) {
    const included = includedFrom.exec(line)
    if (included) {
      if (line.startsWith('In file')) leading = []
      leadingLines.push(line)
      leading.push({
        severity: 'note',
        file: resolveFile(included[1] ?? '', folder),
        line: Number(included[2]),
        column: 0,
        message: 'included from here',
      })
      continue
    }
    const required = requiredFrom.exec(line)
    if (required) {
      leadingLines.push(line)
      leading.push({
        severity: 'note',
        file: resolveFile(required[1] ?? '', folder),
        line: Number(required[2]),
        column: Number(required[3] ?? 0),
        message: required[4] ?? '',
      })
      continue
    }
    const gnu = gnuLine.exec(line)
    const last = found.at(-1)
    if (!gnu) {
      // Quoted source and carets belong to what was said before them.
      if (last && leadingLines.length === 0 && !within.test(line)) last.lines.push(line)
      else leadingLines.push(line)
      continue
    }
    const [, file = '', lineNumber, column, word = '', message] = gnu
    const flag = /\s*\[(-W[^\]]+)\]$/.exec(message ?? '')
    const place: DiagnosticNote = {
      severity: severityOf(word),
      file: resolveFile(file, folder),
      line: Number(lineNumber),
      column: Number(column ?? 0),
      message: (message ?? '').slice(0, flag ? flag.index : undefined),
    }
    if (place.severity === 'note' && last) {
      last.diagnostic.notes.push(place)
      last.lines.push(...leadingLines, line)
      leadingLines = []
      continue
    }
    found.push({
      diagnostic: { ...place, source, code: flag?.[1] ?? '', notes: leading },
      lines: [...leadingLines, line],
    })
    leading = []
    leadingLines = []
  }
  return found.map(({ diagnostic, lines }) => ({
    diagnostic,
    text: lines
      .join('\n')
      // The compile server names a project's files from `./` on; the same text whoever says it.
      .replace(/^((?:In file included| +) from )?\.\//gm, '$1')
      .trimEnd()
      .replace(/\n\d+ (?:warnings?|errors?).* generated\.$/, ''),
  }))
}

function linkError(message: string, notes: DiagnosticNote[] = []): Diagnostic {
  // A place in a source, when the linker knows one, is where the user will look.
  const place = notes.find((note) => note.file !== '')
  return {
    severity: 'error',
    file: place?.file ?? '',
    line: place?.line ?? 0,
    column: 0,
    message,
    source: 'linker',
    code: '',
    notes: notes.filter((note) => note !== place),
  }
}

const undefinedReference = (symbol: string): string =>
  `undefined reference to ${symbol}: the code uses this symbol, but no source or library defines the symbol. Add the source to "sources", or the library to "ldflags" or "pkgConfig" of opsmith.json`

const libraryHint = (name: string): string =>
  `library ${name} was not found: install the package that contains this library, or correct "ldflags" in opsmith.json`

/** `referenced by op.cpp:12 (/full/op.cpp:12)`, lld's way; the second form holds the whole path. */
function lldReference(line: string, folder: string): DiagnosticNote | undefined {
  const match = /^>>> referenced by (?:(\S+?):(\d+))?(?: \((.+?):(\d+)\))?/.exec(line)
  const file = match?.[3] ?? match?.[1]
  if (!match || file === undefined) return undefined
  return {
    severity: 'note',
    file: resolveFile(file, folder),
    line: Number(match[4] ?? match[2]),
    column: 0,
    message: 'used here',
  }
}

/** Messages of a link by lld, mold or GNU ld. */
export function parseLinkerOutput(text: string, folder: string): Diagnostic[] {
  const diagnostics: Diagnostic[] = []
  const lines = text.split(/\r?\n/)
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? ''
    const lld = /^(?:\S*ld\.lld|mold|\S*ld): (error|fatal|warning): (.*)$/.exec(line)
    if (lld) {
      const message = lld[2] ?? ''
      const notes: DiagnosticNote[] = []
      while (/^>>>/.test(lines[index + 1] ?? '')) {
        index += 1
        const note = lldReference(lines[index] ?? '', folder)
        if (note) notes.push(note)
      }
      const library = /(?:unable to find library|library not found:?) -?l?(\S+)/.exec(message)?.[1]
      const undefinedSymbol = /^undefined (?:hidden )?symbol: (.*)$/.exec(message)?.[1]
      const diagnostic = linkError(
        library !== undefined
          ? libraryHint(library)
          : undefinedSymbol !== undefined
            ? undefinedReference(undefinedSymbol)
            : message,
        notes,
      )
      diagnostics.push({ ...diagnostic, severity: lld[1] === 'warning' ? 'warning' : 'error' })
      continue
    }
    const gnuLibrary = /cannot find -l(\S+?)(?::|$)/.exec(line)?.[1]
    if (gnuLibrary !== undefined) {
      diagnostics.push(linkError(libraryHint(gnuLibrary)))
      continue
    }
    const gnu =
      /^(?:\S*ld: )?(?:(\S+?):(\d+): |(\S+?):\([^)]*\): )?undefined reference to [`']([^']+)'/.exec(
        line,
      )
    if (gnu) {
      const notes: DiagnosticNote[] =
        gnu[1] !== undefined
          ? [
              {
                severity: 'note',
                file: resolveFile(gnu[1], folder),
                line: Number(gnu[2]),
                column: 0,
                message: 'used here',
              },
            ]
          : []
      diagnostics.push(linkError(undefinedReference(gnu[4] ?? ''), notes))
    }
  }
  return diagnostics
}

/**
 * Puts an error that arose inside a library's header where the user's own code asked for it: the
 * first place of its chain that lies in the project. The original place becomes the first note.
 */
export function placeInProject(diagnostic: Diagnostic, folders: readonly string[]): Diagnostic {
  const inside = (file: string): boolean =>
    folders.some((folder) => file.startsWith(folder + path.sep))
  if (diagnostic.file === '' || inside(diagnostic.file)) return diagnostic
  // Where a header is included says little where the chain also says who asked for the template.
  const chain = diagnostic.notes.filter((note) => inside(note.file))
  const place = chain.find((note) => note.message !== 'included from here') ?? chain[0]
  if (!place) return diagnostic
  return {
    ...diagnostic,
    file: place.file,
    line: place.line,
    column: place.column,
    notes: [
      {
        severity: 'note',
        file: diagnostic.file,
        line: diagnostic.line,
        column: diagnostic.column,
        message: `reported for this line: ${diagnostic.message}`,
      },
      ...diagnostic.notes.filter((note) => note !== place),
    ],
  }
}

/** Header name of a "file not found" error; undefined for any other message. */
export function missingHeader(message: string): string | undefined {
  return (
    /^'([^']+)' file not found/.exec(message)?.[1] ??
    /^(\S+): No such file or directory/.exec(message)?.[1]
  )
}
