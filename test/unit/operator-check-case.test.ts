import { describe, expect, it } from 'vitest'

import { checkHtml } from '../../electron/cli/verbs/check/html'
import { checkJson } from '../../electron/cli/verbs/check/json'
import { checkJunit } from '../../electron/cli/verbs/check/junit'
import { checkLines } from '../../electron/cli/verbs/check/text'
import { readOptions } from '../../electron/cli/options'
import type { GivenValue } from '../../electron/cli/options'
import {
  checkVerbOptions,
  entriesFor,
  readCheckOptions,
  selectChecks,
} from '../../electron/cli/verbs/check/options'
import type { CheckCommand } from '../../electron/cli/verbs/check/options'
import { manifest } from '../../electron/contract/manifest'
import type { CheckEntry, Manifest } from '../../electron/contract/manifest'
import { operatorCheckName, sanitizerCheck } from '../../electron/contract/operator-check'
import type {
  OperatorCheckName,
  OperatorCheckOutcome,
  PlacedFinding,
} from '../../electron/contract/operator-check'
import type { StackFrame } from '../../electron/contract/outcome'
import { kernelFor, placeIn } from '../../electron/engine/check/kernel-place'
import {
  entriesOf,
  entryOfFailure,
  inOrder,
  isSingleCase,
  meaningOf,
  requestOf,
} from '../../electron/engine/check/operator-check-case'
import { parseManifest } from '../../electron/engine/project/read-manifest'

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

function finding(check: OperatorCheckName, more: Partial<PlacedFinding> = {}): PlacedFinding {
  const nothing = { reason: '', advice: '', input: '', index: [], shownBy: '' }
  return { check, status: 'passed', ...nothing, ...more }
}

const unasked =
  'this check is off by default, because it needs a build with sanitizers; turn on “sanitizers” (--sanitize), or select this check (--check NAME)'

/** A function of the project, f.cpp. */
const frame = (symbol: string, line: number): StackFrame => ({
  address: '0x1',
  symbol,
  module: 'libf.so',
  isUser: true,
  file: '/project/f.cpp',
  line,
})

