import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import type { LoadReport } from '../../electron/contract/operators'
import { loadReport, operatorDetail } from '../../electron/contract/operators'
import type { NativeAddon } from '../../electron/host/addon'
import { compileLibrary, failureOf, fixtureLibrary, fixtureSource, loadAddon } from './fixture'

let addon: NativeAddon
let library: string
let report: LoadReport

beforeAll(async () => {
  addon = loadAddon()
  library = fixtureLibrary('operators')
  report = await addon.call('library.load', { path: library })
})
afterAll(async () => {
  await addon.call('library.unload', {})
})

describe('loading a library', () => {
  it("a loaded library reports what it registered, sorted, as the contract's message types want it", () => {
    expect(loadReport.parse(report)).toEqual(report)
    expect(
      report.operators.map(({ name, overload }) => (overload ? `${name}.${overload}` : name)),
    ).toEqual([
      'fixture::make',
      'fixture::many',
      'fixture::misbehave',
      'fixture::nearly',
      'fixture::pick.number',
      'fixture::pick.tensor',
      'fixture::scaled',
      'fixture::twice',
    ])
  })

  it('the report has arguments, defaults, aliases, documentation and where kernels were registered', () => {
    const scaled = report.operators.find(({ name }) => name === 'fixture::scaled')
    const line =
      fixtureSource('operators')
        .split('\n')
        .findIndex((text) => text.startsWith('TORCH_LIBRARY_IMPL')) + 1
    expect(scaled).toMatchObject({
      schema: 'fixture::scaled(Tensor x, Tensor y, float factor=3.) -> Tensor',
      doc: 'factor * x - y',
      arguments: [
        { name: 'x', type: 'Tensor', kwargOnly: false },
        { name: 'y' },
        { default: '3.' },
      ],
      kernels: [{ dispatchKey: 'CPU', line }],
    })
    expect(scaled?.kernels[0]?.file).toMatch(/operators\.cpp$/)
    const twice = report.operators.find(({ name }) => name === 'fixture::twice')
    expect(twice?.arguments[0]?.alias).toBe('a!')
    const make = report.operators.find(({ name }) => name === 'fixture::make')
    expect(make?.arguments.map(({ type }) => type)).toEqual([
      'str',
      'ScalarType',
      'Tensor?',
      'int[2]',
      'Device',
    ])
    expect(make?.kernels.map(({ dispatchKey }) => dispatchKey)).toEqual([
      'CompositeImplicitAutograd',
    ])
  })

  it('an unloaded library removes its operators, and loading it again works many times', async () => {
    for (let cycle = 0; cycle < 50; ++cycle) {
      expect(await addon.call('library.unload', {})).toEqual({ unloaded: true, reason: '' })
      expect((await addon.call('library.load', { path: library })).operators).toHaveLength(8)
    }
    await addon.call('library.unload', {})
    const gone = await failureOf(
      addon.call('registry.describe', { name: 'fixture::scaled', overload: '' }),
    )
    expect(gone.code).toBe('operator.unknown')
    await addon.call('library.load', { path: library })
  })

  it('a library with an undefined symbol and a library that does not exist are named in the error', async () => {
    const incomplete = compileLibrary(
      'incomplete',
      'namespace mine { int helper(double); } int use() { return mine::helper(1); }',
    )
    const symbol = await failureOf(addon.call('library.load', { path: incomplete }))
    expect(symbol).toMatchObject({ code: 'library.load' })
    expect(symbol.message).toContain('mine::helper(double)')
    const absent = await failureOf(addon.call('library.load', { path: '/nowhere/libabsent.so' }))
    expect(absent).toMatchObject({ code: 'library.load' })
    expect(absent.message).toContain('There is no library')
    await addon.call('library.load', { path: library })
  })
})

describe('the operator registry', () => {
  it("libtorch's operators are listed with their schemas", async () => {
    const operators = await addon.call('registry.list', {})
    expect(operators.length).toBeGreaterThan(3000)
    const add = operators.find(
      ({ name, overload }) => name === 'aten::add' && overload === 'Tensor',
    )
    expect(add?.schema).toMatch(
      /^aten::add\.Tensor\(Tensor self, Tensor other, \*, Scalar alpha=1\)/,
    )
  })

  it('an operator of libtorch is described', async () => {
    const detail = await addon.call('registry.describe', { name: 'aten::add', overload: 'Tensor' })
    expect(operatorDetail.parse(detail)).toEqual(detail)
    expect(detail.arguments[2]).toEqual({
      name: 'alpha',
      type: 'Scalar',
      default: '1',
      kwargOnly: true,
    })
    expect(detail.kernels.some(({ dispatchKey }) => dispatchKey === 'CPU')).toBe(true)
  })

  it('an unknown name gets a list of similar names', async () => {
    const failure = await failureOf(
      addon.call('operator.run', { op: 'fixture::scale', args: [], inputs: {} }),
    )
    expect(failure).toMatchObject({ code: 'operator.unknown' })
    expect(failure.hint).toContain('fixture::scaled')
    const overloads = await failureOf(
      addon.call('operator.run', { op: 'fixture::pick', args: [], inputs: {} }),
    )
    expect(overloads.message).toContain('fixture::pick.number, fixture::pick.tensor')
    const kernelOnly = await failureOf(
      addon.call('operator.run', { op: 'fixture::undefined', args: [], inputs: {} }),
    )
    expect(kernelOnly.message).toContain('no schema')
  })
})

// Last: the class stays in the process.
describe('a library that cannot be unloaded', () => {
  it('a library with a thread_local destructor cannot be unloaded', async () => {
    const stays = compileLibrary(
      'stays',
      '#include <string>\nthread_local std::string held = "x";\n__attribute__((constructor)) void use() { held += "y"; }',
    )
    await addon.call('library.load', { path: stays })
    expect(await addon.call('library.unload', {})).toMatchObject({ unloaded: false })
    const next = await failureOf(addon.call('library.load', { path: library }))
    expect(next).toMatchObject({
      code: 'library.load',
      hint: 'Load the new library in a new process.',
    })
  })
})
