import type { Diagnostic, TextEdit } from '../../../contract/diagnostics'

/** Offset of a 1-based place; what lies beyond a line's end is the line's end. */
function offsetOf(text: string, line: number, column: number): number {
  let start = 0
  for (let at = 1; at < line; at += 1) {
    const next = text.indexOf('\n', start)
    if (next < 0) return text.length
    start = next + 1
  }
  return Math.min(start + column - 1, text.length)
}

interface Span {
  start: number
  end: number
  text: string
}

function spanOf(text: string, edit: TextEdit): Span {
  return {
    start: offsetOf(text, edit.line, edit.column),
    end: offsetOf(text, edit.endLine, edit.endColumn),
    text: edit.text,
  }
}

const touches = (a: Span, b: Span): boolean => a.start <= b.end && b.start <= a.end

/**
 * Makes the first fix of as many diagnostics as can be mended together: of two whose edits touch, the
 * first. What is left over is found again in the new texts.
 * @returns the texts that changed, by file
 */
export function applyFixes(
  diagnostics: readonly Diagnostic[],
  texts: ReadonlyMap<string, string>,
): Map<string, string> {
  const chosen = new Map<string, Span[]>()
  for (const { fixes } of diagnostics) {
    const edits = fixes?.[0]?.edits ?? []
    const spans = edits.map((edit): [string, Span] | undefined => {
      const text = texts.get(edit.file)
      if (text === undefined) return undefined
      const span = spanOf(text, edit)
      const fits = edit.before === undefined || text.slice(span.start, span.end) === edit.before
      return fits ? [edit.file, span] : undefined
    })
    const isFree = spans.every(
      (one) => one && !(chosen.get(one[0]) ?? []).some((other) => touches(one[1], other)),
    )
    if (!isFree) continue
    for (const one of spans) {
      if (one) chosen.set(one[0], [...(chosen.get(one[0]) ?? []), one[1]])
    }
  }
  const changed = new Map<string, string>()
  for (const [file, spans] of chosen) {
    let text = texts.get(file) ?? ''
    for (const span of spans.sort((a, b) => b.start - a.start)) {
      text = text.slice(0, span.start) + span.text + text.slice(span.end)
    }
    changed.set(file, text)
  }
  return changed
}
