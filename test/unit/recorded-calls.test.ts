import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'

import { afterEach, beforeEach, expect, it } from 'vitest'

import { keptText } from '../../electron/contract/recorded-calls'
import type {
  KeptCalls,
  RecordedCall,
  RecordedCallList,
  RecordedTensor,
  RecordedValue,
} from '../../electron/contract/recorded-calls'
import { parseManifest } from '../../electron/engine/project/read-manifest'
import { RecordedCalls } from '../../electron/engine/pytest/recorded-calls'

let folder: string
const file = (): string => path.join(folder, 'opsmith.json')

beforeEach(async () => {
  folder = await fs.mkdtemp(path.join(os.tmpdir(), 'opsmith-recorded-'))
  await fs.writeFile(
    file(),
    `{
  "name": "my_op",
  "sources": ["op.cpp"],
  // Of the first test.
  "inputs": { "x": { "shape": [4] } },
  "calls": [{ "op": "my_op::add", "args": ["x", 2] }]
}
`,
  )
})
afterEach(async () => {
  await fs.rm(folder, { recursive: true })
})

const tensor = (shape: number[], more: Partial<RecordedTensor> = {}): RecordedValue => ({
  tensor: { shape, dtype: 'float32', ...more },
})
const recorded = (given: Record<string, RecordedValue>, why = ''): RecordedCall => ({
  op: 'my_op::add',
  arguments: Object.entries(given).map(([name, value]) => ({ name, given: value })),
  test: 'tests/test_add.py::test_add',
  why,
})

/** The list of checks is the operator checks' own; the test of the command line has it. */
const keepsNoCheck = (): Promise<never> => Promise.reject(new Error('No check is kept here.'))

async function keep(calls: RecordedCall[], lists: RecordedCallList[]): Promise<KeptCalls> {
  const kept = await new RecordedCalls(keepsNoCheck).keep(folder, { calls, lists })
  if (!kept.ok) throw new Error(kept.error.message)
  return kept.value
}

it('inputs that are equal share a name, others get one of their own, and comments stay', async () => {
  const calls = [
    recorded({ x: tensor([4]), y: { value: 2 } }),
    recorded({ x: tensor([4]), y: tensor([4], { values: [1, 2, 3, 'inf'] }) }),
    recorded({ x: tensor([8]), y: { list: [tensor([8]), { value: null }] } }),
  ]
  expect(await keep(calls, ['calls'])).toEqual({ added: { calls: 2 }, there: 1, leftOut: 0 })
  const text = await fs.readFile(file(), 'utf8')
  expect(text).toContain('// Of the first test.')
  expect(text).toContain('"y": { "shape": [4], "dtype": "float32", "values": [1, 2, 3, "inf"] }')
  const parsed = parseManifest(text, file())
  if (!parsed.ok) throw new Error(parsed.error.message)
  expect(parsed.value.calls.map(({ args }) => args)).toEqual([
    ['x', 2],
    ['x', 'y'],
    ['x_2', ['y_2', null]],
  ])
  expect(Object.keys(parsed.value.inputs)).toEqual(['x', 'y', 'x_2', 'y_2'])
  // A second time nothing is new.
  expect(await keep(calls, ['calls'])).toEqual({ added: { calls: 0 }, there: 3, leftOut: 0 })
  expect(await fs.readFile(file(), 'utf8')).toBe(text)
})

it('gradchecks are of calls that asked for gradients, in double precision, and fast where they are large', async () => {
  const grad = { requires_grad: true }
  const calls = [
    recorded({ x: tensor([3]) }),
    recorded({ x: tensor([3], grad) }),
    recorded({ x: tensor([64, 64], { ...grad, dtype: 'float64' }) }),
  ]
  const kept = await keep(calls, ['gradchecks', 'benchmarks'])
  expect(kept).toEqual({ added: { gradchecks: 2, benchmarks: 3 }, there: 0, leftOut: 0 })
  expect(keptText(kept)).toBe('2 gradchecks and 3 benchmarks were added to opsmith.json')
  const parsed = parseManifest(await fs.readFile(file(), 'utf8'), file())
  if (!parsed.ok) throw new Error(parsed.error.message)
  expect(parsed.value.gradchecks).toEqual([
    { op: 'my_op::add', args: ['x_3'], dtype: 'float64' },
    { op: 'my_op::add', args: ['x_4'], fast_mode: true },
  ])
})

it('a text that names an input, and what opsmith.json cannot hold, are left out', async () => {
  const calls = [
    recorded({ x: tensor([4]), y: { value: 'x' } }),
    recorded({}, 'the number inf'),
    // No input gets the name of a text.
    recorded({ mode: tensor([2]), how: { value: 'mode' } }),
  ]
  expect(await keep(calls, ['calls'])).toEqual({ added: { calls: 1 }, there: 0, leftOut: 2 })
  expect(await fs.readFile(file(), 'utf8')).toContain('"args": ["mode_2", "mode"]')
})

it('an opsmith.json that is not valid stays as it is, and says what is wrong', async () => {
  await fs.writeFile(file(), '{ "name": 7 }')
  const kept = await new RecordedCalls(keepsNoCheck).keep(folder, {
    calls: [recorded({ x: tensor([4]) })],
    lists: ['calls'],
  })
  expect(kept).toMatchObject({ ok: false, error: { code: 'project.invalid' } })
  expect(await fs.readFile(file(), 'utf8')).toBe('{ "name": 7 }')
})
