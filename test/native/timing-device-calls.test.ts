import fs from 'node:fs'
import path from 'node:path'

import { beforeAll, describe, expect, it } from 'vitest'

import { checkEntry, inputSpec } from '../../electron/contract/manifest'
import type { Argument, InputSpec } from '../../electron/contract/manifest-values'
import { timingInput } from '../../electron/contract/timing-entry'
import { unwrap } from '../../electron/contract/outcome'
import { onInput, requestOf } from '../support/device-timings'
import { copyProject, root } from '../support/installation'
import { useWorkbench } from '../support/workbench'

/**
 * Calls and timings on a device of threads (test/cases/timing/device). No test here compares times, so none needs a
 * quiet machine. timing-devices.test.ts has those that do.
 */
const { workbench, cache } = useWorkbench()
let folder: string
/** While this file is there, the device is not. */
const gone = path.join(cache.home, 'gone')
process.env['TEST_DEVICE_GONE'] = gone

beforeAll(async () => {
  folder = copyProject(path.join(root, 'test/cases/timing/device'), cache)
  expect(unwrap(await workbench.builds.build(folder)).ok).toBe(true)
  // This measures the device's ceilings. Later timings do not, so none breaks the device while it measures.
  unwrap(await workbench.timings.run(folder, [requestOf('double_it', 1)], {}))
})

describe('a device out of the host’s reach', () => {
  const onDevice = { x: inputSpec.parse({ shape: [8], device: 'privateuseone' }) }
  const onCpu = { x: inputSpec.parse({ shape: [8] }) }
  const run = (
    op: string,
    args: Argument[],
    inputs: Record<string, InputSpec> = onDevice,
  ): ReturnType<typeof workbench.runs.run> =>
    workbench.runs.run(folder, { op: `test_device::${op}`, args, inputs }, { timeout: 60 })
  const check = (op: string, args: Argument[], inputs: Record<string, InputSpec> = onDevice) =>
    workbench.operatorChecks.run(folder, checkEntry.parse({ op, args, inputs, shapes: 0 }), {
      timeout: 120,
    })

  it('the host cannot read the memory of the device', async () => {
    const read = await run('reads_on_host', ['x'])
    expect(read.ok ? '' : read.error.exit?.reason).toBe('segfault')
  })

  it('checks of a call on a device read nothing of its memory on the host, and none fails', async () => {
    const report = unwrap(await check('test_device::double_it', ['x', 1]))
    const failed = report.findings.filter(({ status }) => status === 'failed')
    // What it lacks indeed.
    expect(failed.map((finding) => finding.check).sort()).toEqual(['meta', 'registration'])
    const statusOf = (name: string): string =>
      report.findings.find((finding) => finding.check === name)?.status ?? ''
    expect(['determinism', 'threads', 'small_sizes'].map(statusOf)).toEqual([
      'passed',
      'passed',
      'passed',
    ])
  })

  it('checks of a call on the CPU are made where no device is seen', async () => {
    // After a backward, no copy of an op host that sees a device can make one.
    const inputs = { x: inputSpec.parse({ shape: [8], dtype: 'float64', requires_grad: true }) }
    const profile = { op: 'aten::sigmoid', args: ['x'], inputs, backward: true, threads: 1 }
    unwrap(await workbench.profiles.run(folder, profile, { timeout: 60 }))
    const report = unwrap(await check('aten::sigmoid', ['x'], inputs))
    expect(report.findings.filter(({ status }) => status === 'failed')).toEqual([])
    const reasons = report.findings.map(({ reason }) => reason).join('\n')
    expect(reasons).not.toMatch(/fork-based multiprocessing/)
    const made = report.findings.find((finding) => finding.check === 'gradient_values')
    expect(made?.status, made?.reason).toBe('passed')
  })

  it('a kernel that breaks its device is the failure of its call, and the next call succeeds', async () => {
    const broken = await run('break_it', ['x'])
    expect(broken.ok ? '' : broken.error).toMatchObject({
      code: 'host.crashed',
      exit: { reason: 'device' },
    })
    expect(broken.ok ? '' : broken.error.message).toMatch(
      /call test_device::break_it.*illegal memory/,
    )
    expect((await run('double_it', ['x', 1])).ok).toBe(true)
  })

  it('a check whose calls break the device is told apart from the others', async () => {
    const report = unwrap(await check('test_device::breaks_in_double', ['x']))
    const dtypes = report.findings.find((finding) => finding.check === 'dtypes')
    expect(dtypes).toMatchObject({ status: 'failed' })
    expect(dtypes?.reason).toMatch(/illegal memory access/)
    expect(report.findings.some(({ status }) => status === 'passed')).toBe(true)
  })

  it('a run waits for the device that a call on the CPU has left at work', async () => {
    const report = unwrap(await run('with_device', ['x', 20_000], onCpu))
    expect(report.seconds).toBeGreaterThanOrEqual(0.02)
  })

  it.each([
    ['has its result there', 'to_device'],
    ['has its result on the CPU', 'with_device'],
  ])('a call that works on a device inside and %s is timed by its clock', async (_, op) => {
    const entry = {
      ...requestOf(op, 300),
      inputs: { x: timingInput.parse({ shape: [8] }) },
    }
    const { rows } = unwrap(await workbench.timings.run(folder, [entry], {}))
    expect(rows[0]).toMatchObject({ refused: '', device: 'testdevice:0' })
    expect(rows[0]?.summary?.median).toBeGreaterThanOrEqual(300e-6)
    expect(rows[0]?.warnings.join()).toMatch(/inputs are on the CPU, but the call computes on/)
  })

  it('a device that breaks in the middle of a timing is the failure of that row alone', async () => {
    unwrap(await run('break_after', [200]))
    const asked = [requestOf('double_it', 1), requestOf('double_it', 1)]
    const { rows } = unwrap(await workbench.timings.run(folder, asked, {}))
    const broken = rows.filter(({ error }) => error)
    expect(broken).toHaveLength(1)
    expect(broken[0]?.error).toMatchObject({ code: 'host.crashed', exit: { reason: 'device' } })
    expect(broken[0]?.error?.message).toMatch(/timing test_device::double_it.*launch failure/)
    expect(rows.some(({ summary }) => summary)).toBe(true)
  })

  it('a device without enough memory is named with what was asked of it', async () => {
    unwrap(await run('limit_memory', [64 << 20]))
    const { rows } = unwrap(await workbench.timings.run(folder, [requestOf('double_it', 1)], {}))
    expect(rows[0]?.error?.message).toMatch(/out of memory: tried to allocate \d+ bytes/)
    unwrap(await run('limit_memory', [0]))
  })

  it('ceilings are measured in a part of the memory that is free, and keep none of it', async () => {
    // The cache is not known: overwriting takes 256 MiB of it.
    unwrap(await run('limit_memory', [420 << 20]))
    const limits = { timeout: 170, phase: '' }
    const device = { device: 'privateuseone' }
    const ceilings = unwrap(await workbench.hosts.call('timing.deviceCeilings', device, limits))
    expect(ceilings.bytesPerSecond).toBeGreaterThan(0)
    const { outputs } = unwrap(await run('kept_memory', []))
    expect(outputs).toMatchObject([{ kind: 'value', text: '0' }])
    unwrap(await run('limit_memory', [0]))
  })

  it('what a call leaves at work on a device has ended when the call is over', async () => {
    // Then no library is unloaded under its own kernels.
    const file = path.join(folder, 'mark')
    unwrap(await run('marks_later', ['x', file, 300], onCpu))
    expect(fs.existsSync(file)).toBe(true)
  })

  it('a device that disappears is missed by the next call, and used again when it is back', async () => {
    expect((await run('double_it', ['x', 1])).ok).toBe(true)
    fs.writeFileSync(gone, '')
    const missed = await run('double_it', ['x', 1])
    expect(missed.ok ? '' : missed.error.message).toMatch(/no CUDA-capable device is detected/)
    fs.rmSync(gone)
    expect((await run('double_it', ['x', 1])).ok).toBe(true)
  })

  it('a call whose launch takes longer than the device can be kept busy is warned about', async () => {
    const asked = requestOf('slow_launch', 25_000, { cold: true, seconds: 0.02 })
    const { rows } = unwrap(await workbench.timings.run(folder, [asked], {}))
    expect(rows[0]?.warnings.join()).toMatch(/\d+ samples? includes? the launch/)
  })

  it('random and refused captures give their own reasons', async () => {
    const asked = [
      { ...requestOf('random', 0, { cold: false }), args: ['x'] },
      { ...requestOf('refuses_capture', 0, { cold: false }), args: ['x', '"Philox offset"'] },
    ]
    const { rows } = unwrap(await workbench.timings.run(folder, asked, {}))
    expect(rows.map(({ gpu }) => gpu?.noReplay)).toEqual([
      expect.stringMatching(/^the call draws random numbers, so Opsmith cannot compare a replay/),
      expect.stringMatching(/^the call draws random numbers, and libtorch’s generator/),
    ])
  })

  it('profiles and lists of kernels are made in other op hosts than timings', async () => {
    const profile = { op: 'test_device::double_it', args: ['x', 1], backward: false, threads: 1 }
    const report = unwrap(
      await workbench.profiles.run(folder, { ...profile, inputs: onDevice }, { timeout: 60 }),
    )
    expect(report.trace.deviceMissing).toMatch(/CUPTI/)
    const { outputs } = unwrap(await run('was_profiled', []))
    expect(outputs).toMatchObject([{ kind: 'value', text: 'False' }])
  })
})

