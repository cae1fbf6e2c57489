import fs from 'node:fs'
import path from 'node:path'

import { beforeAll, describe, expect, it } from 'vitest'

import { checkEntry } from '../../electron/contract/manifest'
import type { CheckEntry } from '../../electron/contract/manifest'
import type {
  PlacedFinding,
  PlacedOperatorCheckReport,
} from '../../electron/contract/operator-check'
import { unwrap } from '../../electron/contract/outcome'
import type { Result } from '../../electron/contract/outcome'
import { readManifest } from '../../electron/engine/project/read-manifest'
import { copyProject, root } from '../support/installation'
import { useWorkbench } from '../support/workbench'

const { workbench, cache } = useWorkbench()
let folder: string
const limits = { timeout: 170 }

beforeAll(async () => {
  folder = copyProject(path.join(root, 'test/cases/operator-checks/generated_inputs'), cache)
  expect(unwrap(await workbench.builds.build(folder)).ok).toBe(true)
})

const entryOf = (name: string, more: object = {}): CheckEntry =>
  checkEntry.parse({ op: name.includes('::') ? name : `generated_inputs::${name}`, ...more })

async function check(name: string, more: object = {}): Promise<Result<PlacedOperatorCheckReport>> {
  return await workbench.operatorChecks.run(folder, entryOf(name, more), limits)
}

/** The mutation check alone, which all of the wrong operators here fail. */
async function mutation(name: string, more: object): Promise<PlacedFinding> {
  const report = unwrap(await check(name, { checks: ['mutation'], ...more }))
  const [finding] = report.findings
  if (!finding) throw new Error('there is no finding')
  return finding
}

const x = { shape: ['N'], dtype: 'float64' }

describe('inputs made from a schema', () => {
  const made = async (name: string): Promise<[unknown, string[]]> => {
    const report = unwrap(await check(name, { checks: ['determinism'] }))
    expect(report.ok, name).toBe(true)
    const { args, inputs } = report.generated ?? { args: [], inputs: {} }
    const words = Object.entries(inputs).map(
      ([input, { dtype, shape }]) => `${input} ${dtype}[${shape?.join(', ') ?? ''}]`,
    )
    return [args, words]
  }

  it('made inputs have the shapes and dtypes that the operator accepts', async () => {
    expect(await made('matrices')).toEqual([
      ['a', 'b'],
      ['a float32[3, 4]', 'b float32[4, 5]'],
    ])
    expect(await made('labelled')).toEqual([
      ['x', 'label'],
      ['x float32[3, 4]', 'label int64[3]'],
    ])
    expect(await made('aten::linear')).toEqual([
      ['input', 'weight'],
      ['input float32[3, 4]', 'weight float32[3, 4]'],
    ])
  })

  it('inputs are made for every type of a schema', async () => {
    const [args, words] = await made('of_everything')
    expect(args).toEqual([['many_0', 'many_1'], [2, 2], 2, 1, true, 'mean', 'mask'])
    expect(words).toEqual(['many_0 float32[3, 4]', 'many_1 float32[3, 4]', 'mask float32[3, 4]'])
  })

  it('an operator that refuses every made input is refused with what was tried and why', async () => {
    const result = await check('never')
    if (result.ok) throw new Error('never was checked')
    expect(result.error.code).toBe('input.invalid')
    expect(result.error.message).toMatch(
      /never refuses all of the \d+ calls .*x float32\[3, 4\]: not today/,
    )
    expect(result.error.hint).toContain('`checks` in opsmith.json')
    // Each call is there, for those who want to know.
    expect(result.error.detail).toContain('x complex64[2, 3, 8, 8]: not today')
  })

  it('a made input that crashes the operator leaves the op host alive and is reported', async () => {
    const result = await check('ends_the_process')
    if (result.ok) throw new Error('it was checked')
    expect(result.error.code).toBe('input.invalid')
    expect(result.error.message).toMatch(/could not be called with generated inputs.*an abort/)
    expect(result.error.hint).toContain('`checks` in opsmith.json')
  })

  it('only listed operators are checked; without a list every operator is checked with guessed inputs', async () => {
    const listed = unwrap(await workbench.operatorChecks.entries(folder, limits))
    expect(listed.map(({ op }) => op)).toEqual(['generated_inputs::matrices'])
    const other = copyProject(path.join(root, 'test/cases/operator-checks/generated_inputs'), cache)
    const file = path.join(other, 'opsmith.json')
    const text = fs.readFileSync(file, 'utf8')
    fs.writeFileSync(file, text.replace(/"checks": \[[^\]]*\]/, '"calls": []'))
    expect(unwrap(await workbench.builds.build(other)).ok).toBe(true)
    const all = unwrap(await workbench.operatorChecks.entries(other, limits))
    expect(all).toHaveLength(9)
    const some = all.filter(({ op }) => /never|ends_the|labelled/.test(op))
    const outcomes = unwrap(await workbench.operatorChecks.runAll(other, limits, { entries: some }))
    const verdicts = outcomes.map(({ op, verdict, asExpected }) => [op, verdict, asExpected])
    expect(Object.fromEntries(verdicts.map(([op, ...rest]) => [op, rest]))).toEqual({
      // Nobody said how to call it.
      'generated_inputs::never': ['skipped', true],
      // Inputs that nobody gave may be what ends the process.
      'generated_inputs::ends_the_process': ['skipped', true],
      'generated_inputs::labelled': [expect.any(String), expect.any(Boolean)],
    })
    // The first project is loaded again for the tests that follow.
    expect(unwrap(await workbench.builds.build(folder)).ok).toBe(true)
  })
})

