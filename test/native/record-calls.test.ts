import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'

import { beforeAll, expect, it } from 'vitest'

import { argumentsText, recordedCall, requiresGrad } from '../../electron/contract/recorded-calls'
import type { RecordedCall, RecordedTensor } from '../../electron/contract/recorded-calls'
import { root } from '../support/installation'
import { python } from '../support/python'

let calls: RecordedCall[]
beforeAll(async () => {
  const script = path.join(root, 'test/native/fixtures/record_calls.py')
  const run = await promisify(execFile)(python, [script, path.join(root, 'native/python')])
  calls = run.stdout
    .trim()
    .split('\n')
    .map((line) => recordedCall.parse(JSON.parse(line)))
})

const of = (test: string): RecordedCall[] => calls.filter((call) => call.test === test)
const textOf = (call: RecordedCall): string => `${call.op}(${argumentsText(call)})`

/** The input that is the argument of that name. */
function tensorOf(call: RecordedCall | undefined, name: string): RecordedTensor {
  const given = call?.arguments.find((one) => one.name === name)?.given
  if (!given || !('tensor' in given)) throw new Error(`${name} is no tensor`)
  return given.tensor
}

it('small tensors and indices keep their values; what differs in values alone is one call', () => {
  const [scaled, low, short, gathered, ...more] = of('values')
  expect(more).toEqual([])
  expect(scaled && textOf(scaled)).toBe('recorded::scale(x float32[3], 2, true)')
  expect(tensorOf(scaled, 'x')).toEqual({
    shape: [3],
    dtype: 'float32',
    values: [1.5, 'nan', '-inf'],
  })
  expect(low && textOf(low)).toBe('recorded::scale(x float16[1], 3)')
  expect(tensorOf(short, 'x').values).toEqual([0.1, -0.0032])
  expect(tensorOf(gathered, 'index')).toEqual({ shape: [3], dtype: 'int64', values: [3, 1, 4] })
  expect(tensorOf(gathered, 'x')).toMatchObject({ distribution: 'full', low: 0 })
})

it('large tensors keep how wide they are; sorted integers are not made up', () => {
  const [uniform, standard, normal, full, empty, index, offsets] = of('spreads')
  expect(tensorOf(uniform, 'x')).toEqual({ shape: [100], dtype: 'float32', distribution: 'rand' })
  expect(tensorOf(standard, 'x')).toEqual({ shape: [7], dtype: 'float32', distribution: 'randn' })
  const { mean = 0, std = 0 } = tensorOf(normal, 'x')
  expect(Math.abs(mean + 1)).toBeLessThan(1)
  expect(Math.abs(std - 3)).toBeLessThan(1)
  expect(normal && requiresGrad(normal)).toBe(true)
  expect(tensorOf(full, 'x')).toEqual({
    shape: [50],
    dtype: 'float32',
    requires_grad: true,
    distribution: 'full',
    low: 7,
  })
  expect(tensorOf(empty, 'x')).toMatchObject({ shape: [0, 3], distribution: 'zeros' })
  expect(tensorOf(index, 'index')).toMatchObject({ distribution: 'randint', low: 0, high: 50 })
  expect(offsets?.why).toMatch(/^2000 sorted integers/)
})

it('an operator with overloads is named by the one that runs, with lists and texts as they are', () => {
  expect(of('overloads').map(textOf)).toEqual([
    'recorded::add(x float32[1], y float32[1])',
    'recorded::add.Scalar(x float32[1], 2)',
    'recorded::add.Scalar(x float32[2], 0.5)',
    'recorded::cat([float32[1], float32[1]], "rows", [1, 2])',
  ])
})

it('what opsmith.json has no way to write is named', () => {
  expect(of('not written').map(({ op, why }) => `${op}: ${why}`)).toEqual([
    'recorded::scale: a tensor of layout sparse_coo',
    'recorded::scale: float inf',
    'recorded::cat: a tensor of dtype uint16',
  ])
})

it('calls of tracers have no values, and those that raise are none to keep; what torch.compile runs is one', () => {
  expect(of('traced').map(textOf)).toEqual(['recorded::add(x float32[13], y float32[13])'])
})

it('of an operator that is called in a loop, a few calls are kept', () => {
  expect(calls.filter(({ op }) => op === 'recorded::scale')).toHaveLength(20)
})
