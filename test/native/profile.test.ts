import fs from 'node:fs'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { unwrap } from '../../electron/contract/outcome'
import type { Result } from '../../electron/contract/outcome'
import { profileKinds } from '../../electron/contract/profile'
import type { ProfileReport, ProfileRequest } from '../../electron/contract/profile'
import { startForkedHost } from '../../electron/engine/host/transport'
import { commandOptions, Workbench } from '../../electron/engine/workbench'
import { opsmith } from '../support/command-line'
import { copyProject, makeTestCache, root, testInstallation } from '../support/installation'
import type { TestCache } from '../support/installation'
import { traceFormat } from '../unit/profile-samples'

let cache: TestCache
let workbench: Workbench
let folder: string
let printed = ''

const program = `import torch


def two_layers(a, x, w, b, w2, b2):
    hidden = torch.relu(torch.ops.gc_layer.gc_layer(a, x, w, b))
    return torch.ops.gc_layer.gc_layer(a, hidden, w2, b2)


def scale(x):
    return x * 2 + 1


def stacked(x):
    y = scale(x)
    return torch.stack([y, torch.zeros_like(y)])


def derives(x):
    y = (x * x).sum()
    gradient = torch.autograd.grad([y], [x])[0]
    if gradient is None:
        return x
    else:
        return torch.relu(gradient)


def many(x):
    for i in range(52000):
        x = torch.relu(x)
    return x


def varies(x):
    y = x
    for i in range(int(torch.randint(1, 500, [1]))):
        y = torch.relu(y)
    return y


def mismatched(a, w):
    return torch.matmul(torch.relu(a), w.t())
`

beforeAll(async () => {
  cache = makeTestCache()
  const events = {
    onOutput: (_generation: number, _stream: string, text: string) => {
      printed += text
    },
  }
  workbench = new Workbench(testInstallation(cache), startForkedHost, events, commandOptions)
  await workbench.applySettings()
  folder = copyProject(path.join(root, 'samples/gc_layer'), cache)
  fs.writeFileSync(path.join(folder, 'program.py'), program)
  expect(unwrap(await workbench.builds.build(folder)).ok).toBe(true)
})
afterAll(async () => {
  await workbench.close()
  cache.remove()
})

async function profile(
  op: string,
  args: string[],
  more: Partial<ProfileRequest> = {},
): Promise<Result<ProfileReport>> {
  const request = { op, args, inputs: {}, backward: false, threads: 1, ...more }
  return await workbench.profiles.run(folder, request, { timeout: 120 })
}

const layers = ['a', 'x', 'w', 'b', 'w2', 'b2']
const nameOf = ({ trace }: ProfileReport, event: number): string =>
  trace.names[trace.events.name[event] ?? -1] ?? ''
const eventsNamed = (report: ProfileReport, name: string): number[] =>
  report.trace.events.name.flatMap((_, event) => (nameOf(report, event) === name ? [event] : []))
const lineOf = ({ trace, places }: ProfileReport, event: number): number =>
  trace.frames[places[event] ?? -1]?.line ?? 0
const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0)
/** The line of the program that holds this text. */
const lineWith = (text: string): number =>
  program.split('\n').findIndex((line) => line.includes(text)) + 1

/** Each event lies within its parent, and own times add up to the ranges of the run. */
function expectTree({ trace, self, total }: ProfileReport): void {
  const { start, duration, parent, track, kind } = trace.events
  const ends = start.map((from, event) => from + (duration[event] ?? 0))
  const outside = parent.flatMap((within, event) =>
    within >= 0 &&
    track[within] === track[event] &&
    (within >= event ||
      (start[event] ?? 0) < (start[within] ?? 0) ||
      (ends[event] ?? 0) > (ends[within] ?? 0))
      ? [event]
      : [],
  )
  expect(outside).toEqual([])
  expect(self.every((own) => own >= 0)).toBe(true)
  expect(sum(self)).toBe(total)
  const ranges = kind.flatMap((one, event) =>
    profileKinds[one] === 'range' ? [duration[event] ?? 0] : [],
  )
  expect(sum(ranges)).toBe(total)
  expect(start[0]).toBe(0)
}

