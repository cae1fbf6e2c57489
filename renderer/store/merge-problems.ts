import type { Diagnostic } from '../../electron/contract/diagnostics'

/** The words of a message without what the two programs put around them. */
function meaning(message: string): string {
  return message
    .toLowerCase()
    .replace(/^in included file: /, '')
    .replace(/[‘’'"`]/g, '')
    .replace(/; did you mean .*$/s, '')
    .replace(/\s+/g, ' ')
    .trim()
}

/** Two messages about one thing: the same line, as grave, and the same column, flag or words. */
export function saysTheSame(a: Diagnostic, b: Diagnostic): boolean {
  if (a.file !== b.file || a.line !== b.line || a.severity !== b.severity) return false
  if (a.column > 0 && a.column === b.column) return true
  if (a.code !== '' && a.code === b.code) return true
  const words = [a.message, a.raw ?? '', b.message, b.raw ?? ''].map(meaning)
  const [ours = '', oursRaw = '', theirs = '', theirsRaw = ''] = words
  return (
    ours.includes(theirs) ||
    theirs.includes(ours) ||
    (oursRaw !== '' && oursRaw.includes(theirs)) ||
    (theirsRaw !== '' && theirsRaw.includes(ours))
  )
}

/** The compiler's message, with the fixes and the end that clangd knows of the same thing. */
function enriched(built: Diagnostic, said: Diagnostic): Diagnostic {
  const { endLine, endColumn } = said
  const hasEnd = built.endLine !== undefined || built.column !== said.column
  return {
    ...built,
    ...(built.fixes === undefined && said.fixes !== undefined ? { fixes: said.fixes } : {}),
    ...(!hasEnd && endLine !== undefined && endColumn !== undefined ? { endLine, endColumn } : {}),
  }
}

/**
 * What the compiler and clangd say as one list. Of a file whose text is as it was built the compiler's
 * word counts, and clangd adds what it alone says: no errors, where the compiler found none. Of a file
 * that was edited since, what the compiler said is about another text: clangd's stands in its place.
 * @param said by absolute file; files that clangd says nothing of keep the compiler's messages
 */
export function mergeProblems(
  built: readonly Diagnostic[],
  said: Readonly<Record<string, readonly Diagnostic[]>>,
  context: { good: boolean; isAsBuilt: (file: string) => boolean },
): Diagnostic[] {
  const used = new Set<Diagnostic>()
  const merged = built
    .filter((one) => said[one.file] === undefined || context.isAsBuilt(one.file))
    .map((one) => {
      const twins = (said[one.file] ?? []).filter((other) => saysTheSame(one, other))
      for (const twin of twins) used.add(twin)
      return twins[0] ? enriched(one, twins[0]) : one
    })
  for (const [file, diagnostics] of Object.entries(said)) {
    const asBuilt = context.isAsBuilt(file)
    merged.push(
      ...diagnostics.filter(
        (one) => !used.has(one) && !(asBuilt && context.good && one.severity === 'error'),
      ),
    )
  }
  return merged
}
