import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import type { Argument, InputSpec } from '../../electron/contract/manifest'
import { inputSpec } from '../../electron/contract/manifest'
import type { RunReport } from '../../electron/contract/run'
import { runReport } from '../../electron/contract/run'
import type { TensorHandle } from '../../electron/contract/tensor'
import type { NativeAddon } from '../../electron/host/addon'
import { askPython } from '../support/python'
import { failureOf, fixtureLibrary, loadAddon } from './fixture'

let addon: NativeAddon

beforeAll(async () => {
  addon = loadAddon()
  await addon.call('library.load', { path: fixtureLibrary('operators') })
})
afterAll(async () => {
  await addon.call('library.unload', {})
})

type Specs = Record<string, Partial<InputSpec>>
const specs: Specs = {
  x: { shape: [2, 3], requires_grad: true },
  y: { shape: [2, 3], distribution: 'rand' },
  z: {
    values: [
      [1, 'nan', 0],
      ['-inf', 2, 'inf'],
    ],
    dtype: 'float64',
  },
}

async function run(
  op: string,
  args: Argument[],
  more: { inputs?: Specs; reference?: string; rtol?: number; atol?: number } = {},
): Promise<RunReport> {
  const given = Object.entries({ ...specs, ...more.inputs })
  const inputs = Object.fromEntries(given.map(([name, spec]) => [name, inputSpec.parse(spec)]))
  const { inputs: _, ...rest } = more
  const report = await addon.call('operator.run', { op, args, inputs, ...rest })
  expect(runReport.parse(report)).toEqual(report)
  return report
}

function tensor(report: RunReport, output = 0): TensorHandle {
  const value = report.outputs[output]
  if (value?.kind !== 'tensor') throw new Error(`output ${output} is no tensor`)
  return value
}

async function values(handle: TensorHandle): Promise<number[]> {
  const page = await addon.call('tensor.page', {
    handle: handle.handle,
    index: handle.shape.slice(0, -2).map(() => 0),
    rowStart: 0,
    rowCount: 1024,
    columnStart: 0,
    columnCount: 1024,
  })
  return page.values
}

