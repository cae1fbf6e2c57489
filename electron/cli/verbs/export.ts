import path from 'node:path'

import type { ConflictDecision, ExportReport, ExportStep, FormReport } from '../../contract/export'
import { manifestFileName } from '../../contract/manifest'
import type { Manifest } from '../../contract/manifest'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { formIds, formsNamed } from '../../engine/project-export/all-forms'
import { readManifest } from '../../engine/project/read-manifest'
import type { Workbench } from '../../engine/workbench'
import { interruptSignal } from '../interrupt'
import { exitCodes } from '../exit-codes'
import { flag, jsonFlag, optionalTexts, switchOff, text, wordsOf } from '../options'
import type { OptionValues } from '../options'
import { callerPath, describeError, printError, printJson, printLines, progress } from '../print'
import { defineVerb, projectArgument, refuse } from '../verb'

const exportOptions = {
  as: text(
    '<forms>',
    'forms to export, separated by commas; without this option, the exports of opsmith.json',
  ),
  out: text('<folder>', 'folder to write to; each form gets a subfolder with its name'),
  proof: switchOff('write the files without building and running them'),
  list: flag('list the forms, and say why a form is not possible for this project'),
  diff: flag('show what would change in an earlier export; exit code 1 if something would change'),
  keep: optionalTexts(
    '[files...]',
    'do not overwrite these files that you edited, each as FORM/PATH, such as addon/index.js; without a file, keep every edited file',
  ),
  overwrite: optionalTexts(
    '[files...]',
    'overwrite these files that you edited, each as FORM/PATH, such as addon/index.js; without a file, overwrite every edited file',
  ),
  json: jsonFlag,
}
type ExportOptions = OptionValues<typeof exportOptions>

/** The forms of --as, else those of opsmith.json. */
function formsOf(given: string | undefined, manifest: Manifest): Result<string[]> {
  const names = given === undefined ? manifest.exports : wordsOf([given])
  const ids = names.filter((name) => name !== '')
  if (ids.length === 0) {
    return err(
      'request.invalid',
      'Choose the forms to export: --as FORM[,FORM…], or "exports" in opsmith.json.',
      { hint: `Forms: ${formIds.join(', ')}.` },
    )
  }
  const known = formsNamed(ids)
  return known.ok ? ok(known.value.map(({ id }) => id)) : known
}

/** --keep and --overwrite: files by path, or without any, all. */
function decisionsOf(given: ExportOptions): Record<string, ConflictDecision> {
  const decisions: Record<string, ConflictDecision> = {}
  for (const decision of ['keep', 'overwrite'] as const) {
    const named = given[decision]
    if (named === undefined) continue
    for (const name of named === true ? ['*'] : named) decisions[name] = decision
  }
  return decisions
}

function stepLine({ name, status, reason, seconds }: ExportStep): string {
  const state = status === 'ok' ? `${seconds.toFixed(1)} s` : reason
  return `  ${status === 'ok' ? 'ok     ' : status === 'failed' ? 'FAILED ' : 'skipped'} ${name}: ${state}`
}

/** Steps that this machine has no tool for: they did not fail, and nothing was proven by them. */
const untriedOf = ({ steps }: FormReport): ExportStep[] =>
  steps.filter((step) => step.status === 'skipped')

function untriedText(report: FormReport): string {
  const { length } = untriedOf(report)
  return length === 0 ? '' : `, ${length} ${length === 1 ? 'step' : 'steps'} not tried`
}

function formLines(report: FormReport): string[] {
  const { form, directory, steps, products, error } = report
  const lines = [
    `${report.ok ? 'ok    ' : 'FAILED'} ${form}${directory === '' ? '' : `: ${directory}`}${untriedText(report)}`,
  ]
  if (error)
    lines.push(
      ...describeError(error)
        .split('\n')
        .map((line) => `  ${line}`),
    )
  for (const step of steps) {
    lines.push(stepLine(step))
    if (step.status !== 'failed') continue
    lines.push(
      ...step.log
        .trimEnd()
        .split('\n')
        .slice(-30)
        .map((line) => `    ${line}`),
    )
  }
  lines.push(...products.map((name) => `  built   ${path.join(directory, name)}`))
  return lines
}

/**
 * The published form. `ok` of a step says that it did not fail; `status` whether it was made at all:
 * "skipped" is one that was not, `reason` says why, and the form's `untried` lists them.
 */
