import type { KernelResources } from '../../contract/build'
import type { Diagnostic } from '../../contract/diagnostics'
import { parseCompilerOutput, resolveFile } from './diagnostics'

/** `kernel.cu(12): error: text`, `kernel.cu(3): warning #177-D: text`, as nvcc's front end prints it. */
const frontEndLine = /^(.+?)\((\d+)\):\s*(error|warning|remark)(?:\s*#?([\w-]+))?\s*:\s*(.*)$/
const instantiation =
  /^\s+(?:detected during )?(instantiation of ".*") at line (\d+)(?: of "?([^"]+?)"?)?$/
/** `            function "f(int)" (declared at line 3)`: what the message goes on with. */
const continuation = /^ {12}(\S.*)$/
const assemblerLine = /^ptxas (?:\S+, line \d+; )?(error|fatal|warning)\s*: (.*)$/
const driverLine = /^nvcc (error|fatal|warning)\s*: (.*)$/

/** What its front end makes of the words that CUDA adds to C++, and shows in their place. */
const attributes: readonly [RegExp, string][] = [
  [/__attribute__\(\((global|device|host|shared|constant|managed)\)\)/g, '__$1__'],
  [/__attribute__\(\(launch_bounds\(/g, '__launch_bounds__(('],
]

/**
 * The column that nvcc's caret points at, by the line of the source: nvcc shows the line after the
 * preprocessor. 0 where the line before the caret is not what the source has.
 */
function columnAt(shown: string, caret: string, source: string | undefined): number {
  const mark = caret.indexOf('^')
  let before = shown.slice(2, mark)
  for (const [pattern, word] of attributes) before = before.replace(pattern, word)
  return source?.startsWith(before) === true ? before.length + 1 : 0
}

/**
 * Messages of one run of nvcc: of its front end, of the assembler for the GPU, and of the host's
 * compiler.
 *
 * @param folder where nvcc ran
 * @param file the source, absolute: what the assembler says is about a kernel of it
 * @param text of a file, or undefined: for columns, and for the lines of kernels
 */
export function parseNvccOutput(
  output: string,
  folder: string,
  file: string,
  textOf: (file: string) => string | undefined,
): Diagnostic[] {
  const diagnostics: Diagnostic[] = []
  const others: string[] = []
  const lines = output.split(/\r?\n/)
  let open: Diagnostic | undefined
  let shown = ''
  for (const [index, line] of lines.entries()) {
    const front = frontEndLine.exec(line)
    if (front) {
      open = {
        severity: front[3] === 'error' ? 'error' : front[3] === 'warning' ? 'warning' : 'note',
        file: resolveFile(front[1] ?? '', folder),
        line: Number(front[2]),
        column: 0,
        message: front[5] ?? '',
        source: 'nvcc',
        code: front[4] ?? '',
        notes: [],
      }
      diagnostics.push(open)
      continue
    }
    if (open) {
      const during = instantiation.exec(line)
      if (during) {
        open.notes.push({
          severity: 'note',
          file: during[3] === undefined ? open.file : resolveFile(during[3], folder),
          line: Number(during[2]),
          column: 0,
          message: `in ${during[1] ?? ''}`,
        })
        continue
      }
      if (/^\s*\^\s*$/.test(line)) {
        const source = textOf(open.file)?.split('\n')[open.line - 1]
        open.column = columnAt(shown, line, source)
        continue
      }
      const more = continuation.exec(line)
      // The line of the source comes with a caret below it.
      if (more && !/^\s*\^\s*$/.test(lines[index + 1] ?? '')) {
        if (!/^detected during/.test(more[1] ?? '')) open.message += ` ${more[1] ?? ''}`
        continue
      }
      shown = line
      if (line === '') open = undefined
      continue
    }
    const machine = assemblerLine.exec(line) ?? driverLine.exec(line)
    if (machine) {
      const message = machine[2] ?? ''
      if (/aborted due to errors/.test(message)) continue
      const entry = /Entry function '(\w+)'/.exec(message)?.[1]
      diagnostics.push({
        severity: machine[1] === 'warning' ? 'warning' : 'error',
        ...(entry === undefined
          ? { file: line.startsWith('ptxas') ? file : '', line: 0 }
          : { file, line: kernelLine(textOf(file) ?? '', entry) }),
        column: 0,
        message,
        source: 'nvcc',
        code: '',
        notes: [],
      })
      continue
    }
    others.push(line)
  }
  return [...diagnostics, ...parseCompilerOutput(others.join('\n'), folder, 'nvcc')]
}

/** 1-based line of a kernel by its mangled name; 0 when the source does not name it. */
function kernelLine(text: string, mangled: string): number {
  const lines = text.split('\n')
  // Names stand in a mangled one after their length.
  const names = [...mangled.matchAll(/(\d+)([A-Za-z_]\w*)/g)].map((match) =>
    (match[2] ?? '').slice(0, Number(match[1])),
  )
  const name = names.find((one) => new RegExp(`__global__[^;{]*\\b${one}\\s*\\(`).test(text))
  if (name === undefined) return 0
  return lines.findIndex((line) => new RegExp(`\\b${name}\\s*\\(`).test(line)) + 1
}

/** What `-Xptxas -v` prints of a kernel: its name, its memory, its registers. */
const aboutKernel = /^(?:ptxas info\s*:|\s+\d+ bytes stack frame)/

/**
 * Leaves the lines about kernels out of a text that comes in parts: large sources have thousands of them, and
 * parseKernelResources() makes a table of what they say. A line whose end has not come yet is kept for the next part,
 * unless it cannot be one of them.
 */
export function withoutKernelLines(): (text: string) => string {
  let held = ''
  return (text) => {
    const lines = (held + text).split('\n')
    const last = lines.pop() ?? ''
    const mayBeKernel = /^(?:\s|p|$)/.test(last)
    held = mayBeKernel ? last : ''
    const kept = lines.filter((line) => !aboutKernel.test(line)).map((line) => `${line}\n`)
    return kept.join('') + (mayBeKernel ? '' : last)
  }
}

/** "414 kernels, 12 to 255 registers, 3 with spills" */
export function describeKernels(kernels: readonly KernelResources[]): string {
  const registers = kernels.map((one) => one.registers)
  const [least, most] = [Math.min(...registers), Math.max(...registers)]
  const range = least === most ? `${most}` : `${least} to ${most}`
  const spilling = kernels.filter((one) => one.spillStoreBytes + one.spillLoadBytes > 0).length
  const spills = spilling === 0 ? 'no spills' : `${spilling} with spills`
  return `${kernels.length} ${kernels.length === 1 ? 'kernel' : 'kernels'}, ${range} registers, ${spills}`
}

/** As the assembler prints them: with the mangled name alone. */
type ParsedResources = Omit<KernelResources, 'shortName'>

const places: readonly [keyof ParsedResources, RegExp][] = [
  ['stackBytes', /(\d+) bytes stack frame/],
  ['spillStoreBytes', /(\d+) bytes spill stores/],
  ['spillLoadBytes', /(\d+) bytes spill loads/],
  ['registers', /Used (\d+) registers/],
  ['sharedBytes', /(\d+) bytes smem/],
]

/** What each kernel takes of the GPU, by `-Xptxas -v`, in the order of the assembler; names mangled. */
export function parseKernelResources(output: string): ParsedResources[] {
  const kernels: ParsedResources[] = []
  let current: ParsedResources | undefined
  let isKernel = false
  for (const line of output.split(/\r?\n/)) {
    const entry = /^ptxas info\s*: Compiling entry function '(\w+)' for 'sm_(\w+)'/.exec(line)
    if (entry) {
      current = {
        name: entry[1] ?? '',
        architecture: entry[2] ?? '',
        registers: 0,
        sharedBytes: 0,
        stackBytes: 0,
        spillStoreBytes: 0,
        spillLoadBytes: 0,
      }
      kernels.push(current)
      continue
    }
    // Device functions that are not inlined have properties too; those are no kernel's.
    if (/^ptxas info\s*: Function properties for /.test(line)) {
      isKernel = current !== undefined && line.endsWith(` ${current.name}`)
      continue
    }
    if (!current || (!isKernel && / stack frame/.test(line))) continue
    for (const [key, pattern] of places) {
      const found = pattern.exec(line)?.[1]
      if (found !== undefined) Object.assign(current, { [key]: Number(found) })
    }
    if (/Used \d+ registers/.test(line)) current = undefined
  }
  return kernels
}
