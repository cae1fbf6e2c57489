import path from 'node:path'

import { beforeAll, describe, expect, it } from 'vitest'

import { checkEntry } from '../../electron/contract/manifest'
import type { PlacedFinding } from '../../electron/contract/operator-check'
import { unwrap } from '../../electron/contract/outcome'
import { opsmith } from '../support/command-line'
import { copyProject, root } from '../support/installation'
import { useWorkbench } from '../support/workbench'

const { workbench, cache } = useWorkbench()
let folder: string

beforeAll(async () => {
  folder = copyProject(path.join(root, 'test/cases/operator-checks/ending_operators'), cache)
  expect(unwrap(await workbench.builds.build(folder)).ok).toBe(true)
})

async function check(name: string, more: object = {}): Promise<PlacedFinding[]> {
  const entry = checkEntry.parse({ op: `ending_operators::${name}`, args: ['x'], ...more })
  return unwrap(await workbench.operatorChecks.run(folder, entry, { timeout: 170 })).findings
}

const named = (findings: readonly PlacedFinding[], name: string): PlacedFinding | undefined =>
  findings.find((finding) => finding.check === name)
const failed = (findings: readonly PlacedFinding[]): string[] =>
  findings.filter(({ status }) => status === 'failed').map((finding) => finding.check)

describe('a call that ends its process', () => {
  it('costs the verdict of one check, which has the line and the stack', async () => {
    const findings = await check('faults_when_strided')
    expect(failed(findings)).toEqual(['layouts'])
    const layouts = named(findings, 'layouts')
    expect(layouts?.reason).toMatch(
      /a call that this check makes ends in a memory fault, at op\.cpp:\d+/,
    )
    expect(path.basename(layouts?.file ?? '')).toBe('op.cpp')
    expect(layouts?.stack?.filter(({ isUser }) => isUser).map(({ symbol }) => symbol)).toEqual(
      expect.arrayContaining([expect.stringContaining('faults_when_strided')]),
    )
    expect(layouts?.shownCase?.inputs['x']).toBeDefined()
    expect(named(findings, 'determinism')?.status).toBe('passed')
  })

  it('at other sizes only, is shown with the smallest of them', async () => {
    const findings = await check('faults_when_wide', {
      inputs: { x: { shape: [2, 'N'], dtype: 'float64' } },
      sizes: { N: { min: 1, max: 64 } },
    })
    expect(failed(findings)).toEqual(['writes_outside'])
    expect(named(findings, 'writes_outside')).toMatchObject({
      reason: expect.stringMatching(/the call ends in a memory fault, at op\.cpp:\d+/) as string,
      shownBy: 'x float64[2, 21] of zeros',
    })
    expect(named(findings, 'determinism')?.status).toBe('passed')
  })

  it.each([
    ['always_faults', /ends in a memory fault, at op\.cpp:/],
    ['throws_where_nobody_catches', /an uncaught exception \(.*lost in a thread\)/],
    ['exits', /ends in exit\(3\), at op\.cpp:/],
  ])('with the given inputs, as %s does, is one failure', async (name, reason) => {
    const findings = await check(name)
    expect(failed(findings)).toEqual(['writes_outside'])
    expect(named(findings, 'writes_outside')?.reason).toMatch(reason)
    expect(named(findings, 'registration')?.status).toBe('passed')
    expect(named(findings, 'layouts')?.reason).toMatch(/the call itself is not safe/)
  })

  it('with inputs that were made up is no failure', async () => {
    const entries = ['always_faults', 'count_rows'].map((name) =>
      checkEntry.parse({ op: `ending_operators::${name}` }),
    )
    const outcomes = unwrap(
      await workbench.operatorChecks.runAll(folder, { timeout: 170 }, { entries }),
    )
    expect(outcomes.map(({ verdict }) => verdict)).toEqual(['skipped', expect.any(String)])
    expect(outcomes[0]?.error?.message).toContain('could not be called with generated inputs')
    const [, rows] = outcomes
    expect(failed(rows?.report?.findings ?? [])).not.toContain('writes_outside')
  })

  it('prints nothing to the terminal', async () => {
    const operator = 'ending_operators::noisy'
    const printed = await opsmith(cache, 'check', folder, '--op', operator, '--args', '["x"]')
    const { stdout, stderr } = printed
    expect(stdout).toContain('✓ determinism')
    expect(stdout + stderr).not.toContain('noise')
  })
})

