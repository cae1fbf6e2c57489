// `npm run test:exports [-- NAME …] [--forms a,b] [--set-up-done]`: every sample, and the project on the
// stable ABI, in every form, each built and run in an empty folder. The table in docs/reference/proven-exports.md gets the cells
// that were made and keeps the others. The logs of what failed are printed; the exports stay in
// .setup/exports.
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

import { loadTypeScript } from './lib/load-typescript.mjs'
import { root, setupFolder } from './lib/paths.mjs'
import { readGeneratedPart, writeGeneratedPart } from './lib/generated-part.mjs'
import { setUpOrExit } from './setup.mjs'
import { environmentVariables } from './setup/environment.mjs'

const work = path.join(setupFolder, 'exports')
/** What is exported, by the names of the table's rows. No sample is on the stable ABI. */
const document = 'docs/reference/proven-exports.md'
const projects = {
  ...Object.fromEntries(
    fs.readdirSync(path.join(root, 'samples')).map((name) => [name, `samples/${name}`]),
  ),
  stable_threshold: 'test/cases/export/stable',
}

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
  // Writing is no proof.
  return made > 1 ? `${made} steps` : '**not proven**'
}

/** Exports one project; a cell for each form that was asked for. */
async function exportProject(name, wanted) {
  const project = path.join(root, projects[name])
  const listed = await ask(['export', project, '--list'])
  if (!listed.forms) {
    console.error(`${name}: ${listed.error?.message ?? 'no answer'}`)
    return Object.fromEntries(wanted.map((form) => [form, 'not written']))
  }
  const cells = {}
  const possible = []
  for (const choice of listed.forms) {
    if (!wanted.includes(choice.form)) continue
    if (choice.possible) possible.push(choice.form)
    else cells[choice.form] = '–'
  }
  if (possible.length === 0) return cells
  const out = path.join(work, name)
  fs.rmSync(out, { recursive: true, force: true })
  const report = await ask(['export', project, '--as', possible.join(','), '--out', out])
  if (!report.forms) {
    console.error(`${name}: ${report.error?.message ?? 'no answer'}`)
    for (const form of possible) cells[form] = 'not written'
    return cells
  }
  for (const form of report.forms) {
    cells[form.form] = cell(form)
    for (const step of form.steps.filter((one) => one.status === 'failed')) {
      console.error(`\n${name}, ${form.form}, ${step.name}: ${step.reason}\n${step.log}`)
    }
  }
  return cells
}

/** The cells of the document's table by row and form. */
function readTable() {
  const [heads = [], , ...lines] = readGeneratedPart(document, 'exports')
    .part.split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => line.split('|').slice(1, -1))
    .map((parts) => parts.map((part) => part.trim()))
  return Object.fromEntries(
    lines.map(([name, ...cells]) => [
      name,
      Object.fromEntries(cells.map((text, index) => [heads[index + 1], text])),
    ]),
  )
}

/** Read just before it is written: two runs may share the work. */
function writeCells(name, made) {
  const rows = readTable()
  const cells = { ...rows, [name]: { ...rows[name], ...made } }
  const lines = Object.keys(projects)
    .filter((project) => project in cells)
    .sort()
    .map(
      (project) =>
        `| ${[project, ...forms.map((form) => cells[project][form] ?? '')].join(' | ')} |`,
    )
  const table = [`| | ${forms.join(' | ')} |`, `|---|${forms.map(() => '---|').join('')}`, ...lines]
  writeGeneratedPart(document, 'exports', table.join('\n'))
}

const given = process.argv.slice(2)
if (!given.includes('--set-up-done'))
  await setUpOrExit({ window: false, tests: true, headers: true })
const { formIds: forms } = await loadTypeScript('electron/engine/project-export/all-forms.ts')
const formsAt = given.indexOf('--forms')
const wanted = formsAt < 0 ? forms : (given[formsAt + 1] ?? '').split(',')
const named = given.filter(
  (one, at) => !one.startsWith('--') && (formsAt < 0 || at !== formsAt + 1),
)
const unknown = wanted.filter((form) => !forms.includes(form))
if (unknown.length > 0) {
  console.error(`unknown form ${unknown.join(', ')}: the forms are ${forms.join(', ')}`)
  process.exit(2)
}
const strangers = named.filter((name) => !(name in projects))
if (strangers.length > 0) {
  console.error(
    `unknown project ${strangers.join(', ')}: the projects are ${Object.keys(projects).join(', ')}`,
  )
  process.exit(2)
}
readTable()
fs.mkdirSync(work, { recursive: true })
const bad = []
for (const name of named.length > 0 ? named : Object.keys(projects).sort()) {
  const made = await exportProject(name, wanted)
  writeCells(name, made)
  bad.push(...Object.values(made).filter((one) => /failed|not written|not proven/.test(one)))
}
console.log(bad.length === 0 ? 'every export was built and run' : `${bad.length} exports failed`)
process.exitCode = bad.length === 0 ? 0 : 1