describe('the list of operator checks', () => {
  it('each operator of the calls is checked once, with its first call', () => {
    expect(entriesOf(project())).toEqual([
      { op: 'f::f', args: ['x'] },
      { op: 'g', args: ['x', 2] },
    ])
  })

  it("the project's other operators are checked with what their schemas suggest", () => {
    const operators = [
      { name: 'f::f', overload: '' },
      { name: 'f::h', overload: '' },
      { name: 'f::h', overload: 'out' },
    ]
    expect(entriesOf(project(), operators)).toEqual([
      { op: 'f::f', args: ['x'] },
      { op: 'g', args: ['x', 2] },
      { op: 'f::h', args: [] },
      { op: 'f::h.out', args: [] },
    ])
    expect(entriesOf(project({ checks: [] }), operators)).toEqual([])
  })

  it('a list in opsmith.json replaces the suggestions, also an empty one', () => {
    const checks = [{ op: 'f::f', args: ['y'] }]
    expect(entriesOf(project({ checks }))).toEqual(checks)
    expect(entriesOf(project({ checks: [] }))).toEqual([])
  })

  it('skipped checks are left out with their reason, and so are those that need to be named', () => {
    const entry: CheckEntry = { op: 'f::f', args: ['x'], skip: { nan: 'it counts them' } }
    const { request, left } = requestOf(entry, project().inputs)
    const others = operatorCheckName.options.filter(
      (one) =>
        ![
          'nan',
          'large_sizes',
          'gradient_complex',
          'gradient_second_order',
          ...sanitizerCheck.options,
        ].includes(one),
    )
    expect(request?.checks).toEqual(others)
    expect(left.map((one) => [one.check, one.status, one.reason])).toEqual([
      ['gradient_complex', 'skipped', expect.stringContaining('--thorough')],
      ['gradient_second_order', 'skipped', expect.stringContaining('--thorough')],
      ['nan', 'skipped', 'it counts them'],
      ['address_sanitizer', 'skipped', unasked],
      ['undefined_behaviour_sanitizer', 'skipped', unasked],
      [
        'large_sizes',
        'skipped',
        'this check is off by default, because it needs gigabytes of memory; select this check (--check large_sizes)',
      ],
    ])
  })

  it('thorough checks are made too where they are asked for, at more shapes', () => {
    const entry: CheckEntry = { op: 'f::f', args: ['x'] }
    const { request, left } = requestOf(entry, {}, { thorough: true })
    expect(request?.checks).toContain('gradient_second_order')
    expect(request?.shapes).toBe(24)
    expect(left.map((one) => one.check)).not.toContain('gradient_complex')
    const skip = { gradient_complex: 'it is for real numbers' }
    const without = requestOf({ ...entry, skip, shapes: 3 }, {}, { thorough: true })
    expect(without.request?.checks).not.toContain('gradient_complex')
    expect(without.request?.shapes).toBe(3)
  })

  it('the sanitizers run where they are named, or wanted for every operator', () => {
    const entry: CheckEntry = { op: 'f::f', args: ['x'] }
    const both = sanitizerCheck.options
    expect(requestOf(entry, {}).sanitized).toEqual([])
    const wanted = requestOf(entry, {}, { sanitize: true })
    expect(wanted.sanitized).toEqual(both)
    expect(wanted.left.map((one) => one.check)).toEqual([
      'gradient_complex',
      'gradient_second_order',
      'large_sizes',
    ])
    // The op host that makes the others knows nothing of them.
    expect(wanted.request?.checks).not.toContain('address_sanitizer')

    const named = { ...entry, checks: ['address_sanitizer' as const] }
    expect(requestOf(named, {})).toMatchObject({ sanitized: ['address_sanitizer'], left: [] })
    expect(requestOf(named, {}).request).toBeUndefined()
    expect(requestOf({ ...entry, checks: ['nan'] }, {}, { sanitize: true })).toMatchObject({
      sanitized: both,
      request: { checks: ['nan'] },
    })
    const skip = { address_sanitizer: 'it computes on the bits of pointers' }
    const without = requestOf({ ...entry, skip }, {}, { sanitize: true })
    expect(without.sanitized).toEqual(['undefined_behaviour_sanitizer'])
    const left = without.left.find((one) => one.check === 'address_sanitizer')
    expect(left?.reason).toBe('it computes on the bits of pointers')
  })

  it('an entry that skips everything asks for nothing, since an empty list would ask for everything', () => {
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

  it("an entry's own inputs replace the project's", () => {
    const own = { x: { ...project().inputs['y']!, shape: [7] } }
    const { request } = requestOf({ op: 'f::f', args: ['x'], inputs: own }, project().inputs)
    expect(request?.inputs['x']?.shape).toEqual([7])
    expect(request?.inputs['y']?.shape).toEqual([3])
  })

  it('an unknown check is refused in opsmith.json and on the command line', () => {
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
    const given = readOptions(checkVerbOptions, { check: ['nan', 'metas'] })
    expect(given.ok ? '' : given.error.message).toContain('"metas"')
  })
})

const ranged = {
  op: 'f::f',
  args: ['x', 'k', ['alpha'], 'N'],
  inputs: { x: { shape: ['B', 'N', 3], distribution: 'rand', low: -2, high: 2 } },
  sizes: { B: { min: 0, max: 2 }, N: { min: 8, max: 64 } },
  integers: { k: { min: -4, max: -1 } },
  floats: { alpha: { min: -0.5, max: 3 } },
  dtypes: ['float64', 'float32'],
}

describe('ranges of inputs', () => {
  const parsed = (entry: object): ReturnType<typeof manifest.safeParse> =>
    manifest.safeParse({ name: 'f', sources: ['f.cpp'], checks: [entry] })
  const problem = (entry: object): [string, string] => {
    const result = parseManifest(
      JSON.stringify({ name: 'f', sources: ['f.cpp'], checks: [entry] }),
      'opsmith.json',
    )
    return result.ok ? ['', ''] : [result.error.path ?? '', result.error.message]
  }

  it('ranges give the first call and the draws of the others', () => {
    const result = parsed(ranged)
    const [entry] = result.success ? (result.data.checks ?? []) : []
    if (!entry) throw new Error(JSON.stringify(result.error))
    const { request } = requestOf(entry, project().inputs)
    expect(request?.inputs['x']).toMatchObject({ shape: [2, 8, 3], low: -2, high: 2 })
    expect(request?.sizes).toEqual([
      { name: 'B', min: 0, max: 2, given: 2, places: [{ input: 'x', dim: 0 }] },
      { name: 'N', min: 8, max: 64, given: 8, places: [{ input: 'x', dim: 1 }] },
    ])
    expect(request?.numbers).toEqual([
      { name: 'k', integer: true, min: -4, max: -1, given: -1 },
      { name: 'alpha', integer: false, min: -0.5, max: 3, given: 1 },
    ])
    expect(request?.dtypes).toEqual(['float64', 'float32'])
    expect(request?.fromSchema).toBe(false)
  })

  it('a wrong range is refused with its field and what to do', () => {
    const { sizes, ...without } = ranged
    expect(problem(without)).toEqual([
      'checks[0].inputs.x.shape[0]',
      expect.stringContaining(
        'there is no size "B": give the range of the size, for example "sizes": { "B"',
      ),
    ])
    expect(problem({ ...ranged, sizes: { ...sizes, N: { min: 8, max: 3 } } })).toEqual([
      'checks[0].sizes.N.max',
      expect.stringContaining('3 is less than min'),
    ])
    expect(problem({ ...ranged, sizes: { ...sizes, M: { min: 1, max: 3 } } })).toEqual([
      'checks[0].sizes.M',
      expect.stringContaining('the size "M" is not used'),
    ])
    expect(problem({ ...ranged, floats: { beta: { min: 0, max: 1 } } })[1]).toContain(
      '"beta" is not used: no argument refers to this name',
    )
    expect(problem({ ...ranged, floats: { k: { min: 0, max: 1 } } })[1]).toContain(
      '"k" is already a name in `integers`',
    )
    expect(problem({ ...ranged, integers: { k: { min: 0.5, max: 1 } } })[0]).toBe(
      'checks[0].integers.k.min',
    )
    expect(problem({ ...ranged, dtypes: ['float63'] })[0]).toBe('checks[0].dtypes[0]')
    expect(problem({ ...ranged, sizes: { ...sizes, B: { min: 0 } } })[0]).toBe(
      'checks[0].sizes.B.max',
    )
  })
})

describe('a kept failure', () => {
  const { x } = project().inputs
  const shown = {
    args: ['x', 2, 'y'],
    inputs: {
      x: { ...x!, shape: [1, 2], distribution: 'zeros' as const, requires_grad: true },
      y: { ...x!, shape: [2], dtype: 'float64' as const },
      z: { ...x!, shape: [1, 2], values: [[0, 'nan']] },
    },
  }

  it('a kept failure is one call for one check, with seeds and without defaults', () => {
    expect(entryOfFailure('nan', 'f::f', shown)).toEqual({
      op: 'f::f',
      args: ['x', 2, 'y'],
      inputs: {
        x: { shape: [1, 2], distribution: 'zeros', requires_grad: true },
        y: { shape: [2], dtype: 'float64', seed: 1 },
        z: { values: [[0, 'nan']] },
      },
      checks: ['nan'],
      shapes: 0,
    })
    const kept = entryOfFailure('nan', 'f::f', shown)
    expect(isSingleCase(kept)).toBe(true)
    expect(isSingleCase({ op: 'f::f', args: ['x'], checks: ['nan'] })).toBe(false)
    expect(project({ checks: [kept] }).checks).toHaveLength(1)
  })

  it('an entry means the same with its defaults written out', () => {
    const kept = entryOfFailure('nan', 'f::f', shown)
    const [read] = project({ checks: [kept] }).checks ?? []
    const inputs = project().inputs
    expect(meaningOf(read!, inputs)).toBe(meaningOf(kept, inputs))
    expect(meaningOf({ ...kept, checks: ['meta'] }, inputs)).not.toBe(meaningOf(kept, inputs))
    const other = { ...kept, inputs: { ...kept.inputs, y: { ...kept.inputs!['y']!, seed: 7 } } }
    expect(meaningOf(other, inputs)).not.toBe(meaningOf(kept, inputs))
  })
})

describe('the entries that opsmith check checks', () => {
  const command = (
    given: Partial<Record<keyof typeof checkVerbOptions, GivenValue>>,
  ): CheckCommand => {
    const options = readOptions(checkVerbOptions, given)
    const read = options.ok ? readCheckOptions(options.value) : options
    if (!read.ok) throw new Error(read.error.message)
    return read.value
  }
  const checks = [{ op: 'f::f', args: ['y'], expect: 'failed', skip: { nan: 'it counts them' } }]

  it("an operator's entry is that of opsmith.json, else its call, else made from its schema", () => {
    const both = project({ checks })
    expect(entriesFor('f::f', both)).toEqual(checks)
    expect(entriesFor('g', both)).toEqual([{ op: 'g', args: ['x', 2] }])
    expect(entriesFor('h', both)).toEqual([{ op: 'h', args: [] }])
    expect(entriesFor('f::f', both, ['x'])).toEqual([{ op: 'f::f', args: ['x'] }])
  })

  it('options replace the expectation of an entry, and a named check is not skipped', () => {
    const entries = entriesOf(project({ checks }))
    const named = selectChecks(entries, command({ check: ['nan,meta', 'mutation'] }))
    expect(named).toEqual({
      ok: true,
      value: [{ op: 'f::f', args: ['y'], checks: ['nan', 'meta', 'mutation'] }],
    })
    const shapes = selectChecks(entries, command({ shapes: '9' }))
    expect(shapes).toEqual({
      ok: true,
      value: [{ op: 'f::f', args: ['y'], shapes: 9, skip: { nan: 'it counts them' } }],
    })
    expect(selectChecks(entries, command({}))).toEqual({ ok: true, value: checks })
    const none = selectChecks([], command({}))
    expect(none.ok ? '' : none.error.message).toContain('nothing to check')
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

describe('the line of a finding', () => {
  const kernel = (
    dispatchKey: string,
    line: number,
  ): { dispatchKey: string; file: string; line: number } => ({
    dispatchKey,
    file: 'f.cpp',
    line,
  })
  const operator = { kernels: [kernel('Autograd', 5), kernel('CPU', 11), kernel('Meta', 30)] }

  it('the kernel is the one that the check is about', () => {
    expect(kernelFor('mutation', operator)?.dispatchKey).toBe('CPU')
    expect(kernelFor('meta', operator)?.dispatchKey).toBe('Meta')
    expect(kernelFor('gradient_lost', operator)?.dispatchKey).toBe('Autograd')
    expect(kernelFor('nan', { kernels: [kernel('Autograd', 5)] })?.line).toBe(5)
    expect(kernelFor('nan', { kernels: [] })).toBeUndefined()
  })

  it("a finding is at the function's definition, and a registration finding at the registration", () => {
    expect(placeIn('mutation', kernel('CPU', 11), source)).toBe(1)
    expect(placeIn('registration', kernel('CPU', 11), source)).toBe(11)
  })

  it('a lambda and an unreadable source have the line of the registration', () => {
    expect(placeIn('mutation', kernel('CPU', 8), source)).toBe(8)
    expect(placeIn('mutation', kernel('CPU', 11), '')).toBe(11)
  })
})

describe('findings as text', () => {
  it('findings are listed with the schema first and memory last', () => {
    const mixed = [finding('leaks'), finding('nan'), finding('mutation')]
    expect(inOrder(mixed).map((one) => one.check)).toEqual(['mutation', 'nan', 'leaks'])
  })

  it('a finding gives what shows it, what to do and where', () => {
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
      '          reproduced by x float64[2, 3]',
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

  it('a call that ended its process has its inputs, its line and its stack in text and JSON', () => {
    const found = finding('layouts', {
      status: 'failed',
      reason: 'the call ends in a memory fault, at f.cpp:12',
      shownBy: 'x float32[2] of zeros',
      file: '/project/f.cpp',
      line: 12,
      stack: [frame('read(float*)', 12), frame('f(at::Tensor)', 30)],
    })
    const outcome: OperatorCheckOutcome = {
      entry: 0,
      name: 'f::f(x)',
      op: 'f::f',
      expect: 'passed',
      verdict: 'failed',
      asExpected: false,
      report: { op: 'f::f', ok: false, seconds: 2, findings: [found] },
    }
    expect(
      checkLines(outcome, '/project')
        .slice(1)
        .map((line) => line.trim()),
    ).toEqual([
      '✗ layouts  the call ends in a memory fault, at f.cpp:12',
      'reproduced by x float32[2] of zeros',
      'look at f.cpp:12',
      'called from',
      'read f.cpp:12',
      'f f.cpp:30',
    ])
    expect(checkJson([outcome])).toMatchObject({
      results: [{ check: 'layouts', line: 12, stack: [{ line: 12 }, { line: 30 }] }],
    })
  })

  it("a crashed operator's findings of the sanitizers are in every form of output", () => {
    const found = finding('address_sanitizer', {
      status: 'failed',
      reason: 'heap-use-after-free: reads 4 bytes',
      shownBy: 'x transposed',
      file: '/project/f.cpp',
      line: 12,
      sanitizer: {
        kind: 'heap-use-after-free',
        access: 'read',
        bytes: 4,
        stack: [frame('(anonymous namespace)::read(float*)', 12), frame('f(at::Tensor)', 30)],
        allocated: [frame('f(at::Tensor)', 25)],
        freed: [],
      },
    })
    const outcome: OperatorCheckOutcome = {
      entry: 0,
      name: 'f::f(x)',
      op: 'f::f',
      expect: 'passed',
      verdict: 'error',
      asExpected: false,
      report: { op: 'f::f', ok: false, seconds: 2, findings: [found] },
      error: { code: 'host.crashed', message: 'Segmentation fault in f.' },
    }
    const lines = checkLines(outcome, '/project')
    expect(lines[0]).toBe('FAILED f::f(x): 0 passed, 1 failed; 2.00 s')
    expect(lines[1]).toContain('Segmentation fault in f.')
    expect(lines.slice(2).map((line) => line.trim())).toEqual([
      '✗ address_sanitizer  heap-use-after-free: reads 4 bytes',
      'reproduced by x transposed',
      'look at f.cpp:12',
      'called from',
      'read f.cpp:12',
      'f f.cpp:30',
      'allocated by',
      'f f.cpp:25',
    ])
    expect(checkJson([outcome])).toMatchObject({
      ok: false,
      results: [
        { check: 'address_sanitizer', line: 12, sanitizer: { kind: 'heap-use-after-free' } },
        { check: 'operator_check', status: 'failed', reason: 'Segmentation fault in f.' },
      ],
    })
    const junit = checkJunit('checks', [outcome], '/project')
    expect(junit).toContain('<error message="Segmentation fault in f."')
    expect(junit).toContain('<failure message="heap-use-after-free: reads 4 bytes"')
    const html = checkHtml('checks', [], [outcome], '/project')
    expect(html).toContain('Segmentation fault in f.')
    expect(html).toContain('heap-use-after-free: reads 4 bytes')
  })
})
