// `npm run test:exports [-- SAMPLE …] [--forms a,b] [--set-up-done]`: every sample in every form, each
// built and run in an empty folder; the table in README.md is written anew for what was made. The logs
// of what failed are printed, and what each command said lies in .setup/exports.
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

import { readJson, writeJson } from './lib/files.mjs'
import { root, setupFolder } from './lib/paths.mjs'
import { setUpOrExit } from './setup.mjs'
import { environmentVariables } from './setup/environment.mjs'

const forms = [
  'library',
  'cmake',
  'app',
  'setuptools',
  'stable',
  'jit',
  'addon',
  'notebook',
  'link',
]
const begin = '<!-- exports: begin -->'
const end = '<!-- exports: end -->'
const work = path.join(setupFolder, 'exports')

/** The command line's answer as JSON; what it says meanwhile goes to the terminal. */
function ask(args) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [path.join(root, 'dist', 'cli.cjs'), ...args, '--json'], {
      env: { ...process.env, ...environmentVariables() },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let text = ''
    child.stdout.setEncoding('utf8').on('data', (more) => {
      text += more
    })
    child.on('close', () => {
      try {
        resolve(JSON.parse(text))
      } catch {
        resolve({ ok: false, error: { message: 'the command line gave no JSON' } })
      }
    })
  })
}

/** A cell of the table: steps that were made, and those that this machine has nothing for. */
function cell(form) {
  if (form.error) return 'not written'
  const failed = form.steps.find((step) => step.status === 'failed')
  if (failed) return `**failed**: ${failed.name}`
  const made = form.steps.filter((step) => step.status === 'ok').length
  return `${made} steps`
}

/** Exports one sample; a cell for each form that was asked for. */
async function exportSample(sample, wanted) {
  const project = path.join(root, 'samples', sample)
  const listed = await ask(['export', project, '--list'])
  const cells = {}
  const possible = []
  for (const choice of listed.forms ?? []) {
    if (!wanted.includes(choice.form)) continue
    if (choice.possible) possible.push(choice.form)
    else cells[choice.form] = '–'
  }
  const out = path.join(work, sample)
  fs.rmSync(out, { recursive: true, force: true })
  const report = await ask(['export', project, '--as', possible.join(','), '--out', out])
  if (!report.forms) {
    console.error(`${sample}: ${report.error?.message ?? 'no answer'}`)
    for (const form of possible) cells[form] = 'not written'
    return cells
  }
  for (const form of report.forms) {
    cells[form.form] = cell(form)
    for (const step of form.steps.filter((one) => one.status === 'failed')) {
      console.error(`\n${sample}, ${form.form}, ${step.name}: ${step.reason}\n${step.log}`)
    }
  }
  return cells
}

function writeTable(cells) {
  const readme = path.join(root, 'README.md')
  const text = fs.readFileSync(readme, 'utf8')
  const [before, rest] = text.split(begin)
  const after = rest?.split(end)[1]
  if (after === undefined) throw new Error(`README.md has no ${begin} … ${end}`)
  const rows = Object.keys(cells)
    .sort()
    .map(
      (sample) => `| ${[sample, ...forms.map((form) => cells[sample][form] ?? '')].join(' | ')} |`,
    )
  const table = [`| | ${forms.join(' | ')} |`, `|---|${forms.map(() => '---|').join('')}`, ...rows]
  fs.writeFileSync(readme, `${before}${begin}\n\n${table.join('\n')}\n\n${end}${after}`)
}

const given = process.argv.slice(2)
const formsAt = given.indexOf('--forms')
const wanted = formsAt < 0 ? forms : (given[formsAt + 1] ?? '').split(',')
const samples = given.filter(
  (one, at) => !one.startsWith('--') && (formsAt < 0 || at !== formsAt + 1),
)
const unknown = wanted.filter((form) => !forms.includes(form))
if (unknown.length > 0) {
  console.error(`no form ${unknown.join(', ')}; there are ${forms.join(', ')}`)
  process.exit(2)
}
if (!given.includes('--set-up-done'))
  await setUpOrExit({ window: false, tests: true, headers: true })
const all = fs.readdirSync(path.join(root, 'samples')).sort()
fs.mkdirSync(work, { recursive: true })
// A file a sample: two runs may share the work, and a later one adds to what is there.
const cellsOf = (sample) => readJson(path.join(work, `${sample}.cells.json`)) ?? {}
for (const sample of samples.length > 0 ? samples : all) {
  const made = await exportSample(sample, wanted)
  writeJson(path.join(work, `${sample}.cells.json`), { ...cellsOf(sample), ...made })
}
const cells = Object.fromEntries(all.map((sample) => [sample, cellsOf(sample)]))
writeTable(cells)
const bad = Object.values(cells)
  .flatMap((row) => Object.values(row))
  .filter((one) => /failed|not written/.test(one))
console.log(bad.length === 0 ? 'every export was built and run' : `${bad.length} exports failed`)
process.exitCode = bad.length === 0 ? 0 : 1
