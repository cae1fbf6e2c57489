import fs from 'node:fs'
import path from 'node:path'

import { afterAll, beforeAll, expect, it } from 'vitest'

import type { PytestReport } from '../../electron/contract/pytest'
import { opsmith } from '../support/command-line'
import type { Outcome } from '../support/command-line'
import { copyProject, makeTestCache, root } from '../support/installation'
import { python } from '../support/python'

const cache = makeTestCache()
afterAll(() => {
  cache.remove()
})

async function importedCase(name: string): Promise<string> {
  const folder = copyProject(path.join(root, 'test/cases/import', name), cache)
  const made = await opsmith(cache, 'init', folder, '--yes')
  expect(made, made.stderr).toMatchObject({ code: 0 })
  return folder
}

const test = (...args: string[]): Promise<Outcome> =>
  opsmith(cache, 'test', ...args, '--python', python)

const outcomesOf = ({ tests }: PytestReport): Record<string, string> =>
  Object.fromEntries(tests.map(({ id, outcome }) => [id, outcome]))

let template: string
/** Its opsmith.json is here. */
let apart: string
beforeAll(async () => {
  template = copyProject(path.join(root, 'test/cases/import/template'), cache)
  apart = path.join(cache.home, 'apart')
  const made = await opsmith(cache, 'init', template, '--yes', '--out', apart)
  expect(made, made.stderr).toMatchObject({ code: 0 })
})

const file = 'tests/test_muladd.py'
const numbers = `${file}::TestMuladd::test_numbers`

it("a repository's own tests get the library that was built, by import and by load_library, and stay as they are", async () => {
  const before = fs.readdirSync(template, { recursive: true, encoding: 'utf8' })
  const run = await test(apart, '--json')
  expect(run, run.stderr).toMatchObject({ code: 0 })
  const report = JSON.parse(run.stdout) as PytestReport
  expect(outcomesOf(report)).toEqual({
    [`${numbers}[0.0]`]: 'passed',
    [`${numbers}[2.5]`]: 'passed',
    [`${file}::test_load_library`]: 'passed',
    [`${file}::test_cuda`]: 'skipped',
  })
  expect(report.replaced).toEqual([
    'template_ops._C',
    path.join(fs.realpathSync(template), 'template_ops/_C.abi3.so'),
  ])
  const after = fs.readdirSync(template, { recursive: true, encoding: 'utf8' })
  expect(after).toEqual(before)
  expect(fs.readdirSync(apart).sort()).toEqual(['build', 'opsmith.json'])
})

it('an operator that is broken fails its test, which runs alone and names the line', async () => {
  const source = path.join(template, 'template_ops/csrc/muladd.cpp')
  const good = fs.readFileSync(source, 'utf8')
  fs.writeFileSync(source, good.replace('template_scale + c', 'template_scale - c'))
  const run = await test(path.join(apart, 'opsmith.json'), `${numbers}[2.5]`, '--json')
  fs.writeFileSync(source, good)
  expect(run, run.stderr).toMatchObject({ code: 1 })
  const { tests } = JSON.parse(run.stdout) as PytestReport
  expect(tests).toHaveLength(1)
  const lines = fs.readFileSync(path.join(template, file), 'utf8').split('\n')
  const line = lines.findIndex((one) => one.includes('muladd(a, b, c)')) + 1
  expect(tests[0]).toMatchObject({
    outcome: 'failed',
    output: expect.stringContaining('adds 2.5') as string,
    places: [{ file: path.join(template, file), line, name: 'test_numbers' }],
  })
  expect(tests[0]?.text).toContain('Tensor-likes are not close')
})

it('calls that its tests make are recorded, added to opsmith.json, and pass there', async () => {
  const lists = ['calls', 'checks', 'gradchecks', 'benchmarks']
  const kept = await test(apart, '--record', '--json', '--keep', ...lists)
  expect(kept, kept.stderr).toMatchObject({ code: 0 })
  const report = JSON.parse(kept.stdout) as PytestReport & { kept: unknown }
  // Two tests call it with four elements, one with two; c is a number.
  expect(report.calls?.map(({ op }) => op)).toEqual(Array(3).fill('template_ops::muladd'))
  expect(report.kept).toEqual({
    added: { calls: 3, gradchecks: 0, benchmarks: 3, checks: 3 },
    there: 0,
    leftOut: 0,
  })
  const run = await opsmith(cache, 'run', apart, '--json')
  expect(run, run.stderr).toMatchObject({ code: 0 })
  const checks = await opsmith(cache, 'check', apart)
  expect(checks.stdout.match(/^\S.*template_ops::muladd\(/gm), checks.stdout).toHaveLength(3)
  const again = await test(apart, '--record', '--keep', 'calls')
  expect(again.stdout).toContain(
    'Nothing was added to opsmith.json; 3 entries were already in opsmith.json.',
  )
  expect(again.stdout).toContain('template_ops::muladd(a float32[4], b float32[4], 2.5)')
  const alone = await test(apart, '--keep', 'calls')
  expect(alone).toMatchObject({ code: 2, stderr: expect.stringContaining('--record') as string })
})

it('functions of PYBIND11_MODULE are the module’s, load() gives it too, and a test that ends the process is named', async () => {
  const folder = await importedCase('several')
  const run = await test(folder)
  expect(run, run.stderr).toMatchObject({ code: 1 })
  expect(run.stdout).toMatch(/^passed tests\/test_norm.py::test_norm \(\d.\d\d s\)$/m)
  expect(run.stdout).toMatch(/^crashed tests\/test_norm.py::test_ends_the_process/m)
  expect(run.stdout).toMatch(
    /SIGABRT during the test tests\/test_norm.py::test_ends_the_process, so the tests after it did not run\.\n1 crashed, 2 passed in /,
  )
})

it('a Python without pytest, and a test that is not there, are named with what to do', async () => {
  const bare = path.join(cache.home, 'python-without-pytest')
  fs.writeFileSync(bare, `#!/bin/sh\ncase "$*" in *pytest*) exit 1;; esac\nexec ${python} "$@"\n`, {
    mode: 0o755,
  })
  const without = await opsmith(cache, 'test', apart, '--python', bare)
  expect(without).toMatchObject({ code: 2 })
  expect(without.stderr).toContain('has no pytest')
  expect(without.stderr).toContain('-m pip install pytest')
  const wrong = await test(apart, `${file}::test_nothing`)
  expect(wrong).toMatchObject({ code: 2 })
  expect(wrong.stderr).toContain('pytest could not start: ERROR: not found')
})
