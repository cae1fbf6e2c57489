import { code, markdownPage, markdownTable } from '../lib/markdown.mjs'

export const file = 'docs/reference/errors.md'

export async function write(load) {
  const { errorCodes } = await load('electron/contract/error-codes.ts')
  const { exitCodes, exitMeanings } = await load('electron/cli/exit-codes.ts')
  return markdownPage(
    '# Exit codes and errors',
    '## Exit codes',
    'Every verb of `opsmith` ends with one of these.',
    markdownTable(
      ['exit code', 'meaning'],
      Object.entries(exitCodes).map(([name, number]) => [code(String(number)), exitMeanings[name]]),
    ),
    'A verb that a signal ends has the exit code 128 plus the number of the signal, as in a shell: 130 for Ctrl+C.',
    '## Error codes',
    'An error says why a question has no answer. The window links its errors to this page. With `--json` an error is `{"ok": false, "error": {"code", "message", "hint", …}}`.',
    ...Object.entries(errorCodes).flatMap(([name, { meaning, remedy }]) => [
      `### ${name}`,
      meaning,
      `**What to do:** ${remedy}`,
    ]),
  )
}