const hasGpu = fs.existsSync('/dev/nvidia0')

describe('timings without a GPU', () => {
  it.skipIf(hasGpu)('a CUDA input is refused with what to do', async () => {
    const entry = onInput('aten::relu', { shape: [4], device: 'cuda' })
    const { rows } = unwrap(await workbench.timings.run(folder, [entry], {}))
    expect(rows[0]).toMatchObject({ device: 'cuda', error: { code: 'device.unavailable' } })
    expect(rows[0]?.error?.hint).toMatch(/opsmith doctor --gpu/)
  })

  it.skipIf(hasGpu)('the missing driver and NVML are reported', async () => {
    const limits = { timeout: 170, phase: '' }
    const facts = unwrap(await workbench.hosts.call('timing.device', { device: 'cuda:0' }, limits))
    expect(facts).toMatchObject({ device: 'cuda:0', name: 'cuda:0', cacheBytes: 0 })
    expect(facts.missing).toBe('libcuda.so.1 (NVIDIA’s driver) is not on this machine')
  })

  it('missing hardware counters are reported in one sentence, and nothing is counted', async () => {
    const limits = { timeout: 170, phase: '' }
    const machine = unwrap(await workbench.hosts.call('timing.machine', {}, limits))
    const entry = onInput('aten::relu', { shape: [64] })
    const { rows } = unwrap(await workbench.timings.run(folder, [entry], {}))
    const counted = rows[0]?.instructions !== undefined
    expect(counted).toBe(machine.countersMissing === '')
    if (!counted)
      expect(machine.countersMissing).toMatch(
        /this user is not allowed|no readable hardware counters|no perf_event_open|fails with error \d/,
      )
  })
})
