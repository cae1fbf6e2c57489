import fs from 'node:fs'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import type { GpuCheckName } from '../../electron/contract/gpu-check'
import { ok, unwrap } from '../../electron/contract/outcome'
import { checkOperator } from '../../electron/engine/check/check-operator'
import { whyUnprotected } from '../../electron/engine/gpu-check/check-faults'
import { checks } from '../../electron/engine/gpu-check/checks'
import { gatherFacts } from '../../electron/engine/gpu-check/facts'
import type { Judgement } from '../../electron/engine/gpu-check/judgement'
import { GpuSession } from '../../electron/engine/gpu-check/session'
import { tracedKernels } from '../../electron/engine/timing/kernels'
import { copyProject, root, testInstallation } from '../support/installation'
import { buildStandIns } from '../support/stand-ins'
import { useWorkbench } from '../support/workbench'

/**
 * The checks of `doctor --gpu` on a device that is made of threads: native/gpu_check with the launchers of
 * test/cases/gpu-check. What they say of a GPU is test/gpu's to show; that they can pass, and name faults, is here.
 */
const { workbench, cache } = useWorkbench()
const saved = { ...process.env }
let session: GpuSession
const standIns = buildStandIns(cache, ['driver', 'cupti'])

beforeAll(async () => {
  Object.assign(process.env, standIns.environment)
  process.env['LD_PRELOAD'] = path.join(standIns.folder, 'libcupti.so.12')
  const folder = copyProject(path.join(root, 'test/cases/gpu-check'), cache)
  const add = (from: string, pattern: RegExp): void => {
    for (const name of fs.readdirSync(path.join(root, from))) {
      if (pattern.test(name)) fs.copyFileSync(path.join(root, from, name), path.join(folder, name))
    }
  }
  add('test/cases/timing/device', /^(device|memory)\.(cpp|h)$/)
  add('native/gpu_check', /^operators\.cpp$|\.h$/)
  const project = unwrap(await workbench.projects.openOwn(folder))
  const installation = testInstallation(cache)
  const facts = await gatherFacts(installation, await project.toolchain())
  const parts = { installation, libraries: workbench.libraries }
  const never = new AbortController().signal
  session = new GpuSession(parts, { project, facts, device: 'privateuseone:0' }, never)
  const { report } = unwrap(await session.library())
  expect(report).toMatchObject({ ok: true, diagnostics: [] })
})
afterAll(async () => {
  await session.close()
  process.env = saved
})

const check = (name: GpuCheckName): Promise<Judgement> =>
  checks[name](session, {
    readKernels: tracedKernels,
    checkOperator,
    readTrace: async (write) => {
      const file = path.join(session.project.folder, 'trace.json')
      const written = await write(file)
      return written.ok ? ok(fs.readFileSync(file, 'utf8')) : written
    },
  })

describe('the checks of a GPU, on a device that does what they expect', () => {
  it('the driver’s device is named', async () => {
    expect(await check('driver')).toMatchObject({
      status: 'passed',
      reason: expect.stringContaining('NVIDIA H100 (stand-in)') as string,
    })
  })

  it('events are compared with kernels of known length, and the host is ahead of them', async () => {
    const { status, reason, figures } = await check('events')
    // On a busy machine a thread is late by more than a GPU.
    expect(['passed', 'warning'], reason).toContain(status)
    expect(figures['10 ms, µs']).toBeGreaterThanOrEqual(10_000)
    expect(figures['100 µs, µs']).toBeGreaterThanOrEqual(100)
    expect(figures['ahead, %']).toBeGreaterThan(0)
  })

  it('a kernel on each kind of stream is recognised', async () => {
    const { figures } = await check('streams')
    expect(Object.values(figures)).toEqual([
      'timed',
      'not captured',
      'timed',
      'asynchronous',
      'waits',
    ])
  })

  it('a profile without kernels gives CUPTI’s reason', async () => {
    standIns.state({ cupti: 39 })
    const { status, reason } = await check('profiler')
    expect(status).toBe('failed')
    expect(reason).toMatch(
      /^The profiler recorded no kernel: .*CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED.*end that\.$/,
    )
  })

  it('every fault is named with its operator, and the next call is right', async () => {
    const { status, reason, figures } = await check('faults')
    expect(status, reason).toBe('passed')
    expect(figures['a write outside of its memory']).toMatch(
      /call opsmith_gpu_check::store_outside.*illegal memory access/,
    )
    expect(figures['an assertion in a kernel']).toMatch(/::assertion.*device-side assert/)
    expect(figures['a kernel that never ends']).toMatch(/No result .* 5 s .*::endless/)
    expect(figures['more memory than there is']).toMatch(/memory/)
  })
})

it('a backward on the CPU that crashes is a finding of its checks, next to a device', async () => {
  expect(await whyUnprotected(session, checkOperator)).toBe('')
})
