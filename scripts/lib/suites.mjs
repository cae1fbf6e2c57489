// The kinds of tests, and how one is run: for `npm test` and `npm run test:KIND`.
import fs from 'node:fs'
import path from 'node:path'

import { environmentVariables } from '../setup/environment.mjs'
import { hasDisplay } from '../setup/system-needs.mjs'
import { ask, CommandFailure, findOnPath, runCommand } from './command.mjs'
import { startVirtualDisplay } from './display.mjs'
import { listFiles, readJson } from './files.mjs'
import { runOnTerminal } from './launch.mjs'
import { localCommand, root, setupFolder } from './paths.mjs'

/** In the order in which `npm test` runs them. */
export const suites = ['unit', 'component', 'native', 'parity', 'e2e', 'gpu']

/** These share their workers, so that none is idle while another suite ends. */
export const mixedSuites = ['native', 'parity', 'e2e']

/** Test files at a time: compilers and op hosts take a core each, windows wait for a part of their time. */
export const mixedWorkers = 3

/** The test files of a suite whose path contains one of the words, relative to the clone; all without words. */
export function testFiles(suite, words = []) {
  const folder = path.join('test', suite)
  return listFiles(path.join(root, folder))
    .filter((name) => /\.test\.tsx?$/.test(name))
    .map((name) => path.join(folder, name))
    .filter((name) => words.length === 0 || words.some((word) => name.includes(word)))
}

/**
 * Why test/gpu cannot run: the first thing that is missing; "" when nothing is.
 * @param {object} found
 * @param {string | undefined} found.gpus what `nvidia-smi -L` printed; undefined when it is not on PATH
 * @param {string} found.libtorch its version, as set-up noted it
 * @param {string} found.cuda what torch.cuda.is_available() is in libtorch's Python: "True" or "False"; "" without a Python
 * @param {string} found.triton whether that Python has triton, as before
 */
export function gpuProblem({ gpus, libtorch, cuda, triton }) {
  if (gpus === undefined) return 'this machine has no NVIDIA driver (nvidia-smi is not on PATH)'
  if (!gpus.startsWith('GPU')) return 'nvidia-smi lists no GPU'
  if (libtorch.endsWith('+cpu')) {
    return `libtorch ${libtorch} is a CPU build: npm run setup -- --cuda installs one for CUDA`
  }
  if (cuda === 'False')
    return `libtorch ${libtorch} cannot use the GPU: opsmith doctor --gpu shows the reason`
  if (triton === 'False')
    return 'the Python environment that has libtorch has no triton, and the tests compare timings with triton.testing.do_bench: pip install triton'
  return ''
}

/** Why a suite cannot run here; "" when it can. To be asked after set-up. */
export function problemOf(suite) {
  if (suite !== 'gpu') return ''
  const { libtorchVersion = '', python } =
    readJson(path.join(setupFolder, 'environment.json')) ?? {}
  const hasSmi = Boolean(findOnPath('nvidia-smi'))
  const script = [
    'import importlib.util, torch',
    "print(torch.cuda.is_available(), importlib.util.find_spec('triton') is not None)",
  ].join('\n')
  const [cuda = '', triton = ''] =
    python && hasSmi ? ask([python, '-c', script]).trim().split(' ') : []
  return gpuProblem({
    gpus: hasSmi ? ask(['nvidia-smi', '-L']) : undefined,
    libtorch: libtorchVersion,
    cuda,
    triton,
  })
}

/** One for each window that is open at a time; none when the user has a display: one window at a time opens there. */
async function startDisplays() {
  if (hasDisplay()) return []
  return Promise.all(Array.from({ length: mixedWorkers }, () => startVirtualDisplay()))
}

/**
 * Runs vitest once, on one suite or on several.
 * @param {string[]} names of suites
 * @param {object} options
 * @param {string[]} options.files as from testFiles
 * @param {boolean} options.watch goes on until Ctrl+C, and runs again what an edit concerns
 * @param {string[]} options.flags more options for vitest
 * @param {boolean} [options.hold] print nothing until the end: something else prints meanwhile
 * @returns {Promise<import('./test-report.mjs').TestReport>}
 */
export async function runSuites(names, { files, watch, flags, hold = false }) {
  const report = path.join(setupFolder, 'test-results', `${names.join('-')}.json`)
  fs.rmSync(report, { force: true })
  const displays = names.includes('e2e') ? await startDisplays() : []
  const command = [
    localCommand('vitest'),
    watch ? 'watch' : 'run',
    // A suite may be several projects: native and native-timed.
    ...names.map((name) => `--project=${name}*`),
    '--reporter=default',
    '--reporter=./scripts/lib/test-report.mjs',
    ...flags,
    ...files,
  ]
  const options = {
    cwd: root,
    env: {
      ...process.env,
      ...environmentVariables(),
      OPSMITH_TESTS: '1',
      OPSMITH_TEST_REPORT: report,
      OPSMITH_TEST_WORKERS: String(mixedWorkers),
      // Nothing here is wrong: the warning is about a future major version of Vite.
      VITE_CONFIG_NATIVE_IGNORE_WARNING: 'true',
      ...(displays.length > 0
        ? { OPSMITH_TEST_DISPLAYS: displays.map(({ display }) => display).join(' ') }
        : {}),
    },
  }
  const code = hold ? await runHeld(command, options) : await runOnTerminal(command, options)
  for (const { stop } of displays) stop()
  const found = readJson(report)
  if (!found)
    return { files: [], errors: [`\n      vitest ended without a report: exit code ${code}`] }
  const good = found.errors.length === 0 && found.files.every((file) => file.failed === 0)
  // The run failed, but no test did: for example, a reporter threw.
  const errors = [`\n      vitest ended with exit code ${code} though no test failed`]
  return code !== 0 && good ? { ...found, errors } : found
}

async function runHeld(command, options) {
  try {
    const { output, code } = await runCommand(command, { ...options, accept: [0, 1] })
    process.stdout.write(output)
    return code
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error
    process.stdout.write(`${error.message}\n`)
    return 1
  }
}
