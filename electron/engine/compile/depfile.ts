/** The files that a Makefile rule written by `-MD` names after its target; escaped blanks and continuations undone. */
export function parseDepfile(text: string): string[] {
  const rule = text.replace(/\\\r?\n/g, ' ')
  const colon = /:(?=\s|$)/.exec(rule)
  if (!colon) return []
  const first = rule.slice(colon.index + 1).split('\n')[0] ?? ''
  return [...first.matchAll(/(?:\\[\s#\\]|\$\$|[^\s\\]|\\(?![\s#\\]))+/g)].map(([word]) =>
    word.replace(/\\([\s#\\])/g, '$1').replace(/\$\$/g, '$'),
  )
}