describe('a call of an operator', () => {
  it('a call takes the inputs it names, fills in defaults and records gradients', async () => {
    const report = await run('fixture::scaled', ['x', 'y'], { reference: '3 * x - y' })
    expect(tensor(report)).toMatchObject({
      shape: [2, 3],
      strides: [3, 1],
      dtype: 'float32',
      requiresGrad: true,
      gradFn: 'SubBackward0',
    })
    expect(report.inputs.map(({ name }) => name)).toEqual(['x', 'y'])
    expect(report.comparisons).toMatchObject([
      { matches: true, total: 6, rtol: 1.3e-6, atol: 1e-5 },
    ])
  })

  it('results in tuples and lists are flattened, and results that are not tensors are printed', async () => {
    const report = await run('fixture::many', ['x'])
    expect(report.outputs.map(({ kind }) => kind)).toEqual([
      'tensor',
      'tensor',
      'tensor',
      'value',
      'value',
    ])
    expect(report.outputs.slice(3)).toEqual([
      { kind: 'value', type: 'float', text: '2.5' },
      { kind: 'value', type: 'str', text: 'text' },
    ])
  })

  it('an operator that writes to its input is compared with the input as it was before', async () => {
    const report = await run('fixture::twice', ['y'], { reference: 'y * 2' })
    expect(report.comparisons[0]).toMatchObject({ matches: true, maxAbsolute: 0 })
  })

  it('dtypes, devices, None and lists are read as the schema asks', async () => {
    const made = await run('fixture::make', ['n', 'bfloat16', null, [2, 5], 'cpu'])
    expect(tensor(made)).toMatchObject({ dtype: 'bfloat16', shape: [2, 5] })
    const square = await run('fixture::make', ['n', 'int16', null, 4, 'cpu'])
    expect(tensor(square)).toMatchObject({ dtype: 'int16', shape: [4, 4] })
    expect(await run('fixture::pick.number', [7])).toMatchObject({
      op: 'fixture::pick.number',
      outputs: [{ text: '7' }],
    })
  })

  it.each<[string, string, Argument[], string]>([
    [
      'a name that is no input',
      'fixture::scaled',
      ['x', 'q'],
      '"q" is not an input of the project; the inputs are: x, y, z',
    ],
    ['a missing argument', 'fixture::scaled', ['x'], 'argument y: Tensor expected'],
    [
      'too many arguments',
      'fixture::scaled',
      ['x', 'y', 1, 2],
      'takes 3 argument(s), but 4 were given',
    ],
    [
      'a wrong type',
      'fixture::scaled',
      ['x', 'y', [1]],
      'argument factor: float expected, [1] given',
    ],
    [
      'a fraction for an int',
      'fixture::make',
      ['n', 'int16', null, [2.5, 1], 'cpu'],
      'argument size: int[2] expected, 2.5 given',
    ],
    [
      'an unknown dtype',
      'fixture::make',
      ['n', 'floaty', null, [1, 1], 'cpu'],
      'argument dtype: ScalarType expected, "floaty" given',
    ],
  ])('a call with %s is refused', async (_title, op, args, words) => {
    const failure = await failureOf(run(op, args))
    expect(failure.code).toBe('input.invalid')
    expect(failure.message).toContain(words)
  })

  it('a failed TORCH_CHECK gives its message and place, and other exceptions give their type', async () => {
    const check = await failureOf(
      run('fixture::scaled', ['x', 'w'], { inputs: { w: { shape: [3] } } }),
    )
    expect(check).toMatchObject({ code: 'operator.check', message: 'scaled: sizes differ' })
    expect(check.file).toMatch(/operators\.cpp$/)
    expect(check.line).toBeGreaterThan(0)
    const foreign = await failureOf(run('fixture::misbehave', ['x', 'throw']))
    expect(foreign).toMatchObject({ code: 'operator.check' })
    expect(foreign.message).toContain('type int')
  })

  it('the JavaScript thread stays free during a call', async () => {
    let busy = 0
    const timer = setInterval(() => {
      void addon.call('host.ping', {}).then(({ busySeconds }) => {
        busy = Math.max(busy, busySeconds)
      })
    }, 10)
    // On a busy machine this process may get no processor for as long as one call takes.
    for (let calls = 0; calls < 100 && busy <= 0.1; ++calls)
      await run('fixture::misbehave', ['x', 'sleep'])
    clearInterval(timer)
    expect(busy).toBeGreaterThan(0.1)
    expect((await addon.call('host.ping', {})).busySeconds).toBe(0)
  })
})

describe('a comparison with a reference', () => {
  it('the comparison finds the largest error and its place', async () => {
    const report = await run('fixture::nearly', ['y', 0.5], { reference: 'y' })
    expect(report.comparisons[0]).toMatchObject({
      matches: false,
      mismatched: 1,
      total: 6,
      index: [1, 0],
    })
    expect(report.comparisons[0]?.maxAbsolute).toBeCloseTo(0.5, 6)
    expect(report.comparisons[0]?.difference?.dtype).toBe('float64')
    const loose = await run('fixture::nearly', ['y', 0.5], { reference: 'y', atol: 1 })
    expect(loose.comparisons[0]).toMatchObject({ matches: true, atol: 1 })
  })

  it('NaN equals nothing, and an infinity equals itself', async () => {
    const report = await run('aten::clone', ['z'], { reference: 'z' })
    expect(report.comparisons[0]).toMatchObject({ matches: false, mismatched: 1, index: [0, 1] })
    expect(report.comparisons[0]?.maxAbsolute).toBeNaN()
  })

  it('a difference in shape, dtype or number of outputs is named', async () => {
    const words = async (reference: string): Promise<string | undefined> =>
      (await run('fixture::scaled', ['x', 'y'], { reference })).comparisons[0]?.message
    expect(await words('(3 * x - y)[0]')).toBe('shape [2, 3] instead of [3]')
    expect(await words('(3 * x - y).double()')).toBe('dtype float32 instead of float64')
    expect(await words('(x, y)')).toBe('1 output(s), but the reference gives 2')
  })

  it('int64 values are compared exactly beyond 2^53', async () => {
    const inputs: Specs = { n: { shape: [2], dtype: 'int64', distribution: 'full', low: 2 ** 60 } }
    const same = await run('aten::clone', ['n'], { inputs, reference: 'n' })
    expect(same.comparisons[0]).toMatchObject({ matches: true, rtol: 0, atol: 0 })
    const other = await run('aten::clone', ['n'], { inputs, reference: 'n + 1' })
    expect(other.comparisons[0]).toMatchObject({ matches: false, mismatched: 2, maxAbsolute: 1 })
  })

  it('a reference that does not compile is reported together with the result', async () => {
    const report = await run('fixture::scaled', ['x', 'y'], { reference: '3 * nothing' })
    expect(report.outputs).toHaveLength(1)
    expect(report.referenceError).toContain('undefined value nothing')
  })
})