describe('integers', () => {
  it('that point into sizes stay as they are where a failure is shrunk', async () => {
    const findings = await check('count_rows', { args: ['rows', 5] })
    expect(failed(findings)).toEqual(['meta'])
    expect(named(findings, 'meta')?.shownCase).toMatchObject({
      args: ['rows', 5],
      inputs: { rows: { values: [4, 0, 2, 4] } },
    })
  })

  it('that are computed from rounded values are not compared as if they were floats', async () => {
    const findings = await check('buckets', {
      inputs: { x: { shape: [64], dtype: 'float64', distribution: 'rand', low: 0, high: 0.2 } },
      checks: ['dtypes'],
    })
    expect(named(findings, 'dtypes')).toMatchObject({
      status: 'passed',
      reason: expect.stringContaining('bfloat16') as string,
    })
  })

  it('that are drawn are not moved past the size that they point into', async () => {
    const findings = await check('count_rows', {
      args: ['rows', 5],
      inputs: { rows: { shape: [5], dtype: 'int64', distribution: 'randint', low: 0, high: 5 } },
    })
    expect(failed(findings)).toEqual(['meta'])
    expect(named(findings, 'meta')?.shownCase?.args).toEqual(['rows', 5])
  })
})

describe('threads', () => {
  it('whose order changes the answer are found', async () => {
    const findings = await check('order_of_threads', { checks: ['determinism'] })
    expect(failed(findings)).toContain('determinism')
  })
})

describe('rounding', () => {
  it('that differs in each call is not taken for what NaN changes', async () => {
    const findings = await check('rounds_differently', { checks: ['nan'] })
    expect(named(findings, 'nan')).toMatchObject({ status: 'passed' })
  })
})

describe('inputs', () => {
  it('that are written and set back are called written', async () => {
    const mutation = named(await check('writes_and_undoes'), 'mutation')
    expect(mutation).toMatchObject({ status: 'failed', input: 'x' })
    expect(mutation?.reason).toMatch(/x is written during the call/)
  })

  it('that are the same tensor give what equal ones give', async () => {
    const layouts = named(await check('tells_same_apart', { args: ['x', 'y'] }), 'layouts')
    expect(layouts?.reason).toMatch(/with the same tensor as x and y/)
  })
})

describe('a cause that is no layout', () => {
  const gradient = { inputs: { x: { shape: [4, 6], dtype: 'float64', requires_grad: true } } }

  it('an answer that is kept by address is called that', async () => {
    const findings = await check('kept_by_address')
    expect(failed(findings)).not.toContain('layouts')
    expect(named(findings, 'determinism')?.advice).toContain('Do not use an address')
  })

  it('a negated view needs resolve_neg(), not contiguous()', async () => {
    const layouts = named(await check('ignores_sign'), 'layouts')
    expect(layouts?.status).toBe('failed')
    expect(layouts?.advice).toContain('resolve_neg()')
    expect(layouts?.advice).not.toContain('contiguous()')
  })

  it.each([
    ['unwritten_gradient', 'unwritten', /of the gradient of x depends on old contents of memory/],
    ['scaled_in_place', 'determinism', /two backward calls with the same grad_output differ/],
  ])('the gradient of %s is a failure of the check %s', async (name, check_, reason) => {
    const findings = await check(name, gradient)
    expect(failed(findings)).not.toContain('layouts')
    expect(named(findings, check_)?.reason).toMatch(reason)
  })
})