function exportJson(report: ExportReport): object {
  return {
    ok: report.ok,
    forms: report.forms.map((one) => ({
      form: one.form,
      ok: one.ok,
      directory: one.directory,
      untried: untriedOf(one).map(({ name, reason }) => `${name}: ${reason}`),
      steps: one.steps.map(({ name, status, reason, seconds, log }) => ({
        name,
        ok: status !== 'failed',
        status,
        seconds,
        log,
        ...(reason === '' ? {} : { reason }),
      })),
      files: one.files,
      products: one.products,
      ...(one.abi ? { abi: one.abi } : {}),
      ...(one.error ? { error: one.error } : {}),
    })),
  }
}

async function listForms(workbench: Workbench, folder: string, json: boolean): Promise<number> {
  const choices = await workbench.exports.forms(folder)
  if (!choices.ok) return printError(choices.error, json)
  if (json) {
    printJson({ ok: true, forms: choices.value })
    return exitCodes.good
  }
  for (const { form, possible, reason, hint, obstacles, untried } of choices.value) {
    printLines([
      possible ? form : `${form}: not possible: ${reason}`,
      ...(hint === '' ? [] : [`  → ${hint}`]),
      ...obstacles.map(({ file, line, message }) => `  ${file}:${line}: ${message}`),
      ...untried.map((why) => `  only part of the proof can run: ${why}`),
    ])
  }
  return exitCodes.good
}

async function showDiff(
  workbench: Workbench,
  folder: string,
  request: { forms: string[]; directory: string },
  json: boolean,
): Promise<number> {
  const diffs = await workbench.exports.diff(folder, request, { signal: interruptSignal() })
  if (!diffs.ok) return printError(diffs.error, json)
  const differs = diffs.value.some(
    ({ files, error }) => error !== undefined || files.some((file) => file.change !== 'same'),
  )
  if (json) printJson({ ok: !differs, forms: diffs.value })
  else {
    for (const { directory, files, error } of diffs.value) {
      if (error) printLines([`${directory}: ${describeError(error)}`])
      for (const file of files) {
        if (file.change === 'same') continue
        const byHand = file.byHand
          ? '; it was changed by hand, so choose --keep or --overwrite'
          : ''
        const effect = { added: 'add', changed: 'change', removed: 'remove' }[file.change]
        printLines([
          `${path.join(directory, file.path)}: the export would ${effect} this file${byHand}`,
        ])
        if (file.diff !== '') printLines([file.diff.trimEnd()])
      }
    }
    if (!differs) printLines(['nothing would change'])
  }
  return differs ? exitCodes.failed : exitCodes.good
}

/** `opsmith export`: writes forms of a project, each with the proof that it builds and runs. */
async function runExport(
  workbench: Workbench,
  named: string,
  given: ExportOptions,
): Promise<number> {
  const { json } = given
  const folder = path.basename(named) === manifestFileName ? path.dirname(named) : named
  if (given.list) return await listForms(workbench, folder, json)
  const manifest = await readManifest(folder)
  if (!manifest.ok) return printError(manifest.error, json)
  const forms = formsOf(given.as, manifest.value)
  if (!forms.ok) return printError(forms.error, json)
  if (given.out === undefined || given.out === '') {
    return refuse('Choose the folder to export to: --out DIR.', json)
  }
  const directory = callerPath(given.out)
  const request = { forms: forms.value, directory }
  if (given.diff) return await showDiff(workbench, folder, request, json)
  const report = await workbench.exports.run(
    folder,
    { ...request, proof: given.proof, decisions: decisionsOf(given) },
    {
      signal: interruptSignal(),
      onProgress: ({ form, running, step }) => {
        if (running !== '') progress(`${form}: ${running} …`)
        else if (step) progress(`${form}: ${stepLine(step).trim()}`)
      },
    },
  )
  if (!report.ok) return printError(report.error, json)
  if (json) printJson(exportJson(report.value))
  else printLines(report.value.forms.flatMap(formLines))
  // What could be tried and failed is an answer; a form that could not be written is none.
  if (report.value.ok) return exitCodes.good
  return report.value.forms.every(({ error }) => error) ? exitCodes.noAnswer : exitCodes.failed
}

export const verb = defineVerb({
  name: 'export',
  order: 12,
  description:
    'build, export the project in one or more forms, and prove that the exports build and run',
  argument: projectArgument,
  options: exportOptions,
  notes: [`Forms: ${formIds.join(', ')}.`],
  runsOperators: true,
  run: runExport,
})
