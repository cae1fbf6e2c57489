import fs from 'node:fs'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { operatorCheckName } from '../../electron/contract/operator-check'
import { opsmith as runOpsmith } from '../support/command-line'
import type { Outcome } from '../support/command-line'
import { copyProject, makeTestCache, root } from '../support/installation'
import type { TestCache } from '../support/installation'
import { readXml } from '../support/read-xml'

let cache: TestCache
/** Operators that are wrong in one way each. */
let wrong: string

beforeAll(() => {
  cache = makeTestCache()
  wrong = copyProject(path.join(root, 'test/cases/operator-checks/wrong_operators'), cache)
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
  advice?: string
  input?: string
  output?: number
  index?: number[]
  shownBy?: string
  file?: string
  line?: number
}
interface Printed {
  ok: boolean
  results: Row[]
  operators: {
    name: string
    op: string
    verdict: string
    asExpected: boolean
    generated?: object
  }[]
  kept?: { op: string; check: string; entry: number; added: boolean }[]
  error?: { code: string; message: string; hint?: string }
}

async function checkJson(...args: string[]): Promise<{ code: number; printed: Printed }> {
  const { code, stdout } = await opsmith('check', ...args, '--json')
  return { code, printed: JSON.parse(stdout) as Printed }
}

const sample = (name: string): string => copyProject(path.join(root, 'samples', name), cache)

/** A copy of the wrong operators with `checks` in its opsmith.json. */
function withChecks(checks: object[]): string {
  const folder = copyProject(path.join(root, 'test/cases/operator-checks/wrong_operators'), cache)
  const file = path.join(folder, 'opsmith.json')
  const manifest = JSON.parse(fs.readFileSync(file, 'utf8')) as object
  fs.writeFileSync(file, JSON.stringify({ ...manifest, checks }))
  return folder
}

const wrongOp = (name: string, more: object = {}): object => ({
  op: `wrong_operators::${name}`,
  args: ['x'],
  ...more,
})

/** 1-based line of the source that holds this text. */
function lineOf(text: string): number {
  const source = fs.readFileSync(path.join(wrong, 'op.cpp'), 'utf8').split('\n')
  return source.findIndex((line) => line.includes(text)) + 1
}

describe('opsmith check', () => {
  it('every operator and function of a correct sample is checked, with exit code 0', async () => {
    const { code, printed } = await checkJson(sample('rms_norm'))
    expect([code, printed.ok]).toEqual([0, true])
    // On the CPU and on CUDA; two operators with inputs made from their schemas.
    expect(printed.operators.map(({ op, verdict }) => [op, verdict])).toEqual([
      ['rms_norm::rms_norm', 'passed'],
      ['rms_norm::rms_norm', 'passed'],
      ['residual', 'passed'],
      ['rms_norm::backward', 'passed'],
      ['rms_norm::forward', 'passed'],
    ])
    expect(printed.operators.map(({ generated }) => generated !== undefined)).toEqual([
      false,
      false,
      false,
      true,
      true,
    ])
    const rows = printed.results.filter((row) => row.op === 'rms_norm::rms_norm')
    const names = operatorCheckName.options
    expect(rows.map((row) => row.check)).toEqual([...names, ...names])
    expect(rows.filter((row) => row.status === 'failed')).toEqual([])
    expect(rows.find((row) => row.check === 'meta')?.status).toBe('passed')
    for (const row of printed.results) expect(row.reason, row.check).not.toBe('')
  })

  it('a failure shows its finding, its inputs, what to do and its line, with exit code 1', async () => {
    const asked = ['--op', 'wrong_operators::hidden_mutation', '--args', '["x"]']
    const { code, printed } = await checkJson(wrong, ...asked)
    expect([code, printed.ok]).toEqual([1, false])
    const failed = printed.results.filter((row) => row.status === 'failed')
    expect(failed.map((row) => row.check)).toEqual(['mutation'])
    const [row] = failed
    expect(row).toMatchObject({ input: 'x', index: [0, 0], file: path.join(wrong, 'op.cpp') })
    expect(row?.line).toBe(lineOf('hidden_mutation('))
    expect(row?.advice).toContain('Tensor(a!)')

    const text = await opsmith('check', wrong, ...asked)
    expect(text.code).toBe(1)
    expect(text.stdout).toMatch(
      /^FAILED wrong_operators::hidden_mutation\(x\): \d+ passed, 1 failed/,
    )
    expect(text.stdout).toMatch(/^ {2}✗ mutation .*\bx\b/m)
    expect(text.stdout).toMatch(/^ +at x\[0, 0\]$/m)
    expect(text.stdout).toMatch(/^ +→ .*Tensor\(a!\)/m)
    expect(text.stdout).toContain(`look at op.cpp:${row?.line ?? 0}\n`)
    expect(text.stdout).toMatch(/^ {2}✓ aliasing /m)
    expect(text.stdout).toContain('0 of 1 operators are as expected.')
  })

  it('the smallest failing shape is named, and the registration if that is wrong', async () => {
    const tail = await checkJson(
      wrong,
      '--op',
      'wrong_operators::unwritten_tail',
      '--args',
      '["x"]',
    )
    const unwritten = tail.printed.results.find((row) => row.check === 'unwritten')
    expect(unwritten).toMatchObject({
      status: 'failed',
      output: 0,
      shownBy: 'x float64[1, 1] of zeros',
    })
    const { printed } = await checkJson(
      wrong,
      '--op',
      'wrong_operators::no_autograd',
      '--args',
      '["w"]',
    )
    const failed = printed.results.filter((row) => row.status === 'failed')
    expect(failed.length).toBeGreaterThan(0)
    for (const row of failed) expect(row.line).toBe(lineOf('m.impl("no_autograd"'))
  })

  it('only the named checks run, with the given shapes and seed', async () => {
    const asked = ['--op', 'wrong_operators::unwritten_tail', '--args', '["x"]']
    const { code, printed } = await checkJson(
      wrong,
      ...asked,
      '--check',
      'mutation',
      'aliasing',
      '--shapes',
      '0',
      '--seed',
      '3',
    )
    expect(code).toBe(0)
    expect(printed.results.map((row) => row.check)).toEqual(['mutation', 'aliasing'])
  })

  it('the checks of opsmith.json apply: expected failures, skips with their reasons, other inputs', async () => {
    const folder = withChecks([
      wrongOp('right'),
      wrongOp('unwritten_tail', { expect: 'failed' }),
      wrongOp('hidden_mutation', { skip: { mutation: 'known, and too late to change' } }),
      wrongOp('right', { expect: 'failed', checks: ['mutation'] }),
      wrongOp('right', {
        inputs: { x: { shape: [3], dtype: 'float32' } },
        checks: ['precision', 'mutation'],
        shapes: 0,
      }),
    ])
    const { code, printed } = await checkJson(folder)
    expect(code).toBe(1)
    expect(printed.operators.map((one) => [one.verdict, one.asExpected])).toEqual([
      ['passed', true],
      ['failed', true],
      ['passed', true],
      ['passed', false],
      ['passed', true],
    ])
    const left = printed.results.find((row) => row.reason === 'known, and too late to change')
    expect(left).toMatchObject({ check: 'mutation', status: 'skipped' })
    // Asked for by name, it is made all the same.
    const asked = ['--op', 'wrong_operators::hidden_mutation', '--check', 'mutation']
    const named = await checkJson(folder, ...asked)
    expect([named.code, named.printed.results[0]?.status]).toEqual([1, 'failed'])
  })

  it('the results are written as JUnit XML and as a report', async () => {
    const folder = withChecks([
      wrongOp('right'),
      wrongOp('writes_past'),
      wrongOp('unwritten_tail', { expect: 'failed' }),
    ])
    const { code } = await opsmith(
      'check',
      folder,
      '--junit',
      'out/check.xml',
      '--html',
      'out/check.html',
    )
    expect(code).toBe(1)
    const junit = readXml(fs.readFileSync(path.join(cache.home, 'out/check.xml'), 'utf8'))
    expect(junit.attributes.get('failures')).toBe('1')
    expect(junit.attributes.get('errors')).toBe('0')
    expect(junit.children.map((suite) => suite.attributes.get('name'))).toEqual([
      'wrong_operators::right(x)',
      'wrong_operators::writes_past(x)',
      'wrong_operators::unwritten_tail(x)',
    ])
    const [right, past, expected] = junit.children
    expect(right?.attributes.get('tests')).toBe(String(operatorCheckName.options.length))
    expect(past?.attributes.get('failures')).toBe('1')
    expect(expected?.attributes.get('tests')).toBe('1')
    const html = fs.readFileSync(path.join(cache.home, 'out/check.html'), 'utf8')
    expect(html.match(/<h2 id="check-/g)).toHaveLength(3)
    expect(html).toContain('past the end of output 0')
    expect(html).toContain('2 of 3 operators are as expected.')
  })

  it('a crash or an endless loop is the outcome of its operator, and the others are checked', async () => {
    for (const [name, more, verdict, words] of [
      ['null_write', {}, 'failed', /the call ends in a memory fault, at op\.cpp:\d+/],
      // The time of an operator is that of the op host, whatever its copies do.
      ['endless_loop', { timeout: 5 }, 'error', /No result within the limit of 5 s.*op\.cpp:\d+/],
    ] as const) {
      const folder = copyProject(path.join(root, 'test/cases/crash', name), cache)
      const file = path.join(folder, 'opsmith.json')
      const manifest = JSON.parse(fs.readFileSync(file, 'utf8')) as object
      const checks = [
        { op: `${name}::run`, args: ['x'], checks: ['mutation'], ...more },
        { op: 'aten::neg', args: ['x'] },
      ]
      fs.writeFileSync(file, JSON.stringify({ ...manifest, checks }))
      const { code, printed } = await checkJson(folder)
      expect(code, name).toBe(1)
      expect(printed.operators.map((one) => one.verdict)).toEqual([verdict, 'passed'])
      const [row] = printed.results
      expect(row).toMatchObject({ op: `${name}::run`, status: 'failed' })
      expect(row?.reason).toMatch(words)
      if (name === 'null_write') expect(row?.file).toBe(path.join(folder, 'op.cpp'))
    }
  })

  it('failures are kept in opsmith.json, where each becomes a check', async () => {
    const folder = withChecks([
      wrongOp('float_inside', { checks: ['precision'] }),
      wrongOp('unwritten_tail', { expect: 'failed' }),
      wrongOp('right'),
    ])
    const first = await checkJson(folder, '--keep')
    expect(first.code).toBe(1)
    const kept = { op: 'wrong_operators::float_inside', check: 'precision', entry: 3 }
    expect(first.printed.kept).toEqual([{ ...kept, added: true }])
    const again = await opsmith('check', folder, '--keep')
    expect(again.code).toBe(1)
    expect(again.stdout).toMatch(
      /^precision of wrong_operators::float_inside is already in opsmith\.json: check 4$/m,
    )
    expect(again.stdout).toContain('2 of 4 operators are as expected.')
  })

  it('the checks are part of the report on the project', async () => {
    const { code, stdout } = await opsmith('report', withChecks([wrongOp('hidden_mutation')]))
    expect(code).toBe(1)
    expect(stdout).toMatch(/\nOperator checks\n-+\nFAILED wrong_operators::hidden_mutation\(x\)/)
    expect(stdout).toContain('✗ mutation')
    expect(stdout).toContain('0 of 1 operators are as expected.')
  })

  it('a command that cannot give an answer exits with 2 and states what to do', async () => {
    const none = await checkJson(withChecks([]))
    expect(none.code).toBe(2)
    expect(none.printed.error?.message).toContain('nothing to check')
    expect(none.printed.error?.hint).toContain('"checks" in opsmith.json is an empty list')
    for (const [args, words] of [
      [['--op', 'aten::q_scale'], 'calls generated from its schema'],
      [['--op', 'wrong_operators::nothing', '--args', '["x"]'], 'nothing'],
      [['--op', 'wrong_operators::right', '--args', '["nope"]'], 'nope'],
      [['--op', 'wrong_operators::right', '--check', 'everything'], '"everything"'],
      [['--shapes', 'many'], '--shapes must be an integer'],
    ] as const) {
      const { code, stderr } = await opsmith('check', wrong, ...args)
      expect(code, stderr).toBe(2)
      expect(stderr).toContain(words)
      expect(stderr).not.toMatch(/\n\s+at /)
    }
  })

  it('--sanitize adds the checks of a sanitized build to every form of output', async () => {
    const folder = copyProject(path.join(root, 'test/cases/sanitize/stable_memory'), cache)
    const junit = path.join(cache.home, 'sanitized.xml')
    const html = path.join(cache.home, 'sanitized.html')
    const { code, printed } = await checkJson(
      folder,
      '--sanitize',
      '--op',
      'stable_memory::read_past',
      '--args',
      '["x"]',
      '--check',
      'mutation',
      '--shapes',
      '0',
      '--junit',
      junit,
      '--html',
      html,
    )
    expect([code, printed.ok]).toEqual([1, false])
    expect(printed.results.map(({ check, status }) => [check, status])).toEqual([
      ['mutation', 'passed'],
      ['address_sanitizer', 'failed'],
      ['undefined_behaviour_sanitizer', 'passed'],
    ])
    const source = fs.readFileSync(path.join(folder, 'op.cpp'), 'utf8').split('\n')
    const line = source.findIndex((text) => text.includes('from[i + 1]')) + 1
    expect(printed.results[1]).toMatchObject({
      reason: 'heap-buffer-overflow: reads 4 bytes, 0 bytes past the end of input x (24 bytes)',
      input: 'x',
      file: path.join(folder, 'op.cpp'),
      line,
      sanitizer: { kind: 'heap-buffer-overflow', access: 'read', bytes: 4 },
    })
    const cases = fs.readFileSync(junit, 'utf8')
    expect(cases).toMatch(
      /name="address_sanitizer"[^>]*>\s*<failure message="heap-buffer-overflow: reads/,
    )
    expect(cases).toContain(`look at op.cpp:${line}`)
    expect(fs.readFileSync(html, 'utf8')).toContain('past the end of input x (24 bytes)')

    // Not asked for: skipped, with how to ask.
    const { stdout } = await opsmith('check', folder, '--shapes', '0')
    expect(stdout).toMatch(
      /– address_sanitizer +this check is off by default, because it needs a build with sanitizers; .*--sanitize/,
    )
  })
})
