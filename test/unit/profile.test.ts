import { describe, expect, it } from 'vitest'

import { chooseCall } from '../../electron/cli/chosen-call'
import { readOptions } from '../../electron/cli/options'
import type { GivenValue } from '../../electron/cli/options'
import { profileVerbOptions, readProfileOptions } from '../../electron/cli/verbs/profile/options'
import { profileText } from '../../electron/cli/verbs/profile/text'
import { profileTrace } from '../../electron/contract/profile'
import { chromeTrace } from '../../electron/engine/profile/chrome-trace'
import { profileReportOf } from '../../electron/engine/profile/profiles'
import { program, sampleTrace, traceFormat } from './profile-samples'

const report = profileReportOf(sampleTrace(), true, 1)

const byName = (name: string) => report.operators.filter((one) => one.name === name)
const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0)

describe('the tree of a profile', () => {
  it("the tree fits the contract, and own times add up to the thread's whole time", () => {
    expect(() => profileTrace.parse(sampleTrace())).not.toThrow()
    expect(report.self).toEqual([20, 40, 15, 15, 5, 5, 22, 20, 15, 15])
    const onThread = report.self.filter((_, event) => report.trace.events.track[event] === 0)
    expect(report.total).toBe(150)
    expect(sum(onThread)).toBe(report.total)
  })

  it('each event has its line, and an autograd node that of the operator it derives', () => {
    const lines = report.places.map((place) => report.trace.frames[place]?.line ?? 0)
    expect(lines).toEqual([0, 5, 3, 3, 3, 3, 3, 0, 3, 3])
  })
})

describe('totals of a profile', () => {
  it('nested calls of a name count once in its total, and each in its own time', () => {
    expect(byName('aten::mm')).toEqual([
      {
        name: 'aten::mm',
        kind: 'operator',
        calls: 3,
        total: 20 + 15,
        self: 15 + 5 + 15,
        share: 35 / 150,
        allocated: 350,
        file: program,
        line: 3,
        places: 1,
      },
    ])
    expect(byName('compute')[0]).toMatchObject({ calls: 1, total: 80, self: 40, places: 0 })
    const selves = report.operators.map(({ self }) => self)
    expect(selves).toEqual([...selves].sort((a, b) => b - a))
  })

  it("a line's total includes everything that it called, also its backward", () => {
    expect(report.lines).toHaveLength(1)
    expect(report.lines[0]).toMatchObject({
      name: 'helper',
      file: program,
      line: 3,
      allocated: 350,
      // my::op with all within it on its thread, and MmBackward0.
      calls: 2,
      total: 40 + 30,
      self: 40 + 30,
    })
  })

  it('the flame graph merges calls with the same path, with inlined functions', () => {
    const paths = report.flame.map((node, index) => {
      const path: string[] = []
      for (let at = index; at >= 0; at = report.flame[at]?.parent ?? -1)
        path.unshift(report.flame[at]?.name ?? '')
      return `${path.join(' > ')}: ${node.total}`
    })
    expect(paths).toEqual([
      'forward: 100',
      'forward > compute: 80',
      'forward > compute > helper: 40',
      'forward > compute > helper > my::op: 40',
      'forward > compute > helper > my::op > aten::mm: 20',
      'forward > compute > helper > my::op > aten::mm > aten::mm: 5',
      'forward > compute > helper > my::op > cudaLaunchKernel: 5',
      // A device works beside the thread, and takes nothing of its time.
      'cuda:0 stream 7: 22',
      'cuda:0 stream 7 > gemm: 22',
      'backward: 50',
      'backward > MmBackward0: 30',
      'backward > MmBackward0 > aten::mm: 15',
    ])
    expect(report.flame[2]).toMatchObject({ kind: 'function', file: program, line: 3 })
  })
})

describe('memory of a profile', () => {
  it('memory is what was allocated and not freed, with its peak and the holders', () => {
    expect(report.memory).toEqual([
      {
        device: 'cpu',
        times: [26, 31, 34, 116, 128],
        bytes: [100, 150, 100, 300, 200],
        peak: 300,
        peakTime: 116,
        end: 200,
        holders: [{ bytes: 300, blocks: 2, name: 'aten::mm', event: 3, file: program, line: 3 }],
      },
    ])
  })

  it('a run without allocations has no memory curve', () => {
    const trace = sampleTrace()
    const empty = { time: [], bytes: [], device: [], event: [], block: [] }
    const without = profileReportOf({ ...trace, devices: [], allocations: empty }, false, 1)
    expect(without.memory).toEqual([])
    expect(profileText(without, '/project').join('\n')).toContain('The call allocates no memory.')
  })
})

