// `npm run check [-- NAME …]`: everything that can be said about the sources without running them.
import path from 'node:path'
import { pathToFileURL } from 'node:url'

import { checkWithClangFormat } from './checks/clang-format.mjs'
import { checkWithClangTidy } from './checks/clang-tidy.mjs'
import { checkProse } from './checks/prose.mjs'
import { CommandFailure, runCommand } from './lib/command.mjs'
import { localCommand, root } from './lib/paths.mjs'
import { setUpOrExit } from './setup.mjs'

/** A program that ends with 0 when all is well. */
function program(executable, ...args) {
  return async () => {
    try {
      await runCommand([executable, ...args], { cwd: root, timeoutSeconds: 900 })
      return { outcome: 'passed', text: '' }
    } catch (error) {
      if (!(error instanceof CommandFailure)) throw error
      return { outcome: 'failed', text: error.output || error.reason }
    }
  }
}

/** A tool that npm puts into node_modules/.bin. */
const tool = (name, ...args) => program(localCommand(name), ...args)

const checks = {
  // The native port of TypeScript checks types in a quarter of the time of TypeScript 6, whose API the tests use.
  types: program(path.join(root, 'node_modules', 'typescript-7', 'bin', 'tsc'), '-b'),
  lint: tool('oxlint', '--deny-warnings', '.'),
  format: tool('oxfmt', '--check', '.'),
  imports: tool(
    'depcruise',
    'electron',
    'graph',
    'renderer',
    '--config',
    '.dependency-cruiser.mjs',
    '--output-type',
    'err-long',
  ),
  'dead code': tool('knip', '--no-progress', '--no-config-hints'),
  prose: checkProse,
  docs: tool('vitepress', 'build', 'docs'),
  'clang-format': checkWithClangFormat,
  'clang-tidy': checkWithClangTidy,
}
export const checkNames = Object.keys(checks)
/** Those that need npm's packages only; the others need what set-up installs and finds. */
export const earlyChecks = ['types', 'lint', 'format', 'imports', 'dead code', 'prose', 'docs']

/**
 * Runs checks, two at a time, each with one line; what a tool found follows its line.
 * @returns {Promise<{ passed: number, failed: number, skipped: number, failures: string[] }>} `failures`: names of checks
 */
export async function runChecks(names = checkNames) {
  const counts = { passed: 0, failed: 0, skipped: 0 }
  const failures = []
  const pending = [...names]
  const worker = async () => {
    for (let name = pending.shift(); name; name = pending.shift()) {
      const started = performance.now()
      const { outcome, text } = await checks[name]()
      const seconds = ((performance.now() - started) / 1000).toFixed(1)
      counts[outcome]++
      const words = { passed: 'good', failed: 'FAILED', skipped: `skipped: ${text}` }
      console.log(`check ${name} … ${words[outcome]} (${seconds} s)`)
      if (outcome !== 'failed') continue
      failures.push(`check ${name}`)
      console.log(`${text.trimEnd()}\n`)
    }
  }
  await Promise.all([worker(), worker()])
  return { ...counts, failures }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const given = process.argv.slice(2)
  const unknown = given.filter((name) => !checkNames.includes(name))
  if (unknown.length > 0) {
    console.error(`unknown check ${unknown.join(', ')}: the checks are ${checkNames.join(', ')}`)
    process.exit(2)
  }
  if (given.length === 0 || given.includes('clang-tidy')) {
    await setUpOrExit({ window: false, tests: true, headers: false, quiet: true })
  }
  const { failed } = await runChecks(given.length > 0 ? given : checkNames)
  process.exitCode = failed > 0 ? 1 : 0
}
