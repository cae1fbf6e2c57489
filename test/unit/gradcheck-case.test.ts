import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'

import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { gradcheckOptions } from '../../electron/contract/gradcheck'
import type { GradcheckPoint } from '../../electron/contract/gradcheck'
import { gradcheckEntry, inputSpec } from '../../electron/contract/manifest'
import type { InputSpec, Manifest } from '../../electron/contract/manifest'
import { readOptions } from '../../electron/cli/options'
import type { GivenValue } from '../../electron/cli/options'
import {
  gradcheckVerbOptions,
  readGradcheckOptions,
  selectEntries,
} from '../../electron/cli/verbs/gradcheck/options'
import { ErrorHistory } from '../../electron/engine/check/error-history'
import { inputsNamed } from '../../electron/engine/project/call-text'
import { caseOf, entryOf, nameOf } from '../../electron/engine/project/gradcheck-case'
import { excessOf, largestError } from '../../electron/engine/check/jacobian-errors'
import { drawnInputs, isWorse, seedsOf, withSeedsOf } from '../../electron/engine/check/worst-point'
import { appendEntries } from '../../electron/engine/project/edit-manifest'
import { parseManifest } from '../../electron/engine/project/read-manifest'
import { findingOf, jacobian, reportOf, worstOf } from './gradcheck-samples'

const text = `{
  "name": "my_op",
  "sources": ["op.cpp"],
  "inputs": {
    "x": { "shape": [4], "dtype": "float64", "requires_grad": true },
    "y": { "shape": [4], "dtype": "float64", "seed": 3 },
    "n": { "values": [1, 2] }
  },
  "calls": [{ "op": "my_op::g", "args": ["y"] }],
  // The lesson.
  "gradchecks": [
    { "op": "my_op::f", "args": ["x", ["y", 2]], "eps": 1e-4, "expect": "failed" },
    { "op": "my_op::f", "args": ["x"], "second_order": true, "check_fwd_over_rev": true }
  ]
}
`

function manifestOf(source: string): Manifest {
  const parsed = parseManifest(source, '/p/opsmith.json')
  if (!parsed.ok) throw new Error(parsed.error.message)
  return parsed.value
}

const manifest = manifestOf(text)
const spec = (more: object): InputSpec => inputSpec.parse({ shape: [4], ...more })

describe('an entry of gradchecks', () => {
  it('an entry gets the defaults of torch and the inputs of the project', () => {
    const given = caseOf(gradcheckEntry.parse({ op: 'f', args: ['x'], rtol: 0.01 }), manifest)
    expect(given.options).toEqual({ ...gradcheckOptions.parse({}), rtol: 0.01 })
    expect(given.secondOrder).toBe(false)
    expect(Object.keys(given.inputs)).toEqual(['x', 'y', 'n'])
  })

  it('defaults are not written into an entry', () => {
    expect(gradcheckEntry.parse({ op: 'f' })).toEqual({ op: 'f', args: [] })
  })

  it.each([
    ['"epss": 1', 'gradchecks[0].epss'],
    ['"eps": 0', 'gradchecks[0].eps'],
    ['"expect": "fail"', 'gradchecks[0].expect'],
    ['"inputs": { "x": { "sead": 1 } }', 'gradchecks[0].inputs.x.sead'],
    ['"inputs": { "x": { "layout": "coo" } }', 'gradchecks[0].inputs.x.layout'],
    ['"inputs": { "x": { "density": 1.5 } }', 'gradchecks[0].inputs.x.density'],
    ['"inputs": { "x": { "blocksize": [2] } }', 'gradchecks[0].inputs.x.blocksize'],
  ])('an entry with %s is refused at that place', (wrong, place) => {
    const source = text
      .replace('"eps": 1e-4', wrong)
      .replace(', "expect": "failed"', (kept) => (wrong.includes('expect') ? '' : kept))
    const parsed = parseManifest(source, '/p/opsmith.json')
    expect(parsed.ok ? '' : parsed.error.path).toBe(place)
  })

  it("an entry's inputs replace the project's whole and keep their order, since the position is a seed", () => {
    const entry = gradcheckEntry.parse({ op: 'f', args: ['x'], inputs: { x: { shape: [9] } } })
    const given = caseOf(entry, manifest)
    expect(Object.keys(given.inputs)).toEqual(['x', 'y', 'n'])
    expect(given.inputs['x']?.dtype).toBe('float32')
  })

  it('the inputs that arguments name are found, also in lists, and no others', () => {
    expect(inputsNamed(['y', [['x']], 'z', 3, 'y'], manifest.inputs)).toEqual(['y', 'x'])
  })

  it('a check without a name is named after its call and its options', () => {
    const names = manifest.gradchecks.map(nameOf)
    expect(names).toEqual([
      'my_op::f(x, [y, 2]), eps 1e-4',
      'my_op::f(x), second order, check_fwd_over_rev',
    ])
    expect(nameOf(gradcheckEntry.parse({ op: 'f', check_undefined_grad: false }))).toBe(
      'f(), no check_undefined_grad',
    )
    expect(nameOf(gradcheckEntry.parse({ op: 'f', name: 'mine' }))).toBe('mine')
  })

  it('a case turns back into its entry, with seeds written out', () => {
    const [first] = manifest.gradchecks
    if (!first) throw new Error('fixture')
    const back = entryOf(caseOf(first, manifest), manifest, { name: '', expect: 'failed' })
    // x has no seed of its own: its place, 0, is what made its values.
    expect(back).toEqual({
      op: 'my_op::f',
      args: ['x', ['y', 2]],
      inputs: { x: { ...manifest.inputs['x'], seed: 0 } },
      expect: 'failed',
      eps: 1e-4,
    })
    expect(gradcheckEntry.parse(back)).toEqual(back)
    expect(caseOf(back, manifest).options).toEqual(caseOf(first, manifest).options)
  })
})

