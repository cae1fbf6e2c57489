import { code, markdownPage, markdownTable } from '../lib/markdown.mjs'

export const file = 'docs/reference/errors.md'

export async function write(load) {
  const { errorCodes } = await load('electron/contract/error-codes.ts')
  const { exitCodes, exitMeanings } = await load('electron/cli/exit-codes.ts')
  return markdownPage(
    '# Exit codes and errors',
    '## Exit codes',
    'Every verb of `opsmith` ends with one of these exit codes.',
    markdownTable(
      ['exit code', 'meaning'],
      Object.entries(exitCodes).map(([name, number]) => [code(String(number)), exitMeanings[name]]),
    ),
    'If a signal ends a verb, the exit code is 128 plus the number of the signal, as in a shell. For Ctrl+C, it is 130.',
    '## Error codes',
    'An error says why Opsmith could not do what you asked for. The window links its errors to this page. With `--json` an error is `{"ok": false, "error": {"code", "message", "hint", …}}`.',
    ...Object.entries(errorCodes).flatMap(([name, { meaning, remedy }]) => [
      `### ${name}`,
      meaning,
      `**What to do:** ${remedy}`,
    ]),
  )
}