describe('a profile of a function, forward and backward', () => {
  let report: ProfileReport
  beforeAll(async () => {
    report = unwrap(await profile('two_layers', layers, { backward: true }))
  })

  it('the profile is the run with the median time, and the own times of its tree add up to the whole', () => {
    expectTree(report)
    const { runs, chosen } = report.trace
    expect(runs.length % 2).toBe(1)
    expect(runs[chosen]).toBe([...runs].sort((a, b) => a - b)[(runs.length - 1) / 2])
    expect(runs[chosen]).toBe(report.total)
    const roots = report.trace.events.parent.flatMap((parent, event) =>
      parent < 0 ? [nameOf(report, event)] : [],
    )
    expect(roots).toEqual(['forward', 'backward'])
  })

  it('events have lines, backward events those of the operator they derive', () => {
    const first = lineWith('hidden = ')
    expect(eventsNamed(report, 'gc_layer::gc_layer').map((one) => lineOf(report, one))).toEqual([
      first,
      first + 1,
    ])
    expect(eventsNamed(report, 'aten::relu').map((one) => lineOf(report, one))).toEqual([first])
    // Backward goes the other way round.
    const nodes = eventsNamed(report, 'backward of gc_layer::gc_layer')
    expect(nodes.map((one) => lineOf(report, one))).toEqual([first + 1, first])
    expect(eventsNamed(report, 'ReluBackward0').map((one) => lineOf(report, one))).toEqual([first])
    expect(lineOf(report, eventsNamed(report, 'two_layers')[0] ?? -1)).toBe(first - 1)
    expect(report.lines.map(({ line }) => line).sort()).toEqual([first, first + 1])
  })

  it("an operator's arguments are known when it is called through a whole stack", () => {
    const inputs = (name: string): string[] =>
      eventsNamed(report, name).map(
        (event) => report.trace.inputs[report.trace.events.inputs[event] ?? -1] ?? '',
      )
    const layer = ['float64[6, 6]', 'float64[6, 4]', 'float64[4, 3]', 'float64[3]']
    expect(inputs('gc_layer::gc_layer')).toEqual([
      layer.join(', '),
      'float64[6, 6], float64[6, 3], float64[3, 2], float64[2]',
    ])
    expect(inputs('aten::relu')).toEqual(['float64[6, 3]'])
  })

  it('the memory at the end is what the results hold', () => {
    const [memory] = report.memory
    // The output [6, 2], and gradients of a, x, w and b: float64 all.
    const held = 8 * (6 * 2 + 6 * 6 + 6 * 4 + 4 * 3 + 3)
    expect(memory).toMatchObject({ device: 'cpu', end: held })
    expect(report.trace.resultBytes).toBe(held)
    expect(memory?.peak).toBeGreaterThan(held)
    expect(sum(memory?.holders.map(({ bytes }) => bytes) ?? [])).toBe(memory?.peak)
    expect(memory?.bytes.every((bytes) => bytes >= 0)).toBe(true)
    expect(memory?.bytes.at(memory.times.indexOf(memory.peakTime))).toBe(memory?.peak)
  })

  it('the written trace conforms to the Trace Event Format', async () => {
    const file = path.join(cache.home, 'two_layers.json')
    const saved = unwrap(await workbench.profiles.save(report.profile, file))
    const text = fs.readFileSync(file, 'utf8')
    expect(saved.bytes).toBe(Buffer.byteLength(text))
    const trace = traceFormat.parse(JSON.parse(text))
    const complete = trace.traceEvents.filter(({ ph }) => ph === 'X')
    expect(complete).toHaveLength(report.trace.events.name.length)
    expect(complete.map(({ name }) => name)).toContain('backward of gc_layer::gc_layer')
  })

  it("profiling writes nothing to the op host's output", () => {
    expect(printed).toBe('')
  })
})