describe('generated inputs', () => {
  const pythonScript = `
import json, torch
out = {}
for dtype in ["float64", "float32", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool"]:
    for shape in [[3], [17], [5, 7]]:
        for kind in ["randn", "rand", "randint"]:
            torch.manual_seed(5)
            type = getattr(torch, dtype)
            if kind == "randint":
                t = torch.randint(0, 2 if dtype == "bool" else 10, shape, dtype=type)
            elif type.is_floating_point:
                t = getattr(torch, kind)(shape, dtype=type)
            else:
                continue
            out[json.dumps([dtype, shape, kind])] = t.to(torch.float64).flatten().tolist()
print(json.dumps(out))
`
  it("inputs equal those of Python's torch.manual_seed bit for bit", async () => {
    const expected = (await askPython(pythonScript)) as Record<string, number[]>
    expect(Object.keys(expected).length).toBeGreaterThan(50)
    for (const [key, numbers] of Object.entries(expected)) {
      const [dtype, shape, distribution] = JSON.parse(key) as [
        InputSpec['dtype'],
        number[],
        InputSpec['distribution'],
      ]
      const inputs: Specs = { t: { dtype, shape, distribution, seed: 5 } }
      expect(await values(tensor(await run('aten::clone', ['t'], { inputs }))), key).toEqual(
        numbers,
      )
    }
  })

  it('an input without a seed takes its position as the seed', async () => {
    const inputs: Specs = { a: { shape: [4], seed: 4 }, b: { shape: [4] } }
    const given = await values(tensor(await run('aten::clone', ['a'], { inputs })))
    const placed = await values(tensor(await run('aten::clone', ['b'], { inputs })))
    expect(placed).toEqual(given)
  })

  it('an input that an operator wrote to is drawn as before the next time', async () => {
    const inputs: Specs = { a: { shape: [4], seed: 4 } }
    const given = await values(tensor(await run('aten::clone', ['a'], { inputs })))
    await run('aten::zero_', ['a'], { inputs })
    expect(await values(tensor(await run('aten::clone', ['a'], { inputs })))).toEqual(given)
    const scaled: Specs = { a: { shape: [4], seed: 4, std: 2 } }
    const twice = await values(tensor(await run('aten::clone', ['a'], { inputs: scaled })))
    expect(twice).toEqual(given.map((value) => 2 * value))
  })

  it('an input may have literal values, also NaN and infinities, which the statistics count', async () => {
    const report = await run('aten::clone', ['z'])
    expect(tensor(report).stats).toEqual({
      count: 6,
      nan: 1,
      posInf: 1,
      negInf: 1,
      zeros: 1,
      min: 0,
      max: 2,
      mean: 1,
      std: 1,
    })
    expect(await values(tensor(report))).toEqual([1, NaN, 0, -Infinity, 2, Infinity])
  })

  it.each<[string, Partial<InputSpec>, string]>([
    ['ragged values', { values: [[1, 2], [3]] }, 'values[1] has 1 elements'],
    [
      'a fraction for an integer',
      { values: [1.5], dtype: 'int32' },
      '1.5, which int32 cannot hold',
    ],
    [
      'values that do not fit the shape',
      { values: [1, 2], shape: [3] },
      'needs 3 values, but 2 are given',
    ],
    ['randn of integers', { shape: [2], dtype: 'int64' }, 'cannot make values of dtype int64'],
    [
      'a gradient of integers',
      { shape: [2], dtype: 'int64', distribution: 'ones', requires_grad: true },
      'cannot require grad',
    ],
    ['neither shape nor values', {}, 'needs a shape or values'],
  ])('an input with %s is refused', async (_title, spec, words) => {
    const failure = await failureOf(run('aten::clone', ['bad'], { inputs: { bad: spec } }))
    expect(failure.code).toBe('input.invalid')
    expect(failure.message).toContain('input bad: ')
    expect(failure.message).toContain(words)
  })
})

