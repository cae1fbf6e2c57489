import path from 'node:path'

import type { Diagnostic } from '../../contract/diagnostics'
import type { Workbench } from '../../engine/workbench'
import { exitCodes } from '../exit-codes'
import { flag, jsonFlag } from '../options'
import type { OptionValues } from '../options'
import { describeDiagnostic, printError, printJson, printLines, progress } from '../print'
import { defineVerb, projectArgument } from '../verb'

const lintOptions = {
  fix: flag('apply the automatic fixes to the files'),
  json: jsonFlag,
}

/** The exit code is 1 when something was found and is not fixed. */
async function runLint(
  workbench: Workbench,
  folder: string,
  { json, fix }: OptionValues<typeof lintOptions>,
): Promise<number> {
  const result = fix ? await workbench.lints.fix(folder) : await workbench.lints.lint(folder)
  if (!result.ok) return printError(result.error, json)
  const found: Diagnostic[] = Array.isArray(result.value) ? result.value : result.value.left
  const changed = Array.isArray(result.value) ? [] : result.value.changed
  if (json) printJson({ ok: found.length === 0, changed, diagnostics: found })
  else {
    for (const file of changed) progress(`fixed ${path.relative(process.cwd(), file)}`)
    printLines(found.map((one) => describeDiagnostic(one)))
    const fixable = found.filter((one) => one.fixes).length
    progress(
      found.length === 0
        ? 'no findings'
        : `${found.length} finding${found.length === 1 ? '' : 's'}${fixable > 0 && !fix ? `; --fix can fix ${fixable}` : ''}`,
    )
  }
  return found.length === 0 ? exitCodes.good : exitCodes.failed
}

export const verb = defineVerb({
  name: 'lint',
  order: 4,
  description: 'check the sources of operators for mistakes that compilers do not report',
  argument: projectArgument,
  options: lintOptions,
  notes: [
    'Exit code 1: at least one finding is not fixed. CODE is the name of a lint, such as opsmith-launch-stream. The comment\n// opsmith-ignore: CODE silences the lint on the line of the comment. If the line has only the comment, it silences the\nlint on the next line. "lints": { "CODE": false } in opsmith.json switches the lint off for the project.',
  ],
  run: runLint,
})
