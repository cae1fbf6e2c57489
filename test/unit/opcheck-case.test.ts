import { describe, expect, it } from 'vitest'

import { checkLines } from '../../electron/cli/check-text'
import { readCheckOptions, selectChecks } from '../../electron/cli/check-options'
import type { CheckCommand } from '../../electron/cli/check-options'
import { manifest } from '../../electron/contract/manifest'
import type { CheckEntry, Manifest } from '../../electron/contract/manifest'
import { opcheckCheck } from '../../electron/contract/opcheck'
import type { OpcheckCheck, PlacedFinding } from '../../electron/contract/opcheck'
import { kernelFor, placeIn } from '../../electron/engine/check/kernel-place'
import { entriesOf, inOrder, requestOf } from '../../electron/engine/check/opcheck-case'

const project = (more: object = {}): Manifest =>
  manifest.parse({
    name: 'f',
    sources: ['f.cpp'],
    inputs: { x: { shape: [2] }, y: { shape: [3] } },
    calls: [
      { op: 'f::f', args: ['x'] },
      { op: 'f::f', args: ['y'] },
      { op: 'g', args: ['x', 2] },
    ],
    ...more,
  })

function finding(check: OpcheckCheck, more: Partial<PlacedFinding> = {}): PlacedFinding {
  const nothing = { reason: '', advice: '', input: '', index: [], shownBy: '' }
  return { check, status: 'passed', ...nothing, ...more }
}

describe('what is checked', () => {
  it('is each operator of the calls, once, as it is called first', () => {
    expect(entriesOf(project())).toEqual([
      { op: 'f::f', args: ['x'] },
      { op: 'g', args: ['x', 2] },
    ])
  })

  it('is what opsmith.json lists, where it lists something, be it nothing', () => {
    const checks = [{ op: 'f::f', args: ['y'] }]
    expect(entriesOf(project({ checks }))).toEqual(checks)
    expect(entriesOf(project({ checks: [] }))).toEqual([])
  })

  it('leaves out what is skipped, with its reason, and what must be asked for by name', () => {
    const entry: CheckEntry = { op: 'f::f', args: ['x'], skip: { nan: 'it counts them' } }
    const { request, left } = requestOf(entry, project().inputs)
    const others = opcheckCheck.options.filter((one) => one !== 'nan' && one !== 'large_sizes')
    expect(request?.checks).toEqual(others)
    expect(left.map((one) => [one.check, one.status, one.reason])).toEqual([
      ['nan', 'skipped', 'it counts them'],
      ['large_sizes', 'skipped', 'takes gigabytes of memory: ask for it by name'],
    ])
  })

  it('asks for nothing where all is skipped: an empty list would ask for everything', () => {
    const entry: CheckEntry = {
      op: 'f::f',
      args: [],
      checks: ['nan'],
      skip: { nan: 'it counts them' },
    }
    expect(requestOf(entry, {}).request).toBeUndefined()
    expect(requestOf({ ...entry, checks: ['nan', 'large_sizes'] }, {}).request?.checks).toEqual([
      'large_sizes',
    ])
  })

  it("takes an entry's inputs before the project's", () => {
    const own = { x: { ...project().inputs['y']!, shape: [7] } }
    const { request } = requestOf({ op: 'f::f', args: ['x'], inputs: own }, project().inputs)
    expect(request?.inputs['x']?.shape).toEqual([7])
    expect(request?.inputs['y']?.shape).toEqual([3])
  })

  it('refuses a check that there is none of, in opsmith.json and on the command line', () => {
    const wrong = (entry: object): boolean =>
      manifest.safeParse({
        name: 'f',
        sources: ['f.cpp'],
        checks: [{ op: 'f::f', args: [], ...entry }],
      }).success
    expect(wrong({ skip: { nan: 'why' } })).toBe(true)
    expect(wrong({ skip: { nans: 'why' } })).toBe(false)
    expect(wrong({ skip: { nan: '' } })).toBe(false)
    expect(wrong({ checks: [] })).toBe(false)
    const given = readCheckOptions({ check: ['nan', 'metas'] })
    expect(given.ok ? '' : given.error.message).toContain('"metas"')
  })
})

