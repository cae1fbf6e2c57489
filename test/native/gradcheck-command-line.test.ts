import fs from 'node:fs'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { readManifest } from '../../electron/engine/project/read-manifest'
import { opsmith as runOpsmith } from '../support/command-line'
import type { Outcome } from '../support/command-line'
import { copyProject, makeTestCache, root } from '../support/installation'
import type { TestCache } from '../support/installation'
import { readXml } from '../support/read-xml'

let cache: TestCache

beforeAll(() => {
  cache = makeTestCache()
})
afterAll(() => {
  cache.remove()
})

const opsmith = async (...args: string[]): Promise<Outcome> => await runOpsmith(cache, ...args)

interface Row {
  op: string
  check: string
  status: string
  reason?: string
  cause?: string
  worst?: { input: string; output: number; index: number[]; analytical: number; numerical: number }
}
interface Printed {
  ok: boolean
  results: Row[]
  gradchecks: { name: string; verdict: string; asExpected: boolean; before: object | null }[]
  sweeps?: { curves: { dtype: string; points: object[]; recommended: number | null }[] }[]
  searches?: { ok: boolean; failed: number; seeds: Record<string, number>; kept?: number }[]
  error?: { code: string; message: string; hint?: string }
}

async function gradcheckJson(...args: string[]): Promise<{ code: number; printed: Printed }> {
  const { code, stdout } = await opsmith('gradcheck', ...args, '--json')
  return { code, printed: JSON.parse(stdout) as Printed }
}

const sample = (name: string): string => copyProject(path.join(root, 'samples', name), cache)
const wrongGradients = (): string =>
  copyProject(path.join(root, 'test/cases/gradcheck/wrong_gradients'), cache)