describe('tensors in the op host', () => {
  const page = { rowStart: 0, rowCount: 8, columnStart: 0, columnCount: 8 }

  it('a tensor is read in pages, which end at its edge', async () => {
    const inputs: Specs = { a: { shape: [2, 3, 4], distribution: 'arange' } }
    const { handle } = tensor(await run('aten::clone', ['a'], { inputs }))
    const part = { handle, index: [1], rowStart: 1, rowCount: 9, columnStart: 2, columnCount: 9 }
    expect(await addon.call('tensor.page', part)).toEqual({
      rows: 3,
      columns: 4,
      rowStart: 1,
      columnStart: 2,
      pageRows: 2,
      pageColumns: 2,
      values: [18, 19, 22, 23],
    })
    const outside = await failureOf(addon.call('tensor.page', { ...page, handle, index: [2] }))
    expect(outside.code).toBe('input.invalid')
  })

  it('values that a double cannot hold are written exactly', async () => {
    const inputs: Specs = {
      big: { shape: [1], dtype: 'int64', distribution: 'full', low: 2 ** 60 },
      c: { shape: [1], dtype: 'complex64', distribution: 'ones' },
    }
    const big = tensor(await run('aten::add.Scalar', ['big', 1], { inputs }))
    const exact = await addon.call('tensor.page', { ...page, handle: big.handle, index: [] })
    expect(exact.text).toEqual([String(2n ** 60n + 1n)])
    const complex = tensor(await run('aten::clone', ['c'], { inputs }))
    const pair = await addon.call('tensor.page', { ...page, handle: complex.handle, index: [] })
    expect(pair.text).toEqual(['(1+0j)'])
    expect(pair.values).toEqual([1])
  })

  it('values are counted into equal bins, the last of which includes its end', async () => {
    const inputs: Specs = { a: { shape: [10], distribution: 'arange' } }
    const { handle } = tensor(await run('aten::clone', ['a'], { inputs }))
    expect(await addon.call('tensor.histogram', { handle, bins: 3 })).toEqual({
      edges: [0, 3, 6, 9],
      counts: [3, 3, 4],
    })
    const { handle: odd } = tensor(await run('aten::clone', ['z']))
    expect((await addon.call('tensor.histogram', { handle: odd, bins: 2 })).counts).toEqual([1, 2])
  })

  it('a released tensor is gone, and the oldest one goes when there are too many', async () => {
    const first = tensor(await run('aten::clone', ['x'])).handle
    expect(
      (await addon.call('tensor.release', { handles: [first, first, 999_999] })).released,
    ).toBe(1)
    expect((await failureOf(addon.call('tensor.histogram', { handle: first, bins: 4 }))).code).toBe(
      'input.invalid',
    )
    const old = tensor(await run('aten::clone', ['x'])).handle
    for (let i = 0; i < 130; ++i) await run('aten::clone', ['x'])
    expect((await failureOf(addon.call('tensor.histogram', { handle: old, bins: 4 }))).code).toBe(
      'input.invalid',
    )
  })

  it('a tensor with any strides is described', async () => {
    const inputs: Specs = { a: { shape: [3, 4], distribution: 'arange' } }
    const report = await run('aten::t', ['a'], { inputs, reference: 'a.t()' })
    expect(tensor(report)).toMatchObject({ shape: [4, 3], strides: [1, 4], stats: { max: 11 } })
    expect(report.comparisons[0]).toMatchObject({ matches: true })
    expect((await values(tensor(report))).slice(0, 4)).toEqual([0, 4, 8, 1])
  })
})
