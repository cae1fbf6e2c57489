import { diffLines } from '../diff-lines'
import type { DiffLine } from '../diff-lines'

/** Lines around a change that are shown with it. */
const context = 3
/** Changes with the lines around them; those whose surroundings touch are one. */
function hunksOf(lines: readonly DiffLine[]): { start: number; end: number }[] {
  const hunks: { start: number; end: number }[] = []
  for (const [place, { sign }] of lines.entries()) {
    if (sign === ' ') continue
    const start = Math.max(0, place - context)
    const end = Math.min(lines.length, place + context + 1)
    const last = hunks.at(-1)
    if (last && start <= last.end) last.end = end
    else hunks.push({ start, end })
  }
  return hunks
}

const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'))

function diffOfFile(name: string, before: string | undefined, after: string | undefined): string {
  const lines = diffLines(linesOf(before ?? ''), linesOf(after ?? ''))
  const hunks = hunksOf(lines)
  const text = [
    `--- ${before === undefined ? '/dev/null' : `a/${name}`}`,
    `+++ ${after === undefined ? '/dev/null' : `b/${name}`}`,
  ]
  let oldLine = 1
  let newLine = 1
  let place = 0
  for (const { start, end } of hunks) {
    for (; place < start; place += 1) {
      oldLine += 1
      newLine += 1
    }
    const shown = lines.slice(start, end)
    const olds = shown.filter(({ sign }) => sign !== '+').length
    const news = shown.filter(({ sign }) => sign !== '-').length
    const range = (line: number, count: number): string =>
      `${count === 0 ? line - 1 : line}${count === 1 ? '' : `,${count}`}`
    text.push(`@@ -${range(oldLine, olds)} +${range(newLine, news)} @@`)
    text.push(...shown.map(({ sign, text: line }) => `${sign}${line}`))
    oldLine += olds
    newLine += news
    place = end
  }
  return text.join('\n')
}

/** Unified diff of two sets of files by their paths; "" when they are the same. */
export function sourceDiff(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): string {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((name) => before[name] !== after[name])
    .sort()
    .map((name) => `${diffOfFile(name, before[name], after[name])}\n`)
    .join('')
}
