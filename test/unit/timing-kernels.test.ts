import { describe, expect, it } from 'vitest'

import type { DeviceSamples, DeviceState } from '../../electron/contract/timing-device'
import { kernelLines } from '../../electron/cli/verbs/bench/kernel-table'
import {
  areDoubtful,
  deviceWarnings,
  doubtOfDevice,
  isFasterThan,
  leastSecondsOn,
  stateText,
} from '../../electron/engine/timing/device-noise'
import { tracedKernels } from '../../electron/engine/timing/kernels'

/** In the form that Kineto writes: microseconds, and a kernel's launch in `args`. */
const trace = JSON.stringify({
  schemaVersion: 1,
  traceEvents: [
    { ph: 'M', name: 'process_name', ts: 0, args: { name: 'python' } },
    { ph: 'X', cat: 'cpu_op', name: 'aten::mm', ts: 90, dur: 80, args: {} },
    {
      ph: 'X',
      cat: 'kernel',
      name: 'void sgemm<128>(Params)',
      ts: 130.5,
      dur: 12.25,
      args: {
        device: 0,
        stream: 7,
        'registers per thread': 216,
        'shared memory': 49152,
        grid: [8, 12, 1],
        block: [128, 1, 1],
        'est. achieved occupancy %': 18,
      },
    },
    {
      ph: 'X',
      cat: 'gpu_memset',
      name: 'Memset (Device)',
      ts: 120.5,
      dur: 1.5,
      args: { stream: 7, bytes: 4096 },
    },
  ],
})

describe('the kernels of a trace', () => {
  it('the kernels come in the order in which they began, with their launches', () => {
    const [fill, kernel, ...rest] = tracedKernels(trace)
    expect(rest).toEqual([])
    expect(fill).toMatchObject({ kind: 'fill', start: 0, bytes: 4096, stream: 7 })
    expect(kernel).toMatchObject({
      kind: 'kernel',
      name: 'void sgemm<128>(Params)',
      grid: [8, 12, 1],
      block: [128, 1, 1],
      registers: 216,
      sharedMemory: 49152,
      occupancy: 0.18,
    })
    expect(kernel?.start).toBeCloseTo(10e-6)
    expect(kernel?.seconds).toBeCloseTo(12.25e-6)
    expect(() => tracedKernels('{}')).toThrow()
    // As Kineto writes it where it cannot tell.
    const untold = tracedKernels(
      trace.replace('"est. achieved occupancy %":18', '"est. achieved occupancy %":-99'),
    )
    expect(untold[1]?.occupancy).toBeUndefined()
  })

  it('the kernels are printed as a table', () => {
    const list = { op: 'aten::mm', device: 'cuda', kernels: tracedKernels(trace), note: '' }
    const lines = kernelLines('aten::mm(x, y)', list)
    expect(lines[0]).toBe('aten::mm(x, y) on cuda')
    expect(lines[1]).toMatch(/\[µs\] +grid +block +registers +shared +occupancy$/)
    expect(lines[3]).toMatch(
      /^ {2}void sgemm<128>\(Params\) +12\.3 +8×12×1 +128×1×1 +216 +49152 B +18 %$/,
    )
    const none = kernelLines('f()', { ...list, kernels: [], note: 'None.' })
    expect(none).toEqual(['f() on cuda', '  None.'])
  })
})

