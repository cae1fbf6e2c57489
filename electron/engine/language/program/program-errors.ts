import type { Diagnostic, DiagnosticNote } from '../../../contract/diagnostics'
import type { WorkbenchError } from '../../../contract/outcome'

/** A function, class or other statement that begins in the first column; lines are 1-based, both included. */
export interface ProgramBlock {
  /** Of the function or class; "" for any other statement. */
  name: string
  firstLine: number
  lastLine: number
}

/** The top level of a program, by indentation alone: it works on what does not parse, too. */
export function blocksOf(text: string): ProgramBlock[] {
  const lines = text.split('\n')
  const blocks: ProgramBlock[] = []
  let decorated = 0
  lines.forEach((line, index) => {
    if (!/^[^\s#)\]}]/.test(line)) return
    if (line.startsWith('@')) {
      if (decorated === 0) decorated = index + 1
      return
    }
    const name = /^(?:def|class)\s+(\w+)/.exec(line)?.[1] ?? ''
    const last = blocks.at(-1)
    const firstLine = decorated === 0 ? index + 1 : decorated
    if (last) last.lastLine = firstLine - 1
    blocks.push({ name, firstLine, lastLine: lines.length })
    decorated = 0
  })
  return blocks
}

export function blockAt(blocks: readonly ProgramBlock[], line: number): ProgramBlock | undefined {
  return blocks.find((block) => block.firstLine <= line && line <= block.lastLine)
}

/** The same text without some lines, every other one in its place. */
export function withoutBlock(text: string, block: ProgramBlock): string {
  return text
    .split('\n')
    .map((line, index) => (index + 1 >= block.firstLine && index + 1 <= block.lastLine ? '' : line))
    .join('\n')
}

/** Whether what is said is about one of these names, which were taken out. */
export function isAbout(message: string, names: ReadonlySet<string>): boolean {
  return message.match(/[A-Za-z_]\w*/g)?.some((word) => names.has(word)) ?? false
}

/** The parser stops at the first word that does not fit, and knows nothing of what follows. */
export function isSyntaxError(message: string): boolean {
  return /^(expected .* but found|invalid indent|unexpected|Expected )/.test(message)
}

const mostNotes = 8

/** `aten::relu(Tensor self) -> Tensor:` and the line below it, as libtorch lists what it tried. */
function triedOverloads(text: string): { schema: string; why: string }[] {
  const lines = text.split('\n').map((line) => line.trim())
  return lines.flatMap((line, index) => {
    const schema = /^([\w:.]+\(.*\)\s*->.*?):?$/.exec(line)?.[1]
    const why = lines[index + 1] ?? ''
    return schema === undefined || why === '' ? [] : [{ schema, why }]
  })
}

function inPlainWords(text: string): string {
  return text
    .replace(
      /^Expected a value of type '([^']+)' for argument '([^']+)' but instead found type '([^']+)'/,
      "argument '$2' needs type $1, but has type $3",
    )
    .replace(
      /^Could not match type (.+?) to (.+?) in argument '([^']+)'.*$/,
      "argument '$3' needs type $2, but has type $1",
    )
    .replace(/\.$/, '')
}

interface Said {
  message: string
  notes: string[]
}

/** libtorch lists each overload and why it does not fit: one line, and the list as notes. */
function shortened(message: string): Said {
  const tried = triedOverloads(message)
  const [first] = tried
  if (!first || !/not valid|^[\w:.]+\(.*\)\s*->/.test(message)) {
    return { message: (message.split('\n')[0] ?? '').replace(/\.$/, ''), notes: [] }
  }
  const name = /^[^(]+/.exec(first.schema)?.[0].split('.')[0] ?? ''
  const words =
    tried.length === 1
      ? `${name} does not accept these arguments: ${inPlainWords(first.why)}`
      : `None of the ${tried.length} overloads of ${name} accepts these arguments. In the first overload, ${inPlainWords(first.why)}`
  const notes = tried
    .slice(0, mostNotes)
    .map(({ schema, why }) => `${schema}: ${inPlainWords(why)}`)
  return { message: words, notes: tried.length === 1 ? notes.slice(0, 1) : notes }
}

/** Where the underlined piece ends; absent where libtorch underlines nothing. */
function endColumn(detail: string): number | undefined {
  for (const line of detail.split('\n')) {
    const mark = /^(\s*)(~+) <--- HERE/.exec(line)
    if (mark) return (mark[1] ?? '').length + (mark[2] ?? '').length + 1
  }
  return undefined
}

/** `'g' is being compiled since it was called from 'h'`, each followed by its place. */
function callers(detail: string, file: string): DiagnosticNote[] {
  const pattern =
    /'([^']+)' is being compiled since it was called from '([^']+)'\s*\n\s*File "[^"]*", line (\d+)/g
  return [...detail.matchAll(pattern)].map((match) => ({
    severity: 'note',
    file,
    line: Number(match[3]),
    column: 0,
    message: `${match[1] ?? ''} is called by ${match[2] ?? ''}`,
  }))
}

/**
 * What the TorchScript compiler said, on its line of the program.
 * @param text of the program: what is found missing at its end is said of its last line
 */
export function programDiagnostic(error: WorkbenchError, file: string, text: string): Diagnostic {
  const lines = text.split('\n')
  let line = Math.min(error.line ?? 0, lines.length)
  while (line > 1 && (lines[line - 1] ?? '').trim() === '') line -= 1
  const isMoved = line !== error.line
  const column = isMoved
    ? Math.max(1, (lines[line - 1] ?? '').trimEnd().length)
    : (error.column ?? 0)
  const detail = error.detail ?? ''
  const end = isMoved || column === 0 ? undefined : endColumn(detail)
  const { message, notes } = shortened(error.message)
  const nowhere = { severity: 'note', file: '', line: 0, column: 0 } as const
  return {
    severity: 'error',
    file,
    line,
    column,
    ...(end === undefined || end <= column ? {} : { endLine: line, endColumn: end }),
    message: message
      .replace(/'newline'/g, 'the end of the line')
      .replace(/'eof'/g, 'the end of the program'),
    source: 'torchscript',
    code: '',
    notes: [
      ...notes.map((note) => ({ ...nowhere, message: note })),
      ...callers(detail, file),
      ...(error.hint === undefined ? [] : [{ ...nowhere, message: error.hint }]),
    ],
    ...(detail === '' ? {} : { raw: detail }),
  }
}
