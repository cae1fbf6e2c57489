import path from 'node:path'

import type { Diagnostic } from '../contract/diagnostics'
import type { Workbench } from '../engine/workbench'
import { exitCodes } from './exit-codes'
import { describeDiagnostic, printError, printJson, printLines, progress } from './print'

interface LintOptions {
  json: boolean
  fix: boolean
}

/** The exit code is 1 when something was found and is not mended. */
export async function runLint(
  workbench: Workbench,
  folder: string,
  { json, fix }: LintOptions,
): Promise<number> {
  const result = fix ? await workbench.lints.fix(folder) : await workbench.lints.lint(folder)
  if (!result.ok) return printError(result.error, json)
  const found: Diagnostic[] = Array.isArray(result.value) ? result.value : result.value.left
  const changed = Array.isArray(result.value) ? [] : result.value.changed
  if (json) printJson({ ok: found.length === 0, changed, diagnostics: found })
  else {
    for (const file of changed) progress(`mended ${path.relative(process.cwd(), file)}`)
    printLines(found.map((one) => describeDiagnostic(one)))
    const fixable = found.filter((one) => one.fixes).length
    progress(
      found.length === 0
        ? 'nothing found'
        : `${found.length} found${fixable > 0 && !fix ? `, ${fixable} of which --fix can mend` : ''}`,
    )
  }
  return found.length === 0 ? exitCodes.good : exitCodes.failed
}
