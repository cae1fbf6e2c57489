// `npm test [-- PART …] [--update]`: set-up, checks, and every kind of test; the last line counts them.
// --update writes the files that tests compare with, docs/check-parity.md, anew.
import fs from 'node:fs'
import path from 'node:path'

import { runChecks } from './check.mjs'
import { ask, findOnPath } from './lib/command.mjs'
import { startVirtualDisplay } from './lib/display.mjs'
import { listFiles, readJson } from './lib/files.mjs'
import { runOnTerminal } from './lib/launch.mjs'
import { localCommand, root, setupFolder } from './lib/paths.mjs'
import { setUpOrExit } from './setup.mjs'
import { environmentVariables } from './setup/environment.mjs'
import { hasDisplay } from './setup/system-needs.mjs'

const suites = ['unit', 'native', 'parity', 'e2e', 'gpu']
const parts = ['check', ...suites]

const counts = { passed: 0, failed: 0, skipped: 0 }
function count(more) {
  for (const kind of Object.keys(counts)) counts[kind] += more[kind]
}

/** What vitest's JSON report says; a file that could not even be loaded is one failure. */
function countReport(file) {
  const report = readJson(file)
  if (!report) return { passed: 0, failed: 1, skipped: 0 }
  const broken = report.testResults.filter(
    (suite) =>
      suite.status === 'failed' && !suite.assertionResults.some((one) => one.status === 'failed'),
  )
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + broken.length,
    skipped: report.numPendingTests + report.numTodoTests,
  }
}

function testFiles(suite) {
  return listFiles(path.join(root, 'test', suite)).filter((name) => /\.test\.tsx?$/.test(name))
}

/** Why there is no GPU to test on; "" when there is one. */
function gpuProblem() {
  if (!findOnPath('nvidia-smi')) return 'no NVIDIA driver here (nvidia-smi is not on PATH)'
  return ask(['nvidia-smi', '-L']).startsWith('GPU') ? '' : 'nvidia-smi lists no GPU'
}

async function runSuite(suite) {
  const files = testFiles(suite)
  if (files.length === 0) return
  if (suite === 'gpu') {
    const problem = gpuProblem()
    if (problem) {
      console.log(`\ngpu: ${files.length} test files skipped: ${problem}`)
      count({ passed: 0, failed: 0, skipped: files.length })
      return
    }
  }
  const report = path.join(setupFolder, 'test-results', `${suite}.json`)
  fs.mkdirSync(path.dirname(report), { recursive: true })
  fs.rmSync(report, { force: true })
  const display = suite === 'e2e' && !hasDisplay() ? await startVirtualDisplay() : undefined
  console.log(`\n${suite}: ${files.length} test files`)
  const code = await runOnTerminal(
    [
      localCommand('vitest'),
      // A suite may be several projects: native and native-timed.
      'run',
      `--project=${suite}*`,
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
      ...(update ? ['--update'] : []),
    ],
    {
      cwd: root,
      env: {
        ...process.env,
        ...environmentVariables(),
        OPSMITH_TESTS: '1',
        // Nothing here is wrong: the warning is about a future major version of Vite.
        VITE_CONFIG_NATIVE_IGNORE_WARNING: 'true',
        ...(display ? { DISPLAY: display.display } : {}),
      },
    },
  )
  display?.stop()
  const found = countReport(report)
  // An error outside any test, such as a promise nobody waited for, fails the run as well.
  if (code !== 0 && found.failed === 0) found.failed = 1
  count(found)
}

const update = process.argv.includes('--update')
const given = process.argv.slice(2).filter((argument) => argument !== '--update')
const unknown = given.filter((name) => !parts.includes(name))
if (unknown.length > 0) {
  console.error(`no part ${unknown.join(', ')}; there are ${parts.join(', ')}`)
  process.exit(2)
}
const wanted = given.length > 0 ? parts.filter((name) => given.includes(name)) : parts
await setUpOrExit({
  window: wanted.includes('e2e'),
  tests: true,
  headers: wanted.some((name) => ['native', 'parity', 'e2e', 'gpu'].includes(name)),
})
if (wanted.includes('check')) {
  console.log('')
  count(await runChecks())
}
for (const suite of suites.filter((name) => wanted.includes(name))) await runSuite(suite)
console.log(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`)
process.exitCode = counts.failed > 0 || counts.passed === 0 ? 1 : 0