describe('what a command is about', () => {
  const command = (given: Parameters<typeof readCheckOptions>[0]): CheckCommand => {
    const read = readCheckOptions(given)
    if (!read.ok) throw new Error(read.error.message)
    return read.value
  }
  const checks = [{ op: 'f::f', args: ['y'], expect: 'failed', skip: { nan: 'it counts them' } }]

  it("is opsmith.json's entry of that operator, else its call", () => {
    const both = project({ checks })
    expect(selectChecks(both, command({ op: 'f::f' }))).toEqual({ ok: true, value: checks })
    expect(selectChecks(both, command({ op: 'g' }))).toEqual({
      ok: true,
      value: [{ op: 'g', args: ['x', 2] }],
    })
    expect(selectChecks(both, command({ op: 'h' })).ok).toBe(false)
    expect(selectChecks(both, command({ op: 'h', args: '["x"]' }))).toEqual({
      ok: true,
      value: [{ op: 'h', args: ['x'] }],
    })
  })

  it('is to pass where options say what to check; a check that is named is not skipped', () => {
    const named = selectChecks(project({ checks }), command({ check: ['nan,meta', 'mutation'] }))
    expect(named).toEqual({
      ok: true,
      value: [{ op: 'f::f', args: ['y'], checks: ['nan', 'meta', 'mutation'] }],
    })
    const shapes = selectChecks(project({ checks }), command({ shapes: '9' }))
    expect(shapes).toEqual({
      ok: true,
      value: [{ op: 'f::f', args: ['y'], shapes: 9, skip: { nan: 'it counts them' } }],
    })
  })
})

const source = `at::Tensor f_cpu(const at::Tensor& x) {
  return x + 1;
}

at::Tensor f_autograd(const at::Tensor& x);

TORCH_LIBRARY(f, m) {
  m.def("g(Tensor x) -> Tensor", [](const at::Tensor& x) { return x; });
}
TORCH_LIBRARY_IMPL(f, CPU, m) {
  m.impl("f",
         TORCH_FN(ns::f_cpu));
}
`

describe('the line to look at', () => {
  const kernel = (
    dispatchKey: string,
    line: number,
  ): { dispatchKey: string; file: string; line: number } => ({
    dispatchKey,
    file: 'f.cpp',
    line,
  })
  const operator = { kernels: [kernel('Autograd', 5), kernel('CPU', 11), kernel('Meta', 30)] }

  it('is that of the kernel which the check is about', () => {
    expect(kernelFor('mutation', operator)?.dispatchKey).toBe('CPU')
    expect(kernelFor('meta', operator)?.dispatchKey).toBe('Meta')
    expect(kernelFor('gradient_lost', operator)?.dispatchKey).toBe('Autograd')
    expect(kernelFor('nan', { kernels: [kernel('Autograd', 5)] })?.line).toBe(5)
    expect(kernelFor('nan', { kernels: [] })).toBeUndefined()
  })

  it('is where the function is defined, for what it does; where it is registered, for that', () => {
    expect(placeIn('mutation', kernel('CPU', 11), source)).toBe(1)
    expect(placeIn('registration', kernel('CPU', 11), source)).toBe(11)
  })

  it('is the registration of a lambda, and of a source that cannot be read', () => {
    expect(placeIn('mutation', kernel('CPU', 8), source)).toBe(8)
    expect(placeIn('mutation', kernel('CPU', 11), '')).toBe(11)
  })
})

describe('findings', () => {
  it('are told schema first and memory last', () => {
    const mixed = [finding('leaks'), finding('nan'), finding('mutation')]
    expect(inOrder(mixed).map((one) => one.check)).toEqual(['mutation', 'nan', 'leaks'])
  })

  it('say in text what shows them, what to do and where', () => {
    const failed = finding('nan', {
      status: 'failed',
      reason: 'NaN is lost',
      advice: 'Test with std::isnan.',
      output: 0,
      index: [1, 2],
      shownBy: 'x float64[2, 3]',
      file: '/project/src/f.cpp',
      line: 12,
    })
    const report = { op: 'f::f', ok: false, seconds: 0.5, findings: [finding('meta'), failed] }
    const outcome = { entry: 0, name: 'f::f(x)', op: 'f::f', report } as const
    const lines = checkLines(
      { ...outcome, expect: 'passed', verdict: 'failed', asExpected: false },
      '/project',
    )
    expect(lines).toEqual([
      'FAILED f::f(x): 1 passed, 1 failed; 0.50 s',
      '  ✓ meta',
      '  ✗ nan   NaN is lost',
      '          at output 0[1, 2]',
      '          shown by x float64[2, 3]',
      '          → Test with std::isnan.',
      '          look at src/f.cpp:12',
    ])
    const expected = checkLines(
      { ...outcome, expect: 'failed', verdict: 'failed', asExpected: true },
      '/project',
    )
    expect(expected.slice(0, 2)).toEqual([
      'ok     f::f(x): 1 passed, 1 failed; 0.50 s',
      '         fails, as expected',
    ])
  })
})
