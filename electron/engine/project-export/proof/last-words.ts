const isRule = (line: string): boolean => /^\s*([-=])\1{19,}\s*$/.test(line)

interface Ending {
  /** The line that names the exception. */
  exception: string
  /** What the message says beyond its first line. */
  more: string[]
  /** Where its traceback begins. */
  start: number
}

/** The exception of the last traceback of Python's in a log, without what it is indented by. */
function lastException(lines: readonly string[]): Ending | undefined {
  const indentOf = (line: string): number => line.length - line.trimStart().length
  const start = lines.findLastIndex((line) => line.trim() === 'Traceback (most recent call last):')
  if (start < 0) return undefined
  const indent = indentOf(lines[start] ?? '')
  // Frames are indented further; the exception stands where the traceback began.
  const after = lines.slice(start + 1)
  const at = after.findIndex((line) => line.trim() !== '' && indentOf(line) <= indent)
  if (at < 0) return undefined
  const rest = after.slice(at + 1)
  const end = rest.findIndex(isRule)
  return {
    exception: (after[at] ?? '').trim(),
    more: (end < 0 ? [] : rest.slice(0, end))
      .map((line) => line.trim())
      .filter((one) => one !== ''),
    start,
  }
}

/** Of Python's unittest: which test ended so, what it is called, how many others did. */
function failedTest(lines: readonly string[], start: number): { name: string; others: number } {
  const heads = lines.flatMap((line, index) => (/^(FAIL|ERROR): \S/.test(line) ? [index] : []))
  const at = heads.findLast((index) => index < start)
  if (at === undefined) return { name: '', others: 0 }
  const test = /^\w+: (\S+)/.exec(lines[at] ?? '')?.[1] ?? ''
  const said = lines.slice(at + 1, start).find((line) => line.trim() !== '')
  const name = said === undefined || isRule(said) ? test : `${test}, ${said.trim()}`
  return { name: `${name}: `, others: heads.length - 1 }
}

function pythonWords(lines: readonly string[]): string | undefined {
  const ending = lastException(lines)
  if (!ending) return undefined
  const { name, others } = failedTest(lines, ending.start)
  // Numbers of whole tensors are for the log.
  const tensors = ending.more.findIndex((line) => /tensor\(|^\[/.test(line))
  const more = name === '' ? [] : ending.more.slice(0, tensors < 0 ? 2 : Math.min(tensors, 2))
  const said = [`${name}${ending.exception}`, ...more].join(' ').slice(0, 300)
  return others > 0 ? `${said} (other failed tests: ${others})` : said
}

/** The line of a log that says most likely what went wrong, some 300 characters of it. */
export function lastWords(log: string): string {
  const raw = log.split('\n')
  const lines = raw.map((line) => line.trim()).filter((line) => line !== '')
  // What a compiler found first; what a Python program ended by; else what was said last.
  const telling =
    lines.find((line) => /^\S+:\d+(:\d+)?: (fatal )?error: /.test(line)) ??
    lines.find((line) => /\b(undefined reference|undefined symbol|CMake Error)\b/.test(line))
  if (telling !== undefined) return telling.slice(0, 300)
  return (
    pythonWords(raw) ??
    (lines.findLast((line) => /\b(Error|FAILED|error)\b/.test(line)) ?? lines.at(-1) ?? '').slice(
      0,
      300,
    )
  )
}
