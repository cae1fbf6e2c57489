// `npm test [-- PART …] [WORD …] [--watch] [--update] [-t NAME]`: set-up, checks, and every kind of test; the last line
// counts them. `npm run test:unit` and the like run one part.
import { bundles } from './build.mjs'
import { earlyChecks, checkNames, runChecks } from './check.mjs'
import { refuse } from './lib/refuse.mjs'
import { mixedSuites, problemOf, runSuites, suites, testFiles } from './lib/suites.mjs'
import { watchSources } from './lib/watch-sources.mjs'
import { setUpOrExit, setUpPackagesOrExit } from './setup.mjs'

const usage = `usage: npm test [-- PART …] [WORD …] [--watch] [--update] [-t NAME]
  PART      ${['check', ...suites].join(', ')}; without a part: all
  WORD      only the test files whose path contains it, such as gradcheck-case
  --watch   for one part: keep running, and repeat the tests that an edit affects
  --update  write the files that tests compare with, such as docs/check-parity.md
  -t NAME   only the tests whose name contains it`

const slowestShown = 10

/** @returns {never} */
function refuseUse(message) {
  return refuse(`${message}\n${usage}`)
}

function readArguments() {
  const parts = []
  const words = []
  const flags = []
  const given = process.argv.slice(2)
  while (given.length > 0) {
    const [word = ''] = given.splice(0, 1)
    if (word === '-t') flags.push(word, ...given.splice(0, 1))
    // Without a value, vitest takes the next word, which is a test file, for it.
    else if (word === '--update') flags.push('--update=all')
    else if (word.startsWith('-')) flags.push(word)
    else if (['check', ...suites].includes(word)) parts.push(word)
    else words.push(word)
  }
  const unknown = flags.filter(
    (flag) => /^-/.test(flag) && !['--watch', '--update=all', '-t'].includes(flag),
  )
  if (unknown.length > 0) refuseUse(`unknown option ${unknown.join(', ')}`)
  return {
    parts,
    words,
    watch: flags.includes('--watch'),
    flags: flags.filter((flag) => flag !== '--watch'),
  }
}

const { parts, words, watch, flags } = readArguments()
const files = new Map(suites.map((suite) => [suite, testFiles(suite, words)]))
const selected = suites.filter(
  (suite) => (parts.length === 0 || parts.includes(suite)) && files.get(suite)?.length !== 0,
)
const withChecks = words.length === 0 && (parts.length === 0 || parts.includes('check'))
if (words.length > 0 && selected.length === 0)
  refuseUse(`no test file has ${words.join(' or ')} in its path`)
if (watch && (selected.length !== 1 || withChecks)) refuseUse('--watch needs exactly one part')

const counts = { passed: 0, failed: 0, skipped: 0 }
/** @type {{ name: string, seconds: number }[]} */
const times = []
/** @type {import('./lib/test-report.mjs').FileReport[]} */
const reports = []
/** One line each. @type {string[]} */
const failures = []

function count(more) {
  for (const kind of Object.keys(counts)) counts[kind] += more[kind]
}

/** Runs a part, and notes how long it took. @template T @param {() => Promise<T>} work @returns {Promise<T>} */
async function timed(name, work) {
  const started = performance.now()
  const result = await work()
  times.push({ name, seconds: (performance.now() - started) / 1000 })
  return result
}

async function check(names) {
  const result = await runChecks(names)
  count(result)
  failures.push(...result.failures)
}

/** @param {string[]} names of suites that run at once */
async function test(names, hold = false) {
  /** @type {string[]} */
  const runnable = []
  for (const name of names) {
    const count = files.get(name)?.length ?? 0
    const problem = problemOf(name)
    if (problem) {
      console.log(`\n${name}: ${count} test files skipped: ${problem}`)
      counts.skipped += count
      continue
    }
    if (!hold) console.log(`\n${name}: ${count} test files`)
    runnable.push(name)
  }
  if (runnable.length === 0) return
  const some = words.length > 0 ? runnable.flatMap((name) => files.get(name) ?? []) : []
  const report = await runSuites(runnable, { files: some, watch, flags, hold })
  for (const file of report.files) {
    count(file)
    failures.push(...file.failures.map((name) => `${file.file}: ${name}`))
  }
  counts.failed += report.errors.length
  for (const error of report.errors)
    failures.push(`${runnable.join(', ')}: an error outside the tests${error}`)
  reports.push(...report.files)
}

function printTimes() {
  const seconds = (value) => `${value.toFixed(1).padStart(7)} s`
  const slowest = reports.toSorted((a, b) => b.seconds - a.seconds).slice(0, slowestShown)
  if (slowest.length > 1) {
    console.log('\nslowest test files')
    for (const report of slowest) console.log(`${seconds(report.seconds)}  ${report.file}`)
  }
  console.log('\nparts')
  for (const part of times) console.log(`${seconds(part.seconds)}  ${part.name}`)
}

/** These need only packages: no compiler, no libtorch, no bundles. */
const light = ['unit', 'component']
const needsNative = withChecks || selected.some((suite) => !light.includes(suite))
if (needsNative) {
  /** @type {Promise<unknown>[]} */
  const early = []
  // Set-up downloads for a part of its time: what needs only packages fills it.
  const onPackages = () => {
    if (withChecks) early.push(timed('checks of TypeScript', () => check(earlyChecks)))
    const chosen = light.filter((suite) => selected.includes(suite))
    if (chosen.length > 0) early.push(timed(chosen.join(', '), () => test(chosen, true)))
  }
  const late = checkNames.filter((name) => !earlyChecks.includes(name))
  const onAddon = () => {
    if (withChecks) early.push(timed('checks of C++', () => check(late)))
  }
  await timed('set-up', () =>
    setUpOrExit({
      window: selected.includes('e2e'),
      tests: true,
      headers: selected.some((suite) => !light.includes(suite)),
      ...(watch ? {} : { onPackages, onAddon }),
    }),
  )
  await Promise.all(early)
} else {
  await setUpPackagesOrExit()
}
// What runs in bundles is built again after an edit; vitest.config.ts reruns tests when a bundle changes.
const stopWatching =
  watch && needsNative
    ? await watchSources(
        ['electron', 'graph', 'renderer'],
        selected.includes('e2e') ? bundles : ['host', 'cli'],
        (made) => console.log(`built ${made.join(', ')}`),
      )
    : undefined
const late = selected.filter((suite) => !light.includes(suite) || !needsNative)
const mixed = late.filter((suite) => mixedSuites.includes(suite))
const alone = late.filter((suite) => !mixedSuites.includes(suite))
for (const names of [mixed, ...alone.map((suite) => [suite])])
  if (names.length > 0) await timed(names.join(', '), () => test(names))
await stopWatching?.()

printTimes()
// Near the end, where logs that are cut in the middle keep it.
if (failures.length > 0) console.log(`\nfailed\n${failures.map((line) => `  ${line}`).join('\n')}`)
console.log(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`)
process.exitCode = counts.failed > 0 || counts.passed === 0 ? 1 : 0