describe('the Chrome trace of a profile', () => {
  const trace = chromeTrace(report)

  it('the trace conforms to the Trace Event Format', () => {
    expect(() => traceFormat.parse(JSON.parse(JSON.stringify(trace)))).not.toThrow()
  })

  it('the trace has events in µs, memory counters, track names, and arrows to kernels', () => {
    const complete = trace.traceEvents.filter(({ ph }) => ph === 'X')
    expect(complete).toHaveLength(10)
    expect(complete[2]).toMatchObject({
      name: 'my::op',
      cat: 'custom',
      ts: 0.02,
      dur: 0.04,
      args: { inputs: 'float32[8, 8], 2', source: `${program}:3`, self_us: 0.015 },
    })
    const kernel = complete.find(({ name }) => name === 'gemm')
    expect(kernel).toMatchObject({ args: { grid: [4, 1, 1], 'registers per thread': 32 } })
    expect(kernel?.pid).not.toBe(complete[0]?.pid)
    const counters = trace.traceEvents.filter(({ ph }) => ph === 'C')
    expect(counters.map(({ args }) => args?.['bytes'])).toEqual([0, 100, 150, 100, 300, 200])
    const arrows = trace.traceEvents.filter(({ ph }) => ph === 's' || ph === 'f')
    expect(arrows.map(({ ph, ts }) => [ph, ts])).toEqual([
      ['s', 0.05],
      ['f', 0.058],
    ])
  })
})

describe('the opsmith profile command', () => {
  const calls = [
    { op: 'my::op', args: ['x'] },
    { op: 'compute', args: ['x', 1] },
    { op: 'compute', args: ['y', 2] },
  ]
  type Given = Partial<Record<keyof typeof profileVerbOptions, GivenValue>>
  const commandOf = (given: Given) => {
    const options = readOptions(profileVerbOptions, given)
    return options.ok ? readProfileOptions(options.value) : options
  }
  const select = (given: Given) => {
    const options = commandOf(given)
    return options.ok ? chooseCall({ calls }, options.value) : options
  }

  it('a called function comes before an operator, and a named call is used', () => {
    expect(select({})).toMatchObject({ value: { op: 'compute', args: ['x', 1] } })
    expect(select({ call: '1' })).toMatchObject({ value: { op: 'my::op' } })
    expect(select({ function: 'compute', call: '2' })).toMatchObject({ value: { args: ['y', 2] } })
    expect(select({ op: 'aten::relu', args: '["x"]' })).toMatchObject({
      value: { op: 'aten::relu', args: ['x'] },
    })
  })

  it('an unknown name gets a list of what exists', () => {
    expect(select({ call: '4' })).toMatchObject({
      error: {
        message: '--call 4: opsmith.json has 3 calls.',
        hint: 'The calls are 1 my::op(x); 2 compute(x, 1); 3 compute(y, 2).',
      },
    })
    expect(select({ function: 'compute', op: 'my::op' })).toMatchObject({ ok: false })
    expect(select({ function: 'my::op' })).toMatchObject({
      error: { hint: 'Use --op my::op for an operator.' },
    })
    expect(select({ args: '["x"]' })).toMatchObject({ ok: false })
    expect(select({ op: 'my::op', args: '["x"]', call: '1' })).toMatchObject({ ok: false })
    expect(select({ threads: '0' })).toMatchObject({
      error: { message: '--threads must be an integer of at least 1, not "0".' },
    })
    const none = commandOf({})
    if (!none.ok) throw new Error(none.error.message)
    expect(chooseCall({ calls: [] }, none.value)).toMatchObject({ ok: false })
  })

  it('operators are printed by own time, with the holders of the peak memory', () => {
    const text = profileText(report, '/project')
    expect(text[0]).toBe('compute, forward and backward, 1 thread')
    expect(text[1]).toBe('150 ns: the median of 3 runs; without the profiler 90.0 ns')
    const row = text.find((line) => line.startsWith('aten::mm'))
    expect(row?.split(/ {2,}/)).toEqual([
      'aten::mm',
      '3',
      '35.0',
      '35.0',
      '23.3 %',
      '350 B',
      'program.py:3',
    ])
    expect(text.join('\n')).toContain('without the arguments: peak 300 B, 116 ns after')
    expect(text).toContain('  300 B (2 blocks) aten::mm, program.py:3')
  })
})
