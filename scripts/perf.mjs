// `npm run --silent perf -- NAME [--json] [--rounds N] [--only PART] [--package FILE]`: one benchmark of test/perf, next
// to what it is compared with. A benchmark exports `run(options): Promise<Row[]>`; see below for both.
import fs from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'

import { startVirtualDisplay } from './lib/display.mjs'
import { loadTypeScript } from './lib/load-typescript.mjs'
import { root } from './lib/paths.mjs'
import { setUpOrExit } from './setup.mjs'
import { environmentVariables } from './setup/environment.mjs'
import { hasDisplay } from './setup/system-needs.mjs'

/**
 * @typedef {object} Row
 * @property {string} name what was measured
 * @property {number} median
 * @property {number} p90
 * @property {string} unit "s", "ms", "MB"
 * @property {string} peer what it is compared with, measured in the same run; "" for nothing
 * @property {number | null} peerMedian
 * @property {number | null} ratio peerMedian / median: above 1, Opsmith is the faster one
 * @property {number} [goal] what the median may be at most
 * @property {number} [worstGoal] what the slowest sample may be at most
 * @property {number} [worst] the slowest sample
 * @property {string} [verdict] whether it is as it must be, where something is asked of it
 */

const folder = path.join(root, 'test', 'perf')

function benchmarkNames() {
  if (!fs.existsSync(folder)) return []
  return fs
    .readdirSync(folder)
    .filter((name) => name.endsWith('.bench.ts'))
    .map((name) => name.slice(0, -'.bench.ts'.length))
    .sort()
}

async function load(name) {
  const { run } = await loadTypeScript(`test/perf/${name}.bench.ts`)
  if (typeof run !== 'function') throw new Error(`test/perf/${name}.bench.ts exports no run()`)
  return run
}

const digits = (value) =>
  value === null || value === undefined ? '' : Number(value.toPrecision(4)).toString()

/** @param {Row[]} rows */
function printTable(rows) {
  const judged = rows.some((row) => row.verdict !== undefined)
  const hasGoals = rows.some((row) => row.goal !== undefined)
  const head = ['what', 'median', 'p90', 'unit', 'peer', 'peer median', 'ratio']
  if (hasGoals) head.splice(3, 0, 'worst', 'goal', 'goal of worst')
  if (judged) head.push('verdict')
  const lines = rows.map((row) => [
    row.name,
    digits(row.median),
    digits(row.p90),
    ...(hasGoals ? [row.worst, row.goal, row.worstGoal].map(digits) : []),
    row.unit,
    row.peer,
    digits(row.peerMedian),
    row.ratio === null ? '' : `${row.ratio.toFixed(judged ? 3 : 2)}x`,
    ...(judged ? [row.verdict ?? ''] : []),
  ])
  const widths = head.map((title, column) =>
    Math.max(title.length, ...lines.map((line) => (line[column] ?? '').length)),
  )
  const texts = ['what', 'unit', 'peer', 'verdict']
  const isNumber = (column) => !texts.includes(head[column] ?? '')
  for (const line of [head, ...lines]) {
    const cells = line.map((cell, column) => {
      const width = widths[column] ?? 0
      return isNumber(column) ? cell.padStart(width) : cell.padEnd(width)
    })
    console.log(cells.join('  ').trimEnd())
  }
}

const usage = (problem) => {
  if (problem !== '') console.error(problem)
  console.error(
    [
      'usage: npm run --silent perf -- NAME|all [--json] [--rounds N] [--only PART] [--package FILE]',
      `NAME: ${known.join(', ') || '(none yet)'}`,
      '--rounds N      number of samples of each case (only for the benchmarks loop, remote, shards, start, virtual-gpu)',
      '--only PART     only the cases with PART in their name (only for the benchmarks check, gradcheck, loop, remote, virtual-gpu)',
      '--package FILE  tar.gz of npm run package: measure the time from its set-up to the first result of a sample (only for the benchmark setup)',
    ].join('\n'),
  )
  process.exit(2)
}

function parseCommandLine() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        json: { type: 'boolean', default: false },
        rounds: { type: 'string' },
        only: { type: 'string', default: '' },
        package: { type: 'string', default: '' },
      },
    })
  } catch (error) {
    return usage(error instanceof Error ? error.message : String(error))
  }
}

const known = benchmarkNames()
const { values, positionals: names } = parseCommandLine()
const { json, only } = values
const packageFile = values.package === '' ? '' : path.resolve(values.package)
if (packageFile !== '' && !fs.existsSync(packageFile)) usage(`there is no ${packageFile}`)
const unknown = names.filter((name) => name !== 'all' && !known.includes(name))
if (unknown.length > 0) usage(`unknown benchmark ${unknown.join(', ')}`)
if (names.length === 0) usage('')
const rounds = values.rounds === undefined ? undefined : Number(values.rounds)
if (rounds !== undefined && !(Number.isInteger(rounds) && rounds > 0))
  usage(`--rounds must be an integer of at least 1, not ${values.rounds}`)

await setUpOrExit({ window: true, tests: true, headers: true, quiet: true })
Object.assign(process.env, environmentVariables(), { OPSMITH_TESTS: '1' })
const display = hasDisplay() ? undefined : await startVirtualDisplay()
if (display) process.env['DISPLAY'] = display.display
/** @type {Row[]} */
const rows = []
try {
  for (const name of names.includes('all') ? known : names) {
    process.stderr.write(`measuring ${name}\n`)
    const run = await load(name)
    const say = (line) => process.stderr.write(`  ${line}\n`)
    rows.push(...(await run({ json, root, rounds, only, packageFile, say })))
  }
  if (json) console.log(JSON.stringify(rows, null, 2))
  else printTable(rows)
} catch (error) {
  console.error(error instanceof Error ? (error.stack ?? error.message) : error)
  process.exitCode = 2
} finally {
  display?.stop()
}
