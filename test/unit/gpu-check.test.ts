import { describe, expect, it } from 'vitest'

import { gpuTable, isGoodGpuReport } from '../../electron/contract/gpu-check'
import type { GpuCheck, GpuCheckStatus } from '../../electron/contract/gpu-check'
import type { DeviceState } from '../../electron/contract/timing-device'
import {
  judgeCache,
  judgeCeilings,
  judgeEvents,
  judgeFaults,
  judgeGraph,
  judgeProfiler,
  judgeStreams,
  kneeOf,
  peaksOf,
  stepOf,
} from '../../electron/engine/gpu-check/judge-device'
import type { CeilingFigures } from '../../electron/engine/gpu-check/judge-device'
import {
  architecturesIn,
  judgeDriver,
  judgeLibtorch,
  judgeToolchain,
  whyNoDevice,
} from '../../electron/engine/gpu-check/judge-tools'
import type { DriverFacts, ToolchainFacts } from '../../electron/engine/gpu-check/judge-tools'
import { sentence, withoutAnswer } from '../../electron/engine/gpu-check/judgement'
import type { DriverDevice, DriverReport } from '../../electron/engine/toolchain/driver-report'
import type { Gpu } from '../../electron/engine/toolchain/gpus'

/** As the driver describes an H100 SXM. */
const hopper: DriverDevice = {
  name: 'NVIDIA H100 80GB HBM3',
  architecture: '90',
  memoryBytes: 80 * 2 ** 30,
  cacheBytes: 50 * 2 ** 20,
  multiprocessors: 132,
  clock: 1980e6,
  memoryClock: 2619e6,
  busBits: 5120,
  pci: '0000:01:00.0',
}
const driver: DriverReport = {
  why: '',
  code: 'CUDA_SUCCESS',
  version: 12080,
  devices: [hopper],
}
const noDriver: DriverReport = {
  why: 'libcuda.so.1 (NVIDIA’s driver) is not on this machine',
  code: '',
  version: 0,
  devices: [],
}
const card: Gpu = {
  name: hopper.name,
  driver: '570.86',
  detail: '',
  architecture: '90',
  isDivided: false,
}
const facts: DriverFacts = {
  driver,
  gpus: [card],
  unlisted: '',
  libtorchCuda: '12.8',
  nvcc: '12.8',
  isWsl: false,
  persistence: 'Enabled',
}

describe('the driver', () => {
  it('passes where it has a device and fits libtorch and nvcc', () => {
    const found = judgeDriver(facts)
    expect(found.status).toBe('passed')
    expect(found.reason).toBe(
      'cuInit returns CUDA_SUCCESS; the driver supports CUDA up to 12.8 and has 1 GPU: NVIDIA H100 80GB HBM3.',
    )
    expect(found.figures).toMatchObject({ GPUs: 1, 'CUDA of the driver': '12.8' })
  })

  it.each([
    [
      'there is no GPU and no driver',
      { driver: noDriver, gpus: [] },
      'skipped',
      /not on this machine/,
    ],
    [
      'the card is there without a driver',
      { driver: noDriver, gpus: [{ ...card, driver: '', architecture: '' }] },
      'failed',
      /H100 80GB HBM3 cannot be used: libcuda/,
    ],
    [
      'cuInit refuses',
      { driver: { ...noDriver, why: 'NVIDIA’s driver returns CUDA_ERROR_SYSTEM_NOT_READY' } },
      'failed',
      /CUDA_ERROR_SYSTEM_NOT_READY/,
    ],
    ['it is too old for libtorch', { libtorchCuda: '13.0' }, 'failed', /libtorch finds no CUDA/],
    ['nvcc is newer', { nvcc: '12.9' }, 'warning', /only PTX fail/],
    ['a GPU is divided', { gpus: [{ ...card, isDivided: true }] }, 'warning', /MIG/],
    ['it is WSL', { isWsl: true }, 'warning', /WSL/],
    ['set-up has not been run', { driver: undefined, gpus: [] }, 'skipped', /Set-up|set-up/],
  ] as const)('where %s', (_name, change, status, reason) => {
    const found = judgeDriver({ ...facts, ...(change as Partial<DriverFacts>) })
    expect(found).toMatchObject({ status })
    expect(found.reason).toMatch(reason)
  })

  it('is why nothing is measured', () => {
    expect(whyNoDevice(facts, true)).toBe('')
    expect(whyNoDevice({ ...facts, driver: noDriver }, false)).toBe(
      'libcuda.so.1 (NVIDIA’s driver) is not on this machine; this libtorch is a CPU build',
    )
  })
})