describe('a profile', () => {
  it('functions that the compiler inlined are shown, and memory is exact to the byte', async () => {
    const report = unwrap(await profile('stacked', ['w2']))
    expectTree(report)
    const path = report.flame.find(({ name }) => name === 'scale')
    expect(report.flame[path?.parent ?? -1]?.name).toBe('stacked')
    expect(path).toMatchObject({ kind: 'function', line: lineWith('return x * 2') })
    // Without a graph only the result is held: two of [3, 2].
    expect(report.memory[0]).toMatchObject({ end: 8 * 2 * 3 * 2 })
    expect(report.trace.resultBytes).toBe(8 * 2 * 3 * 2)
    expect(report.trace.inputBytes).toBe(8 * 3 * 2)
  })

  it('the profile of an operator has no line and everything else', async () => {
    const report = unwrap(await profile('gc_layer::gc_layer', ['a', 'x', 'w', 'b']))
    expectTree(report)
    expect(report.lines).toEqual([])
    const custom = report.operators.filter(({ kind }) => kind === 'custom')
    expect(custom.map(({ name }) => name).sort()).toEqual([
      'gc_layer::forward',
      'gc_layer::gc_layer',
    ])
  })

  it('an event has no line rather than a wrong one after gradients are computed inside the function', async () => {
    const report = unwrap(await profile('derives', ['x']))
    expectTree(report)
    const [first = -1] = eventsNamed(report, 'aten::sum')
    expect(lineOf(report, first)).toBe(lineWith('y = (x * x)'))
    expect(eventsNamed(report, 'aten::relu').map((one) => lineOf(report, one))).toEqual([0])
  })

  it('a function that does something else each time is profiled in one run, with its lines', async () => {
    const report = unwrap(await profile('varies', ['w2']))
    expectTree(report)
    expect(report.trace.runs).toHaveLength(1)
    const lines = eventsNamed(report, 'aten::relu').map((one) => lineOf(report, one))
    expect(new Set(lines)).toEqual(new Set([lineWith('y = torch.relu(y)')]))
  })

  it('a profile keeps 100,000 events and counts the rest', async () => {
    const report = unwrap(await profile('many', ['w2']))
    const { events, cutEvents, cutAllocations, allocations } = report.trace
    expect(events.name).toHaveLength(100_000)
    // forward and many, then relu and clamp_min each time.
    expect(cutEvents).toBe(2 + 2 * 52_000 - 100_000)
    expect(allocations.time.length).toBeLessThanOrEqual(100_000)
    expect(allocations.time.length + cutAllocations).toBeGreaterThan(100_000)
    expect(report.trace.runs).toHaveLength(1)
    expectTree(report)
  })

  it('a profile that cannot be made gives the reason and leaves the profiler off', async () => {
    const refused = async (
      ...asked: Parameters<typeof profile>
    ): Promise<{ code: string; text: string }> => {
      const result = await profile(...asked)
      if (result.ok) throw new Error('it was profiled')
      const { code, message, hint } = result.error
      return { code, text: `${message} ${hint ?? ''}` }
    }
    const unknown = await refused('three_layers', layers)
    expect(unknown.code).toBe('operator.unknown')
    expect(unknown.text).toMatch(/no function three_layers.*two_layers, scale, stacked/)
    const constant = await refused('scale', ['w2'], { backward: true })
    expect(constant).toMatchObject({ code: 'derivative.missing' })
    expect(constant.text).toContain('scale: no argument requires grad')
    const wrong = await refused('mismatched', ['a', 'w'])
    expect(wrong.code).toBe('operator.check')
    expect(unwrap(await profile('scale', ['w2'])).operators.length).toBeGreaterThan(2)
  })
})

describe('opsmith profile', () => {
  it('the command prints a table, JSON and a trace, and an unknown name gets a list of names', async () => {
    const file = path.join(cache.home, 'command.json')
    const table = await opsmith(cache, 'profile', folder, '--backward', '--trace', file)
    expect(table.code).toBe(0)
    const lines = table.stdout.split('\n')
    expect(lines[0]).toBe('two_layers, forward and backward, 1 thread')
    expect(lines[1]).toMatch(/^[\d.]+ [mµ]s: the median of \d runs; without the profiler [\d.]+ /)
    expect(table.stdout).toMatch(/^aten::mm +\d+ .* program\.py:\d and 1 more$/m)
    expect(table.stdout).toMatch(/^Memory of cpu, without the arguments: peak [\d.]+ k?B/m)
    expect(() => traceFormat.parse(JSON.parse(fs.readFileSync(file, 'utf8')))).not.toThrow()

    const json = await opsmith(cache, 'profile', folder, '--call', '1', '--json')
    expect(json.code).toBe(0)
    const answer = JSON.parse(json.stdout) as { ok: boolean; op: string; operators: object[] }
    expect(answer).toMatchObject({ ok: true, op: 'gc_layer::gc_layer', backward: false })
    expect(answer.operators[0]).toHaveProperty('self')

    const wrong = await opsmith(cache, 'profile', folder, '--function', 'nope')
    expect(wrong.code).toBe(2)
    expect(wrong.stderr).toMatch(/has no function nope\n.*Its functions are two_layers, scale/)
  })
})