describe('inputs drawn from ranges', () => {
  it('ranges reach sizes that no guess would, and the failure shrinks to the smallest one', async () => {
    const guessed = await mutation('wrong_when_long', {
      args: ['x', 1],
      inputs: { x: { ...x, shape: [4] } },
      shapes: 30,
    })
    expect(guessed.status).toBe('passed')
    const found = await mutation('wrong_when_long', {
      args: ['x', 'N'],
      inputs: { x },
      sizes: { N: { min: 1, max: 64 } },
      shapes: 30,
    })
    expect(found).toMatchObject({ status: 'failed', shownBy: 'x float64[41] of zeros, size = 41' })
    expect(found.shownCase).toMatchObject({
      args: ['x', 41],
      inputs: { x: { shape: [41], distribution: 'zeros' } },
    })
  })

  it('a shrunk failure stays within its ranges', async () => {
    const found = await mutation('wrong_when_long', {
      args: ['x', 1],
      inputs: { x },
      sizes: { N: { min: 50, max: 64 } },
    })
    expect(found.shownCase?.inputs['x']?.shape).toEqual([50])
  })

  it('ranges of arguments give whole and real numbers', async () => {
    const asked = { args: ['x', 'k', 'alpha'], inputs: { x }, sizes: { N: { min: 1, max: 3 } } }
    const found = await mutation('wrong_at', {
      ...asked,
      integers: { k: { min: -4, max: -1 } },
      floats: { alpha: { min: 0, max: 2 } },
      shapes: 100,
    })
    expect(found.status).toBe('failed')
    const [, k, alpha] = found.shownCase?.args ?? []
    expect(k).toBe(-3)
    expect(alpha).toBeGreaterThan(1.5)
    const outside = await mutation('wrong_at', {
      ...asked,
      integers: { k: { min: -2, max: -1 } },
      floats: { alpha: { min: 0, max: 2 } },
      shapes: 100,
    })
    expect(outside.status).toBe('passed')
  })

  it('every dtype of the list is tried', async () => {
    const asked = { args: ['x'], inputs: { x: { ...x, shape: [3] } } }
    expect((await mutation('wrong_in_float32', asked)).status).toBe('passed')
    const found = await mutation('wrong_in_float32', { ...asked, dtypes: ['float64', 'float32'] })
    expect(found.shownCase?.inputs['x']).toMatchObject({ dtype: 'float32', shape: [1] })
  })

  it('the same seed draws the same inputs', async () => {
    const asked = {
      args: ['x', 'k', 'alpha'],
      inputs: { x },
      sizes: { N: { min: 1, max: 3 } },
      integers: { k: { min: -4, max: -1 } },
      floats: { alpha: { min: 0, max: 2 } },
      shapes: 60,
      seed: 5,
    }
    const once = await mutation('wrong_at', asked)
    const again = await mutation('wrong_at', asked)
    expect(again).toEqual(once)
  })
})

