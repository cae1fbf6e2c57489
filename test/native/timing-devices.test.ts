import fs from 'node:fs'
import path from 'node:path'

import { beforeAll, describe, expect, it } from 'vitest'

import type { TimingReport, TimingRow } from '../../electron/contract/timing-report'
import { unwrap } from '../../electron/contract/outcome'
import { onInput, requestOf } from '../support/device-timings'
import { copyProject, root } from '../support/installation'
import { useWorkbench } from '../support/workbench'

/**
 * Timing by events of a device, on one that this machine has: threads of the host (test/cases/timing/device).
 * That a real GPU agrees is test/gpu's to show. What needs no quiet machine is in timing-device-calls.test.ts.
 */
const { workbench, cache } = useWorkbench()
let folder: string

beforeAll(async () => {
  folder = copyProject(path.join(root, 'test/cases/timing/device'), cache)
  expect(unwrap(await workbench.builds.build(folder)).ok).toBe(true)
})

describe('timings of a call on a device', () => {
  let report: TimingReport
  let rows: TimingRow[]

  beforeAll(async () => {
    const asked = [
      requestOf('double_it', 300),
      requestOf('waits', 300, { cold: false }),
      // Shorter than waiting for a device that is at rest may take.
      requestOf('elsewhere', 60, { cold: false }),
      requestOf('by_default', 300, { cold: false }),
      // It takes a microsecond for what the device could not copy in ten seconds.
      requestOf('double_it', 1, { cold: true, bytes: '1e13' }),
    ]
    report = unwrap(await workbench.timings.run(folder, asked, {}))
    rows = report.rows
  })

  it("a call is timed warm and cold with the device's own clock", () => {
    const [warm, cold] = rows
    expect([warm?.refused, cold?.refused]).toEqual(['', ''])
    expect([warm?.point.cold, cold?.point.cold]).toEqual([false, true])
    for (const row of [warm, cold]) {
      expect(row?.device).toBe('privateuseone')
      // It spins for so long; what else the machine does comes on top.
      expect(row?.summary?.min).toBeGreaterThanOrEqual(300e-6)
      expect(row?.summary?.min).toBeLessThan(450e-6)
    }
  })

  it('the launch is timed separately, and the call has a time in a graph', () => {
    const [warm, cold] = rows
    const { launch = 0, replay } = warm?.gpu ?? {}
    // 40 µs of the host, while the device takes 300.
    expect(launch).toBeGreaterThanOrEqual(40e-6)
    expect(launch).toBeLessThan(300e-6)
    expect(replay?.median).toBeGreaterThanOrEqual(300e-6)
    expect(warm?.gpu?.noReplay).toBe('')
    expect(cold?.gpu?.replay).toBeUndefined()
    expect(warm?.layers).toBeUndefined()
  })

  it('a device whose state cannot be read gives the reason', () => {
    expect(rows[0]?.gpu?.after.missing).toMatch(/only NVIDIA/)
    expect(rows[0]?.warnings.join()).toMatch(/clock, temperature and throttling are not known/)
    expect(report.devices).toMatchObject([{ device: 'privateuseone', multiprocessors: 0 }])
    const { bytesPerSecond = 0, flopsPerSecond = {} } = report.devices[0]?.ceilings ?? {}
    expect(bytesPerSecond).toBeGreaterThan(1e8)
    expect(Object.keys(flopsPerSecond)).toContain('float32')
  })

  it('a call that waits for the device is reported and cannot be replayed in a graph', () => {
    const row = rows.find(({ op }) => op.endsWith('waits'))
    expect(row?.refused).toBe('')
    expect(row?.warnings.join()).toMatch(/waits for the device before it returns/)
    expect(row?.gpu?.noReplay).toMatch(/waits for the device/)
  })

  it('a call on the default stream has a time, but none in a graph, because the graph is empty', () => {
    const row = rows.find(({ op }) => op.endsWith('by_default'))
    expect(row?.summary?.min).toBeGreaterThanOrEqual(300e-6)
    expect(row?.gpu?.replay).toBeUndefined()
    expect(row?.gpu?.noReplay).toMatch(/on another stream, and this work is not captured/)
  })

  it('a call that works on another stream is refused', () => {
    const row = rows.find(({ op }) => op.endsWith('elsewhere'))
    expect(row?.summary).toBeUndefined()
    expect(row?.refused).toMatch(/leaves work on another stream/)
  })

  it('a call faster than the device can be is refused', () => {
    for (const row of rows.slice(-2)) {
      expect(row.summary).toBeUndefined()
      expect(row.refused).toMatch(/privateuseone needs at least/)
    }
  })

  it('the kernels seen by the profiler are listed, or the reason why there are none', async () => {
    const list = unwrap(await workbench.timings.kernels(folder, requestOf('double_it', 1), {}))
    expect(list).toMatchObject({ op: 'test_device::double_it', device: 'privateuseone' })
    expect(list.kernels).toEqual([])
    expect(list.note).toMatch(/profiler recorded nothing .* CUPTI/)
    // The op host wrote its trace there.
    const written = fs.readdirSync(path.join(cache.folder, 'hosts'), { recursive: true })
    expect(written.filter((name) => path.basename(String(name)).startsWith('trace-'))).toEqual([])
  })

  it('a call on the CPU has no kernels', async () => {
    const entry = onInput('aten::relu', { shape: [4] })
    const list = await workbench.timings.kernels(folder, entry, {})
    expect(list.ok ? '' : list.error).toMatchObject({ code: 'device.unavailable' })
  })

  it('a call of more launches than a stream takes is not warned about: the device never waits', async () => {
    const asked = requestOf('many', 2000, { cold: true, seconds: 0.02 })
    const { rows } = unwrap(await workbench.timings.run(folder, [asked], {}))
    expect(rows[0]?.warnings.join()).not.toMatch(/samples? includes? the launch/)
  })
})