describe('opsmith gradcheck', () => {
  it('the gradchecks of opsmith.json give a row for each finding, with exit code 0 if all are as expected', async () => {
    const { code, printed } = await gradcheckJson(sample('sigmoid'))
    expect(code).toBe(0)
    expect(printed.ok).toBe(true)
    expect(printed.gradchecks.length).toBeGreaterThanOrEqual(8)
    const rounding = printed.results.find((row) => row.status === 'failed')
    expect(rounding).toMatchObject({ op: 'sigmoid::sigmoid', check: 'backward' })
    expect(rounding?.worst?.input).toBe('x')
    expect(rounding?.worst?.index).toHaveLength(2)
    const { analytical = 0, numerical = 0 } = rounding?.worst ?? {}
    expect(Math.abs(analytical - numerical)).toBeGreaterThan(1e-5)
    expect(new Set(printed.results.map((row) => row.status))).toEqual(
      new Set(['passed', 'failed', 'skipped']),
    )
  })

  it('one operator can be checked with other options, also an operator of libtorch', async () => {
    const folder = sample('sigmoid')
    const asked = ['--op', 'aten::sigmoid', '--args', '["x"]', '--dtype', 'float32']
    const fine = await gradcheckJson(folder, ...asked, '--eps', '1e-3')
    expect([fine.code, fine.printed.ok, fine.printed.gradchecks.length]).toEqual([0, true, 1])
    const rough = await gradcheckJson(folder, ...asked, '--eps', '1e-4')
    expect([rough.code, rough.printed.ok]).toEqual([1, false])
    const loose = await gradcheckJson(folder, ...asked, '--eps', '1e-4', '--atol', '0.1')
    expect(loose.code).toBe(0)
    const forward = await gradcheckJson(
      folder,
      '--op',
      'aten::sigmoid',
      '--args',
      '["x"]',
      '--forward',
      '--no-backward',
    )
    const status = (check: string): string | undefined =>
      forward.printed.results.find((row) => row.check === check)?.status
    expect([status('forward'), status('backward')]).toEqual(['passed', 'skipped'])
  })

  it('the text shows what is wrong, where, by how much and why, with exit code 1', async () => {
    const folder = wrongGradients()
    const { code, stdout } = await opsmith(
      'gradcheck',
      folder,
      '--op',
      'wrong_gradients::transposed',
      '--eps',
      '1e-5',
    )
    expect(code).toBe(1)
    expect(stdout).toMatch(/^FAILED wrong_gradients::transposed\(a, b\), eps 1e-5/)
    expect(stdout).toMatch(
      /backward, input x, output 0: \d+ of 81 elements of the analytical Jacobian differ/,
    )
    expect(stdout).toMatch(
      /worst at x\[\d, \d\] → output 0\[\d, \d\]: analytical [-\d.e]+, numerical/,
    )
    expect(stdout).toMatch(/absolute error 2\.24e\+0/)
    expect(stdout).toContain('backward returns the transposed gradient')
    expect(stdout).toContain('0 of 1 gradchecks are as expected.')
  })

  it('a sweep over eps is printed as a table with an arrow, and as JSON', async () => {
    const folder = sample('my_op')
    const asked = ['--op', 'compute', '--sweep']
    const { code, stdout } = await opsmith('gradcheck', folder, ...asked)
    expect(code).toBe(0)
    expect(stdout.match(/^ {2}→ \S+ +passes /gm)).toHaveLength(2)
    const { printed } = await gradcheckJson(folder, ...asked)
    const [sweep] = printed.sweeps ?? []
    expect(sweep?.curves.map((curve) => [curve.dtype, curve.points.length])).toEqual([
      ['float32', 23],
      ['float64', 23],
    ])
    for (const curve of sweep?.curves ?? []) expect(curve.recommended).toBeGreaterThan(1e-12)
  })

  it('a search over random points keeps what fails, which fails from then on', async () => {
    const folder = wrongGradients()
    const asked = ['--op', 'wrong_gradients::wrong_above_one']
    const before = await gradcheckJson(folder, ...asked)
    expect(before.code).toBe(0)
    const search = await gradcheckJson(folder, ...asked, '--search', '40', '--keep')
    expect(search.code).toBe(1)
    const [found] = search.printed.searches ?? []
    expect(found?.ok).toBe(false)
    const manifest = await readManifest(folder)
    const kept = manifest.ok ? manifest.value.gradchecks[found?.kept ?? -1] : undefined
    expect(kept?.inputs?.['one']?.seed).toBe(found?.seeds['one'])
    const text = fs.readFileSync(path.join(folder, 'opsmith.json'), 'utf8')
    expect(text).toContain('// Right by itself; only its second order is wrong.')
    const after = await gradcheckJson(folder, ...asked)
    expect(after.code).toBe(1)
    expect(after.printed.gradchecks.map((one) => one.verdict)).toEqual(['passed', 'failed'])
  })

  it('the results are written as JUnit XML and as a report with pictures', async () => {
    const folder = wrongGradients()
    const { code } = await opsmith(
      'gradcheck',
      folder,
      '--junit',
      'out/junit.xml',
      '--html',
      'out/report.html',
    )
    expect(code).toBe(0)
    const junit = readXml(fs.readFileSync(path.join(cache.home, 'out/junit.xml'), 'utf8'))
    const manifest = await readManifest(folder)
    const checks = manifest.ok ? manifest.value.gradchecks.length : 0
    expect(junit.children).toHaveLength(checks)
    expect(junit.attributes.get('failures')).toBe('0')
    const html = fs.readFileSync(path.join(cache.home, 'out/report.html'), 'utf8')
    expect(html.match(/<h2 id="check-/g)).toHaveLength(checks)
    // Every check that compares Jacobians has one picture at least.
    expect((html.match(/<svg/g) ?? []).length).toBeGreaterThan(checks - 5)
    expect(html).toContain('class="worst"')
  })

  it('a crash is the outcome of its check, and the other checks run', async () => {
    const folder = copyProject(path.join(root, 'test/cases/gradcheck/crash_in_backward'), cache)
    const { code, printed } = await gradcheckJson(folder)
    expect(code).toBe(1)
    expect(printed.gradchecks.map((one) => one.verdict)).toEqual([
      'passed',
      'error',
      'error',
      'error',
      'passed',
      'error',
    ])
    const crash = printed.results.find((row) => row.op === 'crash_in_backward::crashes')
    expect(crash).toMatchObject({ status: 'failed' })
    expect(crash?.reason).toMatch(/Segmentation fault.*op\.cpp:\d+/)
  })

  it('a corrected source shows the error of the previous build', async () => {
    const folder = wrongGradients()
    const asked = ['--op', 'wrong_gradients::wrong_sign', '--args', '["y"]']
    expect((await gradcheckJson(folder, ...asked)).code).toBe(1)
    const file = path.join(folder, 'op.cpp')
    const text = fs.readFileSync(file, 'utf8')
    fs.writeFileSync(file, text.replace('return grad * at::sin(x);', 'return -grad * at::sin(x);'))
    const { code, stdout } = await opsmith('gradcheck', folder, ...asked)
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /largest error \S+, 1\.\d+e\+0 in the previous build \(gradcheck failed\)/,
    )
  })

  it('a command that cannot give an answer exits with 2 and states what to do', async () => {
    const folder = sample('my_op')
    const file = path.join(folder, 'opsmith.json')
    const none = copyProject(path.join(root, 'samples/my_op'), cache)
    const text = fs.readFileSync(file, 'utf8')
    fs.writeFileSync(
      path.join(none, 'opsmith.json'),
      text.replace(/,\s*"gradchecks": \[[^]*\]\s*\}\s*$/, '\n}\n'),
    )
    const empty = await gradcheckJson(none)
    expect(empty.code).toBe(2)
    expect(empty.printed.error?.message).toContain('has no gradchecks')
    expect(empty.printed.error?.hint).toContain('"gradchecks": [')
    for (const args of [
      [folder, '--op', 'my_op::nothing', '--args', '["x"]'],
      [folder, '--op', 'my_op::my_op', '--args', '["x", "nope"]'],
      [folder, '--eps', 'small'],
      [folder, '--keep'],
      ['/no/such/project'],
    ]) {
      const { code, stderr } = await opsmith('gradcheck', ...args)
      expect(code, stderr).toBe(2)
      expect(stderr).not.toMatch(/\n\s+at /)
    }
  })

  it('the gradchecks are part of the report on the project and of its exit code', async () => {
    const folder = sample('my_op')
    const good = await opsmith('report', folder)
    expect(good.code).toBe(0)
    expect(good.stdout).toMatch(/\nGradcheck\n-+\nok {5}my_op::my_op\(x, y\): /)
    const file = path.join(folder, 'opsmith.json')
    const text = fs.readFileSync(file, 'utf8')
    // The whole report is above: of this one only the gradchecks matter.
    const timed = text.indexOf('"benchmarks"')
    expect(timed).toBeGreaterThan(0)
    const one = '{ "op": "my_op::my_op", "args": ["x", "y"], "checks": ["mutation"] }'
    fs.writeFileSync(
      file,
      `${text.slice(0, timed)}"checks": [${one}]\n}\n`.replace(
        '"second_order": true',
        '"second_order": true, "expect": "failed"',
      ),
    )
    const bad = await opsmith('report', folder)
    expect(bad.code).toBe(1)
    expect(bad.stdout).toContain('passes, but opsmith.json expects it to fail')
  })
})
