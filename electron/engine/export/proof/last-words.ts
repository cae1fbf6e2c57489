/** The line that names the exception of the last traceback of Python's in a log, without what it is indented by. */
function lastException(lines: readonly string[]): string | undefined {
  const indentOf = (line: string): number => line.length - line.trimStart().length
  const start = lines.findLastIndex((line) => line.trim() === 'Traceback (most recent call last):')
  if (start < 0) return undefined
  const indent = indentOf(lines[start] ?? '')
  // Frames are indented further; the exception stands where the traceback began.
  return lines
    .slice(start + 1)
    .find((line) => line.trim() !== '' && indentOf(line) <= indent)
    ?.trim()
}

/** The line of a log that says most likely what went wrong, at most 300 characters of it. */
export function lastWords(log: string): string {
  const raw = log.split('\n')
  const lines = raw.map((line) => line.trim()).filter((line) => line !== '')
  // What a compiler found first; what a Python program ended by; else what was said last.
  const telling =
    lines.find((line) => /^\S+:\d+(:\d+)?: (fatal )?error: /.test(line)) ??
    lines.find((line) => /\b(undefined reference|undefined symbol|CMake Error)\b/.test(line)) ??
    lastException(raw) ??
    lines.findLast((line) => /\b(Error|FAILED|error)\b/.test(line))
  return (telling ?? lines.at(-1) ?? '').slice(0, 300)
}