describe('libtorch', () => {
  const config =
    'NVCC architecture flags: -gencode;arch=compute_75,code=sm_75;-gencode;arch=compute_80,code=sm_80;-gencode;arch=compute_90,code=compute_90'
  const given = {
    version: '2.13.0',
    isCudaBuild: true,
    devices: 1,
    config,
    driver,
    additions: [''],
  }

  it('has code for what its configuration names', () => {
    expect(architecturesIn(config)).toEqual({ machine: [75, 80], ptx: [90] })
    expect(judgeLibtorch(given).status).toBe('passed')
  })

  it.each([
    [
      'it sees fewer devices',
      { devices: 0, additions: [] },
      /sees 0 devices, but the driver has 1/,
    ],
    [
      'it has no code for the GPU',
      { config: 'arch=compute_80,code=sm_80' },
      /no code for NVIDIA H100/,
    ],
    [
      'it adds wrong',
      { additions: ['adding 1 to 1, 2, 3, 4 gave wrong numbers, from 1 to 4'] },
      /cuda:0: adding 1 /,
    ],
  ])('fails where %s', (_name, change, reason) => {
    const found = judgeLibtorch({ ...given, ...change })
    expect(found.status).toBe('failed')
    expect(found.reason).toMatch(reason)
  })
})

describe('the toolkit', () => {
  const given = {
    nvcc: '12.8',
    refusedHost: '',
    build: { error: '', seconds: 8, kernels: 'sm_90' },
    ran: { wrong: [], firstSeconds: 0.01 },
    missing: '',
  }

  it.each<[GpuCheckStatus, Partial<ToolchainFacts>, RegExp]>([
    ['passed', {}, /both kernels give the right numbers/],
    [
      'warning',
      { ran: { wrong: [], firstSeconds: 4 } },
      /4\.0 s: its kernel was probably compiled from PTX/,
    ],
    ['failed', { ran: { wrong: ['no kernel image'], firstSeconds: 0 } }, /No kernel image/],
    [
      'skipped',
      { ran: undefined, missing: 'no driver' },
      /compiles .* the kernels were not run: no driver/,
    ],
    [
      'failed',
      {
        build: { error: 'unsupported GNU version', seconds: 1, kernels: '' },
        refusedHost: 'nvcc 12.8 supports g++ up to 14, not 15',
      },
      /does not build: unsupported GNU version \(nvcc 12\.8 supports g\+\+ up to 14, not 15\)/,
    ],
  ])('%s', (status, change, reason) => {
    const found = judgeToolchain({ ...given, ...change })
    expect(found.status).toBe(status)
    expect(found.reason).toMatch(reason)
  })
})

describe('events', () => {
  const nothing = [1.0e-6, 1.5e-6, 1.5e-6, 2.0e-6]
  const given = { nothing, short: 100e-6, long: 10e-3, samples: 235, behind: 11 }

  it('pass where they agree with the device’s own clock', () => {
    const found = judgeEvents({ ...given, short: 101.5e-6, long: 10.002e-3 })
    expect(found).toMatchObject({
      status: 'passed',
      figures: {
        'nothing between two events, µs': 1.5,
        'step of the clock, µs': 0.5,
        'samples without the launch, %': 95.3,
      },
    })
    expect(stepOf([1e-6])).toBe(0)
  })

  it.each([
    ['warning', { short: 107e-6 }, /7\.0 % more .* 100 µs/],
    ['warning', { nothing: [6e-6] }, /6 µs apart/],
    ['warning', { behind: 12 }, /^12 of 235 samples include the launch: the device waited/],
    ['failed', { long: 5e-3 }, /50 % less .* 10 ms/],
    ['failed', { nothing: [40e-6] }, /40 µs apart/],
    ['failed', { nothing: [], short: Number.NaN, long: Number.NaN }, /NaN/],
  ])('%s', (status, figures, reason) => {
    const found = judgeEvents({ ...given, ...figures })
    expect(found.status).toBe(status)
    expect(found.reason).toMatch(reason)
  })
})

