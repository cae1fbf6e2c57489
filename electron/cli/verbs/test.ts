import fs from 'node:fs'
import path from 'node:path'

import { manifestFileName } from '../../contract/manifest'
import { ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { isBadOutcome } from '../../contract/pytest'
import type { PytestOutcome, PytestReport, PytestTest } from '../../contract/pytest'
import { argumentsText, keptText, recordedCallList } from '../../contract/recorded-calls'
import type { RecordedCall, RecordedCallList } from '../../contract/recorded-calls'
import { findProjectFolder } from '../../engine/project/find-project'
import { manifestFileOf } from '../../engine/project/manifest-place'
import type { Workbench } from '../../engine/workbench'
import { buildToCheck } from '../checked-project'
import { exitCodes } from '../exit-codes'
import { interruptSignal } from '../interrupt'
import { flag, jsonFlag, names, number, text } from '../options'
import type { OptionValues } from '../options'
import { callerPath, printError, printJson, printLines, progress } from '../print'
import { defineVerb, refuse } from '../verb'

const testOptions = {
  list: flag('list the tests, and do not run them'),
  record: flag("list the calls that the tests make to the project's operators"),
  keep: names<RecordedCallList>(
    '<lists...>',
    'with --record, add the calls to these lists of opsmith.json (calls, gradchecks, checks or benchmarks)',
    recordedCallList.options,
  ),
  python: text(
    '<path>',
    'the Python that runs the tests (default: the Python of the active environment, else of .venv or venv in the project, else the first Python with torch)',
  ),
  timeout: number('<seconds>', 'time limit of all tests together', { least: 0, isAbove: true }),
  json: jsonFlag,
}

const hasManifest = (folder: string): boolean => fs.existsSync(manifestFileOf(folder))

/** A node id as pytest takes it from the project's folder: files that only the caller's folder has become absolute. */
function fromCaller(id: string, folder: string): string {
  const [file = ''] = id.split('::')
  const named = callerPath(file)
  const isElsewhere = !fs.existsSync(path.resolve(folder, file)) && fs.existsSync(named)
  return isElsewhere ? named + id.slice(file.length) : id
}

/** The first word is the project, or else a test of the project that the command is run in. */
async function readWords(
  first: string,
  more: readonly string[],
): Promise<Result<{ folder: string; ids: string[] }>> {
  const isProject = path.basename(first) === manifestFileName || hasManifest(first)
  const here = first === '' || !isProject ? await findProjectFolder(callerPath('.')) : ok('')
  if (!here.ok) return here
  if (first === '') return ok({ folder: here.value, ids: [] })
  if (isProject || !hasManifest(here.value)) {
    return ok({ folder: first, ids: more.map((id) => fromCaller(id, first)) })
  }
  // The word became an absolute path before it came here.
  const ids = [path.relative(here.value, first), ...more]
  return ok({ folder: here.value, ids: ids.map((id) => fromCaller(id, here.value)) })
}

const indented = (lines: string): string[] =>
  lines === '' ? [] : lines.split('\n').map((line) => `    ${line}`)

function testLines({ id, outcome, seconds, message, text: failure, output }: PytestTest): string[] {
  const time = outcome === 'none' ? '' : ` (${seconds.toFixed(2)} s)`
  const word = outcome === 'none' ? '' : `${outcome} `
  if (!isBadOutcome(outcome)) {
    const why = message === '' ? '' : `: ${message.split('\n')[0] ?? ''}`
    return [`${word}${id}${time}${why}`]
  }
  return [
    `${word}${id}${time}`,
    ...indented(failure === '' ? message : failure.trimEnd()),
    ...indented(output),
  ]
}

const order: readonly PytestOutcome[] = [
  'failed',
  'error',
  'crashed',
  'passed',
  'skipped',
  'xfailed',
  'xpassed',
  'none',
]

const countsOf = (tests: readonly PytestTest[]): [PytestOutcome, number][] =>
  order.flatMap((outcome): [PytestOutcome, number][] => {
    const count = tests.filter((one) => one.outcome === outcome).length
    return count === 0 ? [] : [[outcome, count]]
  })

/** "1 failed, 3 passed in 1.20 s". */
function summaryOf({ tests, seconds, ended }: PytestReport, onlyList: boolean): string[] {
  if (onlyList) return [`${tests.length} test${tests.length === 1 ? '' : 's'}`]
  const counts = countsOf(tests).map(
    ([outcome, count]) => `${count} ${outcome === 'none' ? 'not run' : outcome}`,
  )
  return [...(ended === '' ? [] : [ended]), `${counts.join(', ')} in ${seconds.toFixed(2)} s`]
}

/** Says what was tested: nothing of the project was replaced where its tests do not load its library. */
function testedLines({ python, pytest, torch, library, replaced }: PytestReport): string[] {
  const what =
    replaced.length > 0
      ? `used instead of ${replaced.join(', ')}`
      : 'loaded, but no test imported a Python module of the project'
  return [`${python}: pytest ${pytest}, torch ${torch}`, `${library}: ${what}`]
}

function callLines(call: RecordedCall): string[] {
  const { op, why, test } = call
  const text =
    why === '' ? `${op}(${argumentsText(call)})` : `${op}: opsmith.json cannot express ${why}`
  return [`  ${text}`, `    ${test}`]
}

const recordedLines = (calls: readonly RecordedCall[]): string[] => [
  calls.length === 0
    ? 'The tests called no operator of the project.'
    : `${calls.length} recorded call${calls.length === 1 ? '' : 's'}:`,
  ...calls.flatMap(callLines),
]

function reportJson(report: PytestReport): object {
  const counts = Object.fromEntries(countsOf(report.tests))
  return { ...report, counts }
}

/** `opsmith test`: the project's own pytest, with the library that is built instead of theirs. */
async function runTests(
  workbench: Workbench,
  first: string,
  { list, record, keep = [], python = '', timeout = 0, json }: OptionValues<typeof testOptions>,
  more: readonly string[],
): Promise<number> {
  if (keep.length > 0 && !record)
    return refuse(
      '--keep needs --record, because --keep adds the recorded calls to opsmith.json.',
      json,
    )
  if (list && record) return refuse('--list runs no test, so --record has nothing to record.', json)
  const words = await readWords(first, more)
  if (!words.ok) return printError(words.error, json)
  const { folder: named, ids } = words.value
  const project = await buildToCheck(workbench, named, json, ok(null), () => ok(null))
  if (typeof project === 'number') return project
  const report = await workbench.pytestRuns.run(
    project.folder,
    { ids, onlyList: list, recordsCalls: record },
    {
      python: python.includes('/') ? callerPath(python) : python,
      timeout,
      signal: interruptSignal(),
      onProgress: ({ done, total, tests }) => {
        for (const one of tests) {
          if (one.outcome === 'none') continue
          if (json) progress(`${done} of ${total}: ${one.id}: ${one.outcome}`)
          else printLines(testLines(one))
        }
      },
    },
  )
  if (!report.ok) return printError(report.error, json)
  const { value } = report
  const calls = value.calls ?? []
  const kept =
    keep.length === 0
      ? undefined
      : await workbench.recordedCalls.keep(project.folder, { calls, lists: keep })
  if (kept?.ok === false) return printError(kept.error, json)
  if (json) printJson({ ...reportJson(value), ...(kept && { kept: kept.value }) })
  else {
    if (list) printLines(value.tests.flatMap(testLines))
    for (const line of testedLines(value)) progress(line)
    if (record) printLines(recordedLines(calls))
    if (kept) printLines([`${keptText(kept.value)}.`])
    printLines(summaryOf(value, list))
  }
  return value.ok ? exitCodes.good : exitCodes.failed
}

export const verb = defineVerb({
  name: 'test',
  order: 9,
  description: "build, and run the project's pytest tests with the built library",
  argument: {
    name: 'folder',
    description: 'folder with opsmith.json (default: the project of the current folder)',
    isOptional: true,
  },
  moreArguments: {
    name: 'node-id',
    description:
      'a file, a folder or a test, as pytest names it (tests/test_add.py::test_sum); without this argument, all tests run',
  },
  options: testOptions,
  notes: [
    'Opsmith installs nothing and changes no file of the project. In the process of the tests, the built library\nreplaces the Python modules that opsmith.json lists in pythonModules. If torch.ops.load_library loads the file of such\na module, the built library replaces this file too. The Python needs pytest and the torch that the library is built for.',
  ],
  run: runTests,
})
