import { spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { inputSpec } from '../../electron/contract/manifest'
import type { TimingReport, TimingRequest, TimingRow } from '../../electron/contract/timing-report'
import { unwrap } from '../../electron/contract/outcome'
import { copyProject, root } from '../support/installation'
import { buildStandIns } from '../support/stand-ins'
import type { StandIn, StandIns } from '../support/stand-ins'
import { useWorkbench } from '../support/workbench'

/**
 * What a timing says of a GPU's state, of its driver and of CUPTI. The device is made of threads
 * (test/cases/timing/device) and says that it is CUDA's; libraries stand in for NVIDIA's.
 */

interface Machine {
  /** Of one row, timed warm. */
  rowOf: (op?: string, more?: object) => Promise<TimingRow>
  /** @param measureCeilings what the device can do at most is measured again */
  report: (op?: string, more?: object, measureCeilings?: boolean) => Promise<TimingReport>
  workbench: ReturnType<typeof useWorkbench>['workbench']
  folder: () => string
  standIns: () => StandIns
}

/** What is measured of machines with the same driver: they are the same device, and measuring takes seconds. */
const measured = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-test-measured-'))
afterAll(() => {
  fs.rmSync(measured, { recursive: true })
})

/** A machine with these libraries, for the tests of a `describe`. */
function useMachine(wanted: readonly StandIn[]): Machine {
  const { workbench, cache } = useWorkbench()
  if (wanted.includes('driver')) fs.symlinkSync(measured, path.join(cache.folder, 'bench'))
  const saved = { ...process.env }
  // Among what op hosts may write to.
  const standIns = buildStandIns(cache, wanted)
  beforeAll(() => {
    Object.assign(process.env, standIns.environment, { TEST_DEVICE_IS_CUDA: '1' })
    if (wanted.includes('cupti'))
      process.env['LD_PRELOAD'] = path.join(standIns.folder, 'libcupti.so.12')
  })
  let folder = ''
  beforeAll(async () => {
    folder = copyProject(path.join(root, 'test/cases/timing/device'), cache)
    expect(unwrap(await workbench.builds.build(folder)).ok).toBe(true)
  })
  afterAll(() => {
    process.env = saved
  })
  const report = async (
    op = 'double_it',
    more: object = {},
    measureCeilings = false,
  ): Promise<TimingReport> => {
    const request: TimingRequest = {
      op: `test_device::${op}`,
      args: ['x', 20],
      builds: [],
      seconds: 0.05,
      cold: false,
      ...more,
    }
    return unwrap(await workbench.timings.run(folder, [request], { measureCeilings }))
  }
  const rowOf = async (op?: string, more?: object): Promise<TimingRow> => {
    const { rows } = await report(op, more)
    const [row] = rows
    if (!row) throw new Error('nothing was timed')
    expect(row.error).toBeUndefined()
    return row
  }
  return { rowOf, report, workbench, folder: () => folder, standIns: () => standIns }
}

describe('with a driver and NVML', () => {
  const { rowOf, report, standIns } = useMachine(['driver', 'nvml'])

  it('the device has the name, the cache and the multiprocessors that the driver gives', async () => {
    standIns().state({})
    const { devices } = await report()
    expect(devices).toMatchObject([
      { name: 'NVIDIA H100 (stand-in)', cacheBytes: 8 << 20, multiprocessors: 132, missing: '' },
    ])
    expect(devices[0]?.ceilings).toBeDefined()
  })

  it('the state of a call that is bound by its launch is that of a device at work', async () => {
    standIns().state({ reasons: 0x40, rest: 345 })
    // 40 µs of launching for 1 µs of work: the device has nothing left to do when the last call returns.
    const row = await rowOf('double_it', { args: ['x', 1] })
    expect(row.gpu?.after).toMatchObject({ clock: 1.98e9, temperature: 41, power: 210 })
    expect(row.warnings.join()).toContain(
      'The GPU reduced its clock during the timing (heat (hardware))',
    )
  })

  it('a slowdown between two looks at the device is reported too', async () => {
    standIns().state({ slowed: 1_000_000 })
    const row = await rowOf()
    expect(row.warnings.join()).toContain('The GPU reduced its clock during the timing (heat)')
  })

  it('the persisting part of the L2 cache is given back before each cold call', async () => {
    standIns().state({})
    const before = standIns().resets()
    const row = await rowOf('double_it', { cold: true })
    expect(standIns().resets() - before).toBeGreaterThanOrEqual(row.samples.length)
  })

  it('another op host of the same Opsmith is no other process', async () => {
    // Its parent is this process, as an op host's is.
    const sibling = spawn('sleep', ['600'])
    try {
      standIns().state({ sibling: sibling.pid ?? 0 })
      const { rows, devices } = await report('double_it', {}, true)
      expect(rows[0]?.warnings.join()).not.toMatch(/process/)
      expect(devices[0]?.ceilingsMissing).toBe('')
    } finally {
      sibling.kill()
    }
  })

  it('another process on the device is reported, and is why there are no ceilings', async () => {
    standIns().state({ others: 1 })
    const { rows, devices } = await report('double_it', {}, true)
    expect(rows[0]?.warnings.join()).toMatch(/1 other process used the GPU/)
    expect(devices[0]?.ceilings).toBeUndefined()
    expect(devices[0]?.ceilingsMissing).toBe(
      'while Opsmith measured these two limits, 1 other process used the device',
    )
  })

  it.each([
    ['a container, whose processes have other numbers', { own: 0, others: 3 }],
    ['a part of a GPU (MIG), whose list is that of the card', { parted: 1, others: 3 }],
  ])('in %s, no other process is reported, and there are ceilings', async (_where, state) => {
    standIns().state(state)
    const { rows, devices } = await report('double_it', {}, true)
    expect(rows[0]?.warnings.join()).not.toMatch(/processes/)
    expect(devices[0]).toMatchObject({
      ceilingsMissing: '',
      ceilings: expect.any(Object) as object,
    })
  })

  it('ceilings that were measured with a lower clock are measured again', async () => {
    standIns().state({ clock: 900 })
    const before = await report('double_it', {}, true)
    expect(before.devices[0]?.ceilings?.state.clock).toBe(0.9e9)
    standIns().state({ clock: 1980 })
    const { devices } = await report()
    expect(devices[0]?.ceilings?.state.clock).toBe(1.98e9)
  })

  it('a device that is lost meanwhile is reported by what NVML says of it', async () => {
    standIns().state({ error: 15 })
    expect((await rowOf()).warnings.join()).toContain(
      'The device’s clock, temperature and throttling are not known (NVML reports: GPU is lost)',
    )
  })
})

describe('with the NVML of an older driver', () => {
  const { rowOf, standIns } = useMachine(['driver', 'nvml of old'])

  it('clock and throttling are read by their older names', async () => {
    standIns().state({ reasons: 0x4, clock: 1200 })
    const row = await rowOf()
    expect(row.gpu?.after).toMatchObject({ clock: 1.2e9, slowedBy: ['power cap'] })
    expect(row.warnings.join()).toContain('during the timing (power cap)')
  })
})

describe('without NVML, where another profiler has CUPTI', () => {
  const machine = useMachine(['driver', 'cupti'])
  const { rowOf, standIns, workbench } = machine
  const request = {
    op: 'test_device::double_it',
    args: ['x', 1],
    inputs: { x: inputSpec.parse({ shape: [8], device: 'privateuseone' }) },
  }

  it('the missing library is named', async () => {
    expect((await rowOf()).warnings.join()).toContain(
      'are not known (libnvidia-ml.so.1 (NVIDIA’s driver) is not on this machine)',
    )
  })

  it.each([
    [
      39,
      'CUPTI, which records GPU kernels, does not start (CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED): another profiler (nsys, ncu, DCGM) uses CUPTI; end that profiler',
    ],
    [
      35,
      'CUPTI, which records GPU kernels, does not start (CUPTI_ERROR_INSUFFICIENT_PRIVILEGES): this user has no permission to profile the GPU; set NVreg_RestrictProfilingToAdminUsers=0 for NVIDIA’s driver, or give the container SYS_ADMIN',
    ],
  ])('a list of kernels and a profile give CUPTI’s own error (%s)', async (cupti, words) => {
    standIns().state({ cupti })
    const asked: TimingRequest = { op: request.op, args: ['x', 1], builds: [] }
    const list = unwrap(await workbench.timings.kernels(machine.folder(), asked, {}))
    expect(list.note).toBe(`libtorch’s profiler recorded nothing on privateuseone: ${words}.`)
    const profile = { ...request, backward: false, threads: 1 }
    const { trace } = unwrap(
      await workbench.profiles.run(machine.folder(), profile, { timeout: 60 }),
    )
    expect(trace.deviceMissing).toBe(words)
  })

  it('a CUPTI that starts and gives nothing is told apart', async () => {
    standIns().state({ cupti: 0 })
    const asked: TimingRequest = { op: request.op, args: ['x', 1], builds: [] }
    const list = unwrap(await workbench.timings.kernels(machine.folder(), asked, {}))
    expect(list.note).toMatch(/CUPTI, which records GPU kernels, started but recorded no kernel/)
  })
})

describe('without a driver', () => {
  const { rowOf } = useMachine([])

  it('the driver is what is missing', async () => {
    expect((await rowOf()).warnings.join()).toMatch(
      /not known \(libcuda\.so\.1 \(NVIDIA’s driver\) is not on this machine\)/,
    )
  })
})