describe('a failure that was found by operator checks', () => {
  const between = { args: ['x'], inputs: { x: { shape: [6, 5], dtype: 'float64', seed: 3 } } }

  it('the failure has the simplest values that show it', async () => {
    const found = await mutation('wrong_between', between)
    const spec = found.shownCase?.inputs['x']
    expect(spec?.shape).toEqual([1, 1])
    const [[value] = []] = (spec?.values ?? []) as number[][]
    // Neither 0 nor 1 does: a number of one digit is the simplest.
    expect(value).toBeGreaterThan(0.25)
    expect(value).toBeLessThan(0.75)
    expect(String(value)).toMatch(/^0\.\d$/)
    expect(found.shownBy).toBe(`x float64[1, 1] = [[${String(value)}]]`)
  })

  it('a kept failure leaves the other text of opsmith.json unchanged and fails there alone', async () => {
    const file = path.join(folder, 'opsmith.json')
    const before = fs.readFileSync(file, 'utf8')
    const found = await mutation('wrong_between', between)
    const { check: name, shownCase } = found
    if (!shownCase) throw new Error('nothing shows it')
    const failure = { check: name, shownCase }
    const entry = entryOf('wrong_between', between)
    const kept = unwrap(await workbench.operatorChecks.keep(folder, entry, failure))
    expect(kept).toEqual({ entry: 1, added: true })
    const after = fs.readFileSync(file, 'utf8')
    expect(after).toContain('// from its schema')
    expect(after).toContain('// Kept entries stand below; this comment stays.')
    expect(
      after.replace(/, \/\/ from its schema\n[\s\S]*\n {2}\]/, ' // from its schema\n  ]'),
    ).toBe(before)
    const manifest = unwrap(await readManifest(folder))
    const last = manifest.checks?.at(-1)
    expect(last).toMatchObject({
      op: 'generated_inputs::wrong_between',
      args: ['x'],
      checks: ['mutation'],
      shapes: 0,
    })
    const again = unwrap(await workbench.operatorChecks.run(folder, last!, limits))
    expect(again.findings).toMatchObject([{ check: 'mutation', status: 'failed', shownBy: '' }])
    // The same again is no second entry.
    expect(unwrap(await workbench.operatorChecks.keep(folder, entry, failure))).toEqual({
      entry: 1,
      added: false,
    })
    expect(fs.readFileSync(file, 'utf8')).toBe(after)
  })

  it('a kept failure has its seed where drawn values are the simplest', async () => {
    const found = await mutation('wrong_at', {
      args: ['x', -3, 1.75],
      inputs: { x: { shape: [2], dtype: 'complex128', seed: 4 } },
      shapes: 0,
    })
    expect(found.shownCase?.inputs['x']).toMatchObject({ shape: [1], distribution: 'zeros' })
    const random = unwrap(
      await check('aten::matmul', {
        args: ['a', 'b'],
        inputs: {
          a: { shape: ['M', 'K'], seed: 11 },
          b: { shape: ['K', 'M'], seed: 12 },
        },
        sizes: { M: { min: 1, max: 9 }, K: { min: 1, max: 9 } },
      }),
    )
    expect(random.findings.filter(({ status }) => status === 'failed')).toEqual([])
  })

  it('keeping the first failure also lists the operators that were checked without a list', async () => {
    const other = copyProject(path.join(root, 'test/cases/operator-checks/generated_inputs'), cache)
    const file = path.join(other, 'opsmith.json')
    const call = '"calls": [{ "op": "generated_inputs::wrong_between", "args": ["x"] }]'
    const text = fs.readFileSync(file, 'utf8').replace(/"checks": \[[^\]]*\]/, call)
    fs.writeFileSync(file, text)
    expect(unwrap(await workbench.builds.build(other)).ok).toBe(true)
    const entries = unwrap(await workbench.operatorChecks.entries(other, limits))
    const [entry] = entries
    const report = unwrap(await workbench.operatorChecks.run(other, entry!, limits))
    const found = report.findings.find(({ check: name }) => name === 'mutation')
    const failure = { check: found!.check, shownCase: found!.shownCase! }
    const kept = unwrap(await workbench.operatorChecks.keep(other, entry!, failure))
    expect(kept).toEqual({ entry: entries.length, added: true })
    const listed = unwrap(await readManifest(other)).checks ?? []
    expect(listed.slice(0, -1)).toEqual(entries)
    expect(listed.at(-1)?.checks).toEqual(['mutation'])
  })
})
