import { markdownPage, markdownTable } from '../lib/markdown.mjs'

export const file = 'docs/reference/lints.md'

export async function write(load) {
  const { lints } = await load('electron/engine/language/lints/all-lints.ts')
  return markdownPage(
    '# Lints',
    '`opsmith lint PROJECT` and every build report these mistakes, which no compiler reports. The comment `// opsmith-ignore: CODE` silences a lint on the line of the comment. If the line has only the comment, it silences the lint on the next line. `"lints": { "CODE": false }` in opsmith.json switches a lint off for the project.',
    markdownTable(
      ['lint', 'finding'],
      lints.map(({ code, documentation }) => [
        `[${code}](#${code})`,
        documentation.split('\n\n')[0].replaceAll('\n', ' '),
      ]),
    ),
    ...lints.flatMap(({ code, documentation }) => [`## ${code}`, documentation]),
  )
}