it('a stream that is told for another is named', () => {
  const right = { where: 'the current stream', expected: 'timed', found: 'timed' }
  expect(judgeStreams([right]).status).toBe('passed')
  const wrong = { where: 'its own stream', expected: 'asynchronous', found: 'timed' }
  expect(judgeStreams([right, wrong])).toMatchObject({
    status: 'failed',
    reason:
      'Timing treats a GPU kernel (on its own stream) as "timed", but should treat it as "asynchronous".',
  })
})

describe('the L2 cache', () => {
  const cacheBytes = 50 * 2 ** 20
  const curveWith = (knee: number): { bytes: number; bytesPerSecond: number }[] =>
    [1 / 8, 1 / 2, 1, 2, 4].map((part) => ({
      bytes: part * cacheBytes,
      bytesPerSecond: part * cacheBytes <= knee ? 5.5e12 : 2.9e12,
    }))
  const given = { cacheBytes, curve: curveWith(cacheBytes), warm: 4e-6, cold: 9e-6 }

  it('passes where a flush makes the next read slower', () => {
    expect(judgeCache(given).status).toBe('passed')
    expect(kneeOf(given.curve)).toBe(cacheBytes)
  })

  it.each([
    ['failed', { cold: 4e-6, warm: 4e-6 }, /the flush does not empty the cache/],
    ['warning', { curve: curveWith(cacheBytes / 4) }, /more than 6 MiB are slower, .* 50 MiB/],
    [
      'warning',
      { curve: given.curve.map(({ bytes }) => ({ bytes, bytesPerSecond: 3e12 })) },
      /the cache has no effect/,
    ],
  ])('%s', (status, change, reason) => {
    const found = judgeCache({ ...given, ...change })
    expect(found.status).toBe(status)
    expect(found.reason).toMatch(reason)
  })
})

describe('memory and arithmetic', () => {
  const state: DeviceState = { slowedBy: [], missing: '' }
  const given: CeilingFigures = {
    device: hopper,
    ceilings: {
      bytesPerSecond: 2.9e12,
      flopsPerSecond: { float32: 51e12, bfloat16: 700e12 },
      state,
    },
    clocks: [1.755e9, 1.98e9],
    slowedBy: ['power cap'],
    otherProcesses: 0,
    unread: '',
  }

  it('the peaks of an H100 come to those of its data sheet', () => {
    const peaks = peaksOf(hopper)
    expect(peaks.bytesPerSecond / 3.35e12).toBeCloseTo(1, 2)
    expect(peaks.flopsPerSecond / 67e12).toBeCloseTo(1, 1)
  })

  it.each([
    ['warning', { clocks: [1.755e9, 1.98e9] }, /clock changed between 1755 and 1980 MHz/],
    ['passed', { clocks: [1.9e9, 1.98e9] }, /2900 GB\/s \(87 % of the peak\)/],
    [
      'failed',
      { ceilings: { ...given.ceilings, bytesPerSecond: 6.7e12 } },
      /200 % .* is impossible/,
    ],
    ['warning', { ceilings: { ...given.ceilings, bytesPerSecond: 1e12 } }, /only 30 %/],
    ['warning', { device: { ...hopper, memoryClock: 0 } }, /cannot be compared/],
    [
      'warning',
      { clocks: [], unread: 'libnvidia-ml.so.1 is not here' },
      /cannot be read: libnvidia/,
    ],
    ['warning', { clocks: [1e9], slowedBy: ['heat (hardware)'] }, /heat/],
    ['warning', { clocks: [1e9], otherProcesses: 2 }, /2 other processes used the device/],
  ] as const)('%s', (status, change, reason) => {
    const found = judgeCeilings({ ...given, ...(change as Partial<CeilingFigures>) })
    expect(found.status).toBe(status)
    expect(found.reason).toMatch(reason)
  })
})

