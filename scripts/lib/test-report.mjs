// A reporter of vitest: writes the counts and seconds of each test file, as JSON, to $OPSMITH_TEST_REPORT.
import path from 'node:path'
import { stripVTControlCharacters } from 'node:util'

import { writeJson } from './files.mjs'
import { root } from './paths.mjs'

/**
 * @typedef {object} FileReport
 * @property {string} file relative to the clone
 * @property {number} seconds loading, set-up and all tests and hooks of the file
 * @property {number} passed
 * @property {number} failed
 * @property {number} skipped
 * @property {string[]} failures the name of each failed test with its reason, or why the file has none
 * @typedef {{ files: FileReport[], errors: string[] }} TestReport `errors`: the message of each one outside any test
 */

/** Lines of a failure's reason. The whole stands where the test ran. */
const linesShown = 16

/** The message and what differs. @param {readonly { message: string, diff?: string }[] | undefined} errors */
function reasonOf(errors) {
  return (errors ?? [])
    .flatMap((error) => [error.message, error.diff ?? ''])
    .flatMap((text) => stripVTControlCharacters(text).split('\n'))
    .filter((line) => line.trim() !== '')
    .slice(0, linesShown)
    .map((line) => `\n      ${line}`)
    .join('')
}

/** @param {unknown} error @returns {string} with the first lines of its stack: no test says where it was */
function outsideOf(error) {
  const { stack = '', message = String(error) } = /** @type {Partial<Error>} */ (error ?? {})
  return reasonOf([{ message: stack.includes(message) ? stack : `${message}\n${stack}` }])
}

/** @param {import('vitest/node').TestModule} testModule @returns {FileReport} */
function reportOf(testModule) {
  const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 }
  const failures = []
  for (const test of testModule.children.allTests()) {
    const { state, errors } = test.result()
    counts[state]++
    if (state === 'failed') failures.push(`${test.fullName}${reasonOf(errors)}`)
  }
  // A file that could not even be loaded, or whose hooks failed, is one failure.
  if (testModule.state() === 'failed' && counts.failed === 0) {
    counts.failed = 1
    const reason = reasonOf(testModule.errors())
    failures.push(`(the file could not be loaded, or a hook failed)${reason}`)
  }
  const times = testModule.diagnostic()
  const milliseconds =
    times.environmentSetupDuration +
    times.prepareDuration +
    times.collectDuration +
    times.setupDuration +
    times.duration
  return {
    file: path.relative(root, testModule.moduleId),
    seconds: milliseconds / 1000,
    passed: counts.passed,
    failed: counts.failed,
    skipped: counts.skipped + counts.pending,
    failures,
  }
}

export default class TestReporter {
  /** @param {readonly import('vitest/node').TestModule[]} modules @param {readonly unknown[]} errors */
  onTestRunEnd(modules, errors) {
    const target = process.env['OPSMITH_TEST_REPORT']
    if (target) writeJson(target, { files: modules.map(reportOf), errors: errors.map(outsideOf) })
  }
}
