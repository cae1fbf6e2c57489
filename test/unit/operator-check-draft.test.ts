import { describe, expect, it } from 'vitest'

import { checkEntry, inputSpec } from '../../electron/contract/manifest'
import type { CheckEntry } from '../../electron/contract/manifest'
import { parseNamedShape } from '../../renderer/shell/primitives/input-text'
import {
  emptyOperatorCheckDraft,
  operatorCheckDraftOf,
  operatorCheckEntryOf,
  operatorCheckInputs,
  parseRanges,
  rangesText,
} from '../../renderer/features/operator-checks/case'

const inputs = {
  x: inputSpec.parse({ shape: [4, 8], dtype: 'float64' }),
  y: inputSpec.parse({ shape: [8] }),
}

const entry: CheckEntry = checkEntry.parse({
  name: 'long rows',
  op: 'my_op::f',
  args: ['x', ['y', null], 'k', 0.5, 'mean', 'inf'],
  inputs: { x: { shape: ['B', 'N'], distribution: 'rand', low: -1, high: 1, seed: 3 } },
  sizes: { B: { min: 0, max: 4 }, N: { min: 1, max: 64 } },
  integers: { k: { min: -2, max: 2 } },
  dtypes: ['float32', 'float64'],
  checks: ['mutation', 'nan'],
  skip: { nan: 'it counts them' },
  shapes: 40,
  seed: 7,
  timeout: 9,
  expect: 'failed',
})

describe('the fields of an operator check', () => {
  it('the fields show the entry of opsmith.json and give the same entry back', () => {
    const draft = operatorCheckDraftOf(entry, inputs)
    expect(draft.argsText).toBe('x, [y, None], k, 0.5, "mean", inf')
    expect(operatorCheckEntryOf(draft, inputs)).toEqual({ ok: true, value: entry })
    const plain = checkEntry.parse({ op: 'f', args: ['x'] })
    expect(operatorCheckEntryOf(operatorCheckDraftOf(plain, inputs), inputs)).toEqual({
      ok: true,
      value: plain,
    })
    const nothing = checkEntry.parse({ op: 'f' })
    expect(operatorCheckEntryOf(emptyOperatorCheckDraft('f'), inputs)).toEqual({
      ok: true,
      value: nothing,
    })
  })

  it('unused inputs and sizes are left out of the entry', () => {
    const draft = { ...operatorCheckDraftOf(entry, inputs), argsText: 'y' }
    const result = operatorCheckEntryOf(draft, inputs)
    if (!result.ok) throw new Error(result.error.message)
    expect(result.value.inputs).toBeUndefined()
    expect(result.value.sizes).toBeUndefined()
    expect(result.value.integers).toBeUndefined()
  })

  it('an argument or a size that does not exist is named', () => {
    const draft = operatorCheckDraftOf(entry, inputs)
    const args = operatorCheckEntryOf({ ...draft, argsText: 'x, z' }, inputs)
    expect(args.ok ? '' : args.error.message).toContain('"z"')
    const { B: _taken, ...sizes } = draft.sizes
    const shape = operatorCheckEntryOf({ ...draft, sizes }, inputs)
    expect(shape.ok ? '' : shape.error.message).toMatch(
      /^inputs\.x\.shape\.0: there is no size "B"/,
    )
  })

  it("the fields show the call's inputs, with its own before the project's", () => {
    const shown = operatorCheckInputs(operatorCheckDraftOf(entry, inputs), inputs)
    expect(shown.map(([name, spec]) => [name, spec.shape])).toEqual([
      ['x', ['B', 'N']],
      ['y', [8]],
    ])
  })
})

describe('ranges as text', () => {
  it('ranges are read as they are written', () => {
    const ranges = { B: { min: 1, max: 8 }, N: { min: 0, max: 64 }, M: { min: 3, max: 3 } }
    expect(rangesText(ranges)).toBe('B 1..8, N 0..64, M 3')
    expect(parseRanges(rangesText(ranges), 'sizes')).toEqual({ value: ranges })
    const floats = { eps: { min: -1e-6, max: 0.5 } }
    expect(parseRanges(rangesText(floats), 'floats')).toEqual({ value: floats })
    expect(parseRanges('', 'sizes')).toEqual({ value: {} })
    expect(parseRanges('alpha -1.5 to 2, b: 1 – 3', 'floats')).toEqual({
      value: { alpha: { min: -1.5, max: 2 }, b: { min: 1, max: 3 } },
    })
  })

  it.each([
    ['B 8..1', 'sizes', 'the end is less than the start'],
    ['B -1..4', 'sizes', 'a size must not be negative'],
    ['k 0..1.5', 'integers', 'must be integers'],
    ['8', 'sizes', 'such as B 1..8'],
    ['B 1..2..3', 'sizes', 'such as B 1..8'],
    ['B one..two', 'sizes', 'such as B 1..8'],
  ] as const)('%j as %s is refused: %s', (text, kind, problem) => {
    const parsed = parseRanges(text, kind)
    expect('problem' in parsed ? parsed.problem : '').toContain(problem)
  })
})

describe('shapes with named sizes', () => {
  it.each([
    ['[B, N, 3]', ['B', 'N', 3]],
    ['B 4', ['B', 4]],
    ['4x8', [4, 8]],
    ['2×N', [2, 'N']],
    ['max, x', ['max', 'x']],
    ['[]', []],
  ])('%j is read as %j', (text, shape) => {
    expect(parseNamedShape(text)).toEqual({ value: shape })
  })

  it('other texts are refused', () => {
    for (const text of ['-1', '[3.5]', 'B-1', '4B'])
      expect(parseNamedShape(text)).toHaveProperty('problem')
  })
})