describe('graphs', () => {
  const given = {
    missing: '',
    replayed: 20e-6,
    warm: 25e-6,
    refusals: { dropout: 'random numbers', nonzero: 'waits for the device' },
    before: 500 << 20,
    after: 502 << 20,
  }

  it.each([
    ['passed', {}, /refuses to capture dropout and nonzero/],
    ['failed', { missing: 'a replay gave other numbers' }, /a relu failed: a replay gave/],
    ['failed', { refusals: { dropout: '', nonzero: 'x' } }, /replayed a CUDA graph of dropout/i],
    [
      'failed',
      { after: 800 << 20 },
      /Capturing a CUDA graph 100 times leaks 300 MiB of device memory/,
    ],
    ['passed', { before: Number.NaN, after: Number.NaN }, /right results/],
    ['warning', { replayed: 30e-6 }, /a call without a CUDA graph takes only 25 µs/],
  ])('%s', (status, change, reason) => {
    const found = judgeGraph({ ...given, ...change })
    expect(found.status).toBe(status)
    expect(found.reason).toMatch(reason)
  })
})

describe('the profiler', () => {
  const kernel = {
    name: 'relu',
    kind: 'kernel' as const,
    start: 0,
    seconds: 50e-6,
    grid: [1024, 1, 1],
    registers: 32,
    occupancy: 0.9,
  }
  const given = { kernels: [kernel], missing: '', before: 52e-6, after: 52.5e-6 }

  it.each([
    ['passed', {}, /the profiler reports 50 µs for the kernel of one relu/i],
    ['failed', { kernels: [], missing: 'CUPTI_ERROR_NOT_INITIALIZED' }, /CUPTI_ERROR_NOT_INIT/],
    ['failed', { before: 10e-6 }, /reports 50 µs for a kernel, but CUDA events measure 10 µs/],
    ['warning', { before: 62e-6, after: 62e-6 }, /reports 19 % less time/],
    ['warning', { after: 60e-6 }, /calls are 15 % slower after a profile/i],
    [
      'warning',
      { kernels: [{ ...kernel, occupancy: undefined }] },
      /the profile does not contain the kernel’s occupancy/i,
    ],
  ])('%s', (status, change, reason) => {
    const found = judgeProfiler({ ...given, ...(change as Partial<typeof given>) })
    expect(found.status).toBe(status)
    expect(found.reason).toMatch(reason)
  })
})

describe('faults', () => {
  const fault = {
    fault: 'an assertion in a kernel',
    answer: 'device-side assert triggered',
    isNamed: true,
    isNextRight: true,
  }
  const given = { faults: [fault], failedChecks: [], unprotected: '' }

  it.each([
    ['passed', {}, /1 fault/],
    [
      'failed',
      { faults: [{ ...fault, isNextRight: false }] },
      /after an assertion .* next call fails/i,
    ],
    ['failed', { faults: [{ ...fault, answer: '', isNamed: false }] }, /is not reported/],
    ['failed', { faults: [{ ...fault, isNamed: false }] }, /the message does not name it/],
    ['failed', { failedChecks: ['"threads" (initialization error)'] }, /operator check "threads"/],
    [
      'failed',
      { unprotected: 'the operator checks report no failure' },
      /crash in backward is not reported as a crash: the operator checks report no failure/,
    ],
  ])('%s', (status, change, reason) => {
    const found = judgeFaults({ ...given, ...change })
    expect(found.status).toBe(status)
    expect(found.reason).toMatch(reason)
  })
})

describe('the report', () => {
  const check = (status: GpuCheck['status']): GpuCheck => ({
    name: 'driver',
    status,
    reason: 'It has 1 GPU | of two.',
    figures: {},
  })

  it('is good where something passed and nothing failed', () => {
    expect(isGoodGpuReport({ checks: [check('skipped')] })).toBe(false)
    expect(isGoodGpuReport({ checks: [check('skipped'), check('warning')] })).toBe(true)
    expect(isGoodGpuReport({ checks: [check('passed'), check('failed')] })).toBe(false)
  })

  it('is a table that an issue takes', () => {
    const table = gpuTable({ checks: [check('passed')], machine: 'Linux, H100', seconds: 41.6 })
    expect(table).toContain('| Driver and devices | passed | It has 1 GPU \\| of two. |')
    expect(table).toMatch(/\n\nLinux, H100; 42 s\n$/)
  })

  it('has a sentence of what was stopped, and of what failed', () => {
    expect(withoutAnswer({ code: 'cancelled', message: 'Stopped.' }).status).toBe('skipped')
    expect(withoutAnswer({ code: 'host.crashed', message: 'the op host ended\nstack' })).toEqual({
      status: 'failed',
      reason: 'The op host ended.',
      figures: {},
    })
    expect(sentence('x')).toBe('X.')
  })
})