describe('keeping an entry', () => {
  let folder: string
  const read = async (): Promise<string> =>
    await fs.readFile(path.join(folder, 'opsmith.json'), 'utf8')
  const start = async (content: string): Promise<void> => {
    await fs.writeFile(path.join(folder, 'opsmith.json'), content)
  }
  beforeEach(async () => {
    folder = await fs.mkdtemp(path.join(os.tmpdir(), 'opsmith-keep-'))
  })
  afterEach(async () => {
    await fs.rm(folder, { recursive: true })
  })

  it('the entry is added at the end on a line of its own, and all comments stay', async () => {
    await start(text)
    const added = await appendEntries(folder, 'gradchecks', [
      { op: 'my_op::h', args: ['x', [1, 2]] },
    ])
    expect(added).toEqual({ ok: true, value: { entry: 2 } })
    const after = await read()
    expect(after).toContain('\n    { "op": "my_op::h", "args": ["x", [1, 2]] }\n  ]')
    expect(after.replace(',\n    { "op": "my_op::h", "args": ["x", [1, 2]] }', '')).toBe(text)
  })

  it('a missing list is made, and a wide entry takes several lines', async () => {
    await start('{\n  "name": "a", // mine\n  "sources": ["op.cpp"]\n}\n')
    const inputs = { x: spec({ seed: 1 }), y: spec({ seed: 2 }), z: spec({ seed: 3 }) }
    await appendEntries(folder, 'gradchecks', [{ op: 'a::f', args: ['x', 'y', 'z'], inputs }])
    const after = await read()
    expect(after).toContain('// mine')
    expect(after).toMatch(/\n\s+"op": "a::f",\n\s+"args": \["x", "y", "z"\],\n\s+"inputs": \{ "x"/)
    expect(manifestOf(after).gradchecks[0]?.inputs?.['z']?.seed).toBe(3)
  })

  it.each([
    ['[]', '[\n    NEW\n  ]'],
    ['[\n    // none yet\n  ]', '[\n    // none yet\n    NEW\n  ]'],
    ['[{ "op": "f" }]', '[{ "op": "f" }, NEW]'],
    ['[{ "op": "f" }, ]', '[{ "op": "f" }, NEW ]'],
    [
      '[\n    { "op": "f" }, // the first\n    // the end\n  ]',
      '[\n    { "op": "f" }, // the first\n    NEW\n    // the end\n  ]',
    ],
    ['[\n    { "op": "f" } // the first\n  ]', '[\n    { "op": "f" }, // the first\n    NEW\n  ]'],
    ['[\n    { "op": "f" /* , */ }\n  ]', '[\n    { "op": "f" /* , */ },\n    NEW\n  ]'],
  ])('an entry is added to the list %j', async (list, expected) => {
    const around = (inner: string): string =>
      `{\n  "name": "a",\n  "sources": ["a.cpp"],\n  "gradchecks": ${inner},\n}\n`
    await start(around(list))
    const added = await appendEntries(folder, 'gradchecks', [{ op: 'g', args: [] }])
    expect(added.ok).toBe(true)
    expect(await read()).toBe(around(expected.replace('NEW', '{ "op": "g", "args": [] }')))
  })

  it('an entry that opsmith.json does not accept is refused, and the file stays as it was', async () => {
    await start(text)
    const refused = await appendEntries(folder, 'gradchecks', [{ op: '', args: [] }])
    expect(refused.ok).toBe(false)
    expect(await read()).toBe(text)
  })
})

describe('a search over random points', () => {
  const given = caseOf(gradcheckEntry.parse({ op: 'f', args: ['x', 'y', 'n', 'z'] }), {
    inputs: { ...manifest.inputs, z: spec({ distribution: 'ones' }), other: spec({}) },
  })

  it('only random inputs that are used are drawn', () => {
    expect(drawnInputs(given)).toEqual(['x', 'y'])
  })

  it('the specified elements of a sparse input are drawn, whatever its values', () => {
    const inputs = {
      a: spec({ values: [1, 2], layout: 'sparse_coo', density: 0.5 }),
      b: spec({ values: [1, 2], layout: 'sparse_coo' }),
    }
    const sparse = caseOf(gradcheckEntry.parse({ op: 'f', args: ['a', 'b'] }), { inputs })
    expect(drawnInputs(sparse)).toEqual(['a'])
  })

  it('no seed is used twice', () => {
    const seeds = [0, 1, 2].flatMap((index) => Object.values(seedsOf(['x', 'y'], index, 10)))
    expect(seeds).toEqual([10, 11, 12, 13, 14, 15])
    const inputs = withSeedsOf(given.inputs, { x: 5 })
    expect([inputs['x']?.seed, inputs['y']?.seed]).toEqual([5, 3])
  })

  it('failures are ranked by how much they exceed the tolerance, passes by their error', () => {
    const at = (excess: number, maxAbsolute: number | null): Parameters<typeof isWorse>[0] => ({
      excess,
      maxAbsolute,
    })
    expect(isWorse(at(0.1, 1), at(-1, 5))).toBe(true)
    expect(isWorse(at(-1, 5), at(0.1, 1))).toBe(false)
    expect(isWorse(at(Infinity, null), at(3, 9))).toBe(true)
    expect(isWorse(at(-1e-5, 2), at(-1e-5, 1))).toBe(true)
    expect(isWorse(at(-1, null), at(-1, 0))).toBe(false)
  })

  it('the excess is measured over atol + rtol |numerical|', () => {
    const options = gradcheckOptions.parse({ atol: 0.1, rtol: 0.5 })
    expect(excessOf(reportOf([findingOf({ worst: worstOf(1, 2) })]), options)).toBeCloseTo(-0.1)
    const nan = findingOf({ status: 'failed', worst: worstOf(NaN, 2) })
    expect(excessOf(reportOf([nan]), options)).toBe(Infinity)
    const other = findingOf({ check: 'reentrant', status: 'failed' })
    expect(excessOf(reportOf([other]), options)).toBe(Infinity)
    expect(excessOf(reportOf([findingOf({ status: 'skipped' })]), options)).toBe(-Infinity)
  })

  it('the largest error is that of the Jacobian, not of the worst element', () => {
    const finding = findingOf({ worst: worstOf(0, 0), ...jacobian(1e-9, 1, 1) })
    expect(largestError(reportOf([finding]))).toBe(1e-9)
    expect(largestError(reportOf([findingOf({ maxAbsolute: 2 }), finding]))).toBe(2)
    expect(largestError(reportOf([findingOf({})]))).toBeNull()
  })
})

describe('the history of a check', () => {
  let cache: string
  let history: ErrorHistory
  const given = caseOf(gradcheckEntry.parse({ op: 'f', args: ['x'] }), manifest)
  const point = (build: string, error: number | null): GradcheckPoint => ({
    build,
    time: 1,
    ok: true,
    error,
  })
  beforeEach(async () => {
    cache = await fs.mkdtemp(path.join(os.tmpdir(), 'opsmith-history-'))
    history = new ErrorHistory(cache)
  })
  afterEach(async () => {
    await fs.rm(cache, { recursive: true })
  })

  it('the point of the previous build is given, and each build has one point', async () => {
    expect(await history.add('/p', given, point('a', 1))).toBeNull()
    expect(await history.add('/p', given, point('a', 2))).toBeNull()
    expect(await history.add('/p', given, point('b', 3))).toEqual(point('a', 2))
    expect(await history.add('/p', given, point('a', 4))).toEqual(point('b', 3))
    const errors = (await history.read('/p', given)).map((one) => one.error)
    expect(errors).toEqual([2, 3, 4])
  })

  it('NaN, infinity and a missing error stay distinct', async () => {
    await history.add('/p', given, point('a', NaN))
    await history.add('/p', given, point('b', Infinity))
    await history.add('/p', given, point('c', null))
    const errors = (await history.read('/p', given)).map((one) => one.error)
    expect(errors).toEqual([NaN, Infinity, null])
  })

  it('other options, other used inputs and other projects have histories of their own', async () => {
    await history.add('/p', given, point('a', 1))
    const eps = { ...given, options: { ...given.options, eps: 1e-3 } }
    const used = { ...given, inputs: { ...given.inputs, x: spec({ seed: 9 }) } }
    const unused = { ...given, inputs: { ...given.inputs, y: spec({ seed: 9 }) } }
    expect(await history.read('/p', eps)).toEqual([])
    expect(await history.read('/p', used)).toEqual([])
    expect(await history.read('/q', given)).toEqual([])
    expect(await history.read('/p', unused)).toHaveLength(1)
  })

  it('the last 200 points of 100 checks are kept', async () => {
    for (let build = 0; build < 205; build += 1)
      await history.add('/p', given, point(String(build), build))
    const kept = await history.read('/p', given)
    expect([kept.length, kept[0]?.error, kept.at(-1)?.error]).toEqual([200, 5, 204])
    for (let n = 0; n < 101; n += 1) {
      const other = { ...given, options: { ...given.options, atol: n + 1 } }
      await history.add('/p', other, point('a', n))
    }
    const [project = ''] = await fs.readdir(path.join(cache, 'gradchecks'))
    expect(await fs.readdir(path.join(cache, 'gradchecks', project))).toHaveLength(100)
  })

  it('a broken history file starts again', async () => {
    await history.add('/p', given, point('a', 1))
    const [project = ''] = await fs.readdir(path.join(cache, 'gradchecks'))
    const folder = path.join(cache, 'gradchecks', project)
    const [file = ''] = await fs.readdir(folder)
    await fs.writeFile(path.join(folder, file), '{"points": [{"bui')
    expect(await history.read('/p', given)).toEqual([])
    expect(await history.add('/p', given, point('b', 2))).toBeNull()
  })
})

describe('the entries that opsmith gradcheck checks', () => {
  type Given = Partial<Record<keyof typeof gradcheckVerbOptions, GivenValue>>
  const commandOf = (given: Given): ReturnType<typeof readGradcheckOptions> => {
    const options = readOptions(gradcheckVerbOptions, given)
    return options.ok ? readGradcheckOptions(options.value) : options
  }
  const select = (given: Given): ReturnType<typeof selectEntries> => {
    const command = commandOf(given)
    return command.ok ? selectEntries(manifest, command.value) : command
  }
  const entries = (given: Given): object[] => {
    const selected = select(given)
    if (!selected.ok) throw new Error(selected.error.message)
    return selected.value
  }

  it("the entries are all of opsmith.json, one operator's, a call's, or the given one", () => {
    expect(entries({})).toEqual(manifest.gradchecks)
    expect(entries({ op: 'my_op::f' })).toHaveLength(2)
    expect(entries({ op: 'my_op::g' })).toEqual([{ op: 'my_op::g', args: ['y'] }])
    expect(entries({ op: 'aten::exp', args: '["x"]' })).toEqual([{ op: 'aten::exp', args: ['x'] }])
  })

  it("the user's options replace those of an entry, which is then expected to pass", () => {
    const [first, second] = entries({ eps: '1e-3', dtype: 'float32', forward: true })
    expect(first).toEqual({
      op: 'my_op::f',
      args: ['x', ['y', 2]],
      eps: 1e-3,
      dtype: 'float32',
      check_forward_ad: true,
    })
    expect(second).toMatchObject({ second_order: true, check_fwd_over_rev: true })
    expect(second).not.toHaveProperty('check_forward_ad')
    expect(entries({ backward: false })[1]).toMatchObject({ check_rev_over_rev: false })
    expect(entries({ masked: true })[0]).toMatchObject({ masked: true })
  })

  it('a project without checks gets a hint how to add one', () => {
    const none = manifestOf('{ "name": "a", "sources": ["a.cpp"] }')
    const command = commandOf({})
    const selected = command.ok ? selectEntries(none, command.value) : command
    expect(selected.ok ? '' : selected.error.hint).toContain('"gradchecks": [{ "op"')
    const missing = select({ op: 'my_op::none' })
    expect(missing.ok ? '' : missing.error.hint).toContain('--args')
  })

  it.each([
    [{ eps: '0' }, '--eps must be a number above 0, not "0".'],
    [{ eps: '' }, '--eps must be a number above 0, not "".'],
    [{ atol: '-1' }, '--atol must be a number of at least 0, not "-1".'],
    [{ search: '1.5' }, '--search must be an integer of at least 1, not "1.5".'],
    [{ dtype: 'int64' }, '--dtype must be a floating-point or complex dtype, not "int64".'],
    [{ op: 'f', args: '{"x": 1}' }, '--args must be a JSON list'],
    [{ args: '[]' }, '--args needs --op'],
    [{ keep: true }, '--keep needs --search'],
  ])('the options %j are refused', (given, message) => {
    const selected = select(given)
    expect(selected.ok ? '' : selected.error.message).toContain(message)
  })
})
