import { markdownPage, markdownTable } from '../lib/markdown.mjs'

export const file = 'docs/reference/lints.md'

export async function write(load) {
  const { lints } = await load('electron/engine/language/lints/all-lints.ts')
  return markdownPage(
    '# Lints',
    '`opsmith lint PROJECT` and every build report these mistakes, which no compiler reports. A comment silences a lint on its own line or on the next one: `// opsmith-ignore: CODE`. `"lints": { "CODE": false }` in opsmith.json switches it off for the project.',
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