describe('the state of a device during a timing', () => {
  const calm: DeviceState = { clock: 1.98e9, slowedBy: [], otherProcesses: 0, missing: '' }
  const rounds = (...states: Partial<DeviceState>[]): DeviceSamples[] =>
    states.map((state) => ({
      launch: 4e-6,
      before: { ...calm, clock: 0.2e9 },
      after: { ...calm, ...state },
      behind: 0,
    }))

  it('a device that keeps its clock, alone and cool, gets no warning', () => {
    expect(deviceWarnings(rounds({}, {}, { clock: 1.97e9 }))).toEqual([])
    expect(deviceWarnings([])).toEqual([])
  })

  it('samples for which the host was not ahead are counted in a warning', () => {
    const [round] = rounds({})
    const behind = round
      ? [
          { ...round, behind: 2 },
          { ...round, behind: 1 },
        ]
      : []
    expect(deviceWarnings(behind)).toEqual([expect.stringMatching(/^3 samples include the launch/)])
  })

  it('ceilings of a lower clock than that of now are measured again', () => {
    const ceilings = { state: { ...calm, clock: 0.9e9 } }
    expect(isFasterThan([{ ...calm, clock: 1.98e9 }], ceilings)).toBe(true)
    expect(isFasterThan([{ ...calm, clock: 0.95e9 }], ceilings)).toBe(false)
    expect(isFasterThan([], ceilings)).toBe(false)
  })

  it('ceilings that are not used give the reason', () => {
    const state = { ...calm, otherProcesses: 2, slowedBy: ['heat (hardware)', 'power cap'] }
    expect(doubtOfDevice({ state })).toBe(
      'while Opsmith measured these two limits, 2 other processes used the device, and the device reduced its clock (heat (hardware))',
    )
  })

  it('a device that is slowed down, shared or changes its clock gets a warning that states what to do', () => {
    expect(deviceWarnings(rounds({}, { slowedBy: ['power cap'] }))).toEqual([
      expect.stringMatching(/reduced its clock during the timing \(power cap\)/),
    ])
    expect(deviceWarnings(rounds({}, {}, { clock: 1.5e9 }, { clock: 1.5e9 }))).toEqual([
      expect.stringMatching(/between 1500 MHz and 1980 MHz .*--lock-gpu-clocks/),
    ])
    expect(deviceWarnings(rounds({ otherProcesses: 3 }))).toEqual([
      expect.stringMatching(/^3 other processes used the GPU/),
    ])
    expect(deviceWarnings(rounds({ missing: 'no NVML' }))).toEqual([
      expect.stringMatching(/not known \(no NVML\)/),
    ])
  })

  it('ceilings that were measured on a disturbed device are doubtful', () => {
    expect(areDoubtful({ state: calm })).toBe(false)
    expect(areDoubtful({ state: { ...calm, slowedBy: ['power cap'] } })).toBe(false)
    expect(areDoubtful({ state: { ...calm, slowedBy: ['heat (hardware)'] } })).toBe(true)
    expect(areDoubtful({ state: { ...calm, otherProcesses: 1 } })).toBe(true)
  })

  it('the state is written in one short line', () => {
    expect(stateText({ ...calm, memoryClock: 2.6e9, temperature: 41, power: 209.6 })).toBe(
      '1980 MHz, memory 2600 MHz, 41 °C, 210 W',
    )
    expect(stateText({ slowedBy: [], missing: 'x' })).toBe('')
  })

  it('the least possible time follows from memory, caches and arithmetic', () => {
    const ceilings = { bytesPerSecond: 2e12, flopsPerSecond: { float32: 50e12, bfloat16: 700e12 } }
    const facts = { cacheBytes: 50e6 }
    expect(leastSecondsOn({ bytes: 3e9 }, false, facts, ceilings)).toBeCloseTo(1e-3)
    expect(leastSecondsOn({ bytes: 3e6 }, true, facts, ceilings)).toBeCloseTo(1e-6)
    expect(leastSecondsOn({ bytes: 40e6 }, false, facts, ceilings)).toBeCloseTo(1.25e-6)
    expect(leastSecondsOn({ flops: 1400e12 }, false, facts, ceilings)).toBeCloseTo(1)
    // FP8 and FP4 are not measured.
    const narrow = { flops: 5600e12, isNarrow: true }
    expect(leastSecondsOn(narrow, false, facts, ceilings)).toBeCloseTo(1)
    expect(leastSecondsOn({ flops: 1 }, false, facts, { ...ceilings, flopsPerSecond: {} })).toBe(0)
  })
})
