import path from 'node:path'

import type { ConflictDecision, ExportRequest } from '../../../contract/export'
import { manifestFileName } from '../../../contract/manifest'
import type { Manifest } from '../../../contract/manifest'
import { err, ok } from '../../../contract/outcome'
import type { Result } from '../../../contract/outcome'
import { ownCommand } from '../../../engine/installation'
import { formIds, formsNamed } from '../../../engine/project-export/all-forms'
import { readWheelPythons } from '../../../engine/project-export/wheel-pythons'
import { shardsOfWheels } from '../../../engine/project-export/wheel-shards'
import { readManifest } from '../../../engine/project/read-manifest'
import { readSettings } from '../../../engine/project/settings-file'
import type { Workbench } from '../../../engine/workbench'
import { interruptSignal } from '../../interrupt'
import { exitCodes } from '../../exit-codes'
import { flag, jsonFlag, optionalTexts, switchOff, text, texts, wordsOf } from '../../options'
import type { OptionValues } from '../../options'
import { callerPath, describeError, printError, printJson, printLines, progress } from '../../print'
import {
  detach,
  jobs,
  over,
  plainAnswer,
  readSpread,
  refusedWithOver,
  runFolder,
} from '../../shards/options'
import type { Spread } from '../../shards/options'
import { spreadOver } from '../../shards/spread'
import { defineVerb, projectArgument, refuse } from '../../verb'
import { exportJson, formLines, stepLine } from './text'

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
  python: texts(
    '<python...>',
    'with --as setuptools: build a wheel for the torch of each of these Pythons, test the wheel with that Python, and keep the wheel in dist/torch-VERSION (default: one wheel, for the libtorch of the project)',
  ),
  over,
  jobs,
  detach,
  runFolder,
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

/** --python: paths, or names of programs on PATH. */
function pythonsOf(given: readonly string[] | undefined): string[] {
  return (
    wordsOf(given ?? [])
      .filter((word) => word !== '')
      // A shell does not expand ~ in quotes. The engine does.
      .map((word) => (word.includes(path.sep) && !word.startsWith('~/') ? callerPath(word) : word))
  )
}

const nameEach = 'Name a Python for each torch: --as setuptools --python PYTHON…'

/** An error if options contradict each other. */
function refusedTogether(given: ExportOptions): Result<null> {
  if (given.over !== undefined && given.python === undefined)
    return err('request.invalid', '--over needs --python: each worker builds a wheel.', {
      hint: nameEach,
    })
  if (given.python !== undefined && pythonsOf(given.python).length === 0)
    return err('request.invalid', '--python names no Python.', { hint: nameEach })
  if (given.python !== undefined && !given.proof)
    return err('request.invalid', '--python cannot be given together with --no-proof.', {
      hint: 'The proof builds the wheels.',
    })
  const refused = refusedWithOver(given, ['list', 'diff'])
  if (!refused.ok || given.python === undefined) return refused
  const alone = given.list ? '--list' : given.diff ? '--diff' : ''
  return alone === ''
    ? ok(null)
    : err('request.invalid', `--python cannot be given together with ${alone}.`)
}

/** Writes the export here, and has a wheel for each Python built and tested by workers. */
async function spreadWheels(
  workbench: Workbench,
  spread: Spread,
  { folder, request, json }: { folder: string; request: ExportRequest; json: boolean },
): Promise<number> {
  const forms = formsNamed(request.forms)
  if (!forms.ok) return printError(forms.error, json)
  const [form, ...others] = forms.value
  if (!form?.wheelPerTorch || others.length > 0)
    return refuse('--over builds wheels only: export the form setuptools alone, with --as.', json)
  const pythons = await readWheelPythons(request.pythons)
  if (!pythons.ok) return printError(pythons.error, json)
  const written = await workbench.exports.run(
    folder,
    // The workers prove it, each with its Python.
    { ...request, proof: false, pythons: [] },
    { signal: interruptSignal() },
  )
  if (!written.ok) return printError(written.error, json)
  const [error] = written.value.forms.flatMap((one) => (one.error ? [one.error] : []))
  if (error) return printError(error, json)
  return await spreadOver(workbench, spread, {
    verb: 'export',
    title: `export ${path.basename(folder)}`,
    project: folder,
    shards: shardsOfWheels(form.id, pythons.value, request.directory),
    answer: plainAnswer(json),
  })
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
  const together = refusedTogether(given)
  if (!together.ok) return printError(together.error, json)
  const { installation } = workbench
  const settings = await readSettings(installation.configFolder)
  const spread = readSpread(given, settings, ownCommand(installation))
  if (!spread.ok) return printError(spread.error, json)
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
  const wanted: ExportRequest = {
    ...request,
    proof: given.proof,
    decisions: decisionsOf(given),
    pythons: pythonsOf(given.python),
  }
  if (spread.value)
    return await spreadWheels(workbench, spread.value, { folder, request: wanted, json })
  const report = await workbench.exports.run(folder, wanted, {
    signal: interruptSignal(),
    onProgress: ({ form, running, step }) => {
      if (running !== '') progress(`${form}: ${running} …`)
      else if (step) progress(`${form}: ${stepLine(step).trim()}`)
    },
  })
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
