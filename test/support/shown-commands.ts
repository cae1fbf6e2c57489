import { spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

/**
 * The commands of a document, with what it shows that they print. In Markdown:
 *   ```console       lines that begin with "$ " are commands, the lines below are what they print; "…" is any lines
 *   <!-- file: N --> the block that follows is written to the file N
 *   <!-- edit: N --> the diff that follows is applied to the file N
 *   <!-- needs: T --> the block that follows is run where the tool T is on PATH
 */
export type Step =
  | { kind: 'command'; command: string; shown: string[]; line: number; needs: string }
  | { kind: 'file'; file: string; text: string[]; line: number }
  | { kind: 'edit'; file: string; text: string[]; line: number }

const fence = /^```(\w*)/

function commandsOf(block: string[], line: number, needs: string): Step[] {
  const steps: (Step & { kind: 'command' })[] = []
  for (const [index, text] of block.entries()) {
    if (text.startsWith('$ '))
      steps.push({ kind: 'command', command: text.slice(2), shown: [], line: line + index, needs })
    else steps.at(-1)?.shown.push(text)
  }
  // An empty line before the next command is not printed by the last one.
  for (const { shown } of steps) while (shown.at(-1) === '') shown.pop()
  return steps
}

/** Every step of a document, in its order; lines count from 1. */
export function stepsOf(markdown: string): Step[] {
  const lines = markdown.split('\n')
  const steps: Step[] = []
  let note: { kind: string; value: string } | null = null
  for (let index = 0; index < lines.length; index++) {
    const text = lines[index] ?? ''
    const comment = /^<!-- (file|edit|needs): (\S+) -->$/.exec(text)
    if (comment) note = { kind: comment[1] ?? '', value: comment[2] ?? '' }
    const opening = fence.exec(text)
    if (!opening) continue
    const end = lines.indexOf('```', index + 1)
    const block = lines.slice(index + 1, end)
    const line = index + 2
    if (opening[1] === 'console')
      steps.push(...commandsOf(block, line, note?.kind === 'needs' ? note.value : ''))
    else if (note?.kind === 'file')
      steps.push({ kind: 'file', file: note.value, text: block, line })
    else if (note?.kind === 'edit')
      steps.push({ kind: 'edit', file: note.value, text: block, line })
    note = null
    index = end
  }
  return steps
}

/** Applies a diff without line numbers: what it removes must be in the file exactly once. */
export function applyDiff(text: string, diff: readonly string[]): string {
  const side = (sign: string): string =>
    diff
      .filter((line) => line.startsWith(' ') || line.startsWith(sign))
      .map((line) => line.slice(1))
      .join('\n')
  const [before, after] = [side('-'), side('+')]
  const parts = text.split(before)
  if (parts.length !== 2) throw new Error(`${parts.length - 1} places are like\n${before}`)
  return parts.join(after)
}

/** What differs from one machine, version or run to the next: times, versions, rounding, addresses. */
function withoutNoise(line: string): string {
  return line
    .replace(/: unchanged$/, ': 0 s')
    .replaceAll(/\b\d+(\.\d+)? ?(s|ms|µs|ns|KiB|MiB|bytes)\b/g, 'N $2')
    .replaceAll(/\b(clang|gcc|libtorch|pytest|torch) \d[\w.+-]*/g, '$1 V')
    .replaceAll(/\d+(\.\d+)?e[+-]?\d+/g, 'E')
    .replaceAll(/\d+\.\d{4,}/g, (number) => Number(number).toPrecision(3))
    .replaceAll(/\bsm_\d+/g, 'sm_N')
    .replaceAll(/\b\d+ registers/g, 'N registers')
    .replace(/^[\da-f]{4,16} /, 'ADDRESS ')
    .trimEnd()
}

/** A line of progress is shown when a step begins, and is followed by another when it ends. */
const isProgress = (line: string): boolean => line.endsWith(' …')

const comparable = (lines: readonly string[]): string[] =>
  lines.filter((line) => !isProgress(line)).map(withoutNoise)

function matches(actual: readonly string[], shown: readonly string[]): boolean {
  const [first, ...rest] = shown
  if (first === undefined) return actual.length === 0
  if (first === '…')
    return Array.from({ length: actual.length + 1 }, (_, from) => from).some((from) =>
      matches(actual.slice(from), rest),
    )
  return actual[0] === first && matches(actual.slice(1), rest)
}

/** Whether a command printed what the document shows. */
export function printsAsShown(printed: readonly string[], shown: readonly string[]): boolean {
  return matches(comparable(printed), comparable(shown))
}

/** A reader at a terminal: a folder, and the variables of their shell. */
export class Reader {
  private folder: string
  /** @param names folders of this machine, each with the name that documents give it; the longest first */
  constructor(
    private readonly home: string,
    private readonly environment: NodeJS.ProcessEnv,
    private readonly names: readonly (readonly [folder: string, name: string])[],
  ) {
    this.folder = home
  }

  write(file: string, lines: readonly string[]): void {
    const target = path.join(this.folder, file)
    fs.mkdirSync(path.dirname(target), { recursive: true })
    fs.writeFileSync(target, `${lines.join('\n')}\n`)
  }

  edit(file: string, diff: readonly string[]): void {
    const target = path.join(this.folder, file)
    fs.writeFileSync(target, applyDiff(fs.readFileSync(target, 'utf8'), diff))
  }

  /** Runs a command as a shell does; what it printed on both streams, with documents' names of folders. */
  async run(command: string): Promise<string[]> {
    const left = path.join(this.home, '.folder')
    const script = `${command}\npwd > ${JSON.stringify(left)}`
    const child = spawn('bash', ['-c', `exec 2>&1\n${script}`], {
      cwd: this.folder,
      env: this.environment,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let printed = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text
    })
    await new Promise((resolve) => child.once('close', resolve))
    this.folder = fs.readFileSync(left, 'utf8').trim()
    fs.rmSync(left)
    for (const [folder, name] of this.names) printed = printed.replaceAll(folder, name)
    const lines = printed.split('\n')
    if (lines.at(-1) === '') lines.pop()
    return lines
  }
}
