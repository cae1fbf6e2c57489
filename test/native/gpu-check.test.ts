import { describe, expect, it } from 'vitest'

import { checkOperator } from '../../electron/engine/check/check-operator'
import { whyUnprotected } from '../../electron/engine/gpu-check/check-faults'
import { useGpuChecks } from '../support/gpu-checks'

const { standIns, session, check } = useGpuChecks()

describe('the checks of a GPU, on a device that does what they expect', () => {
  it('the driver’s device is named', async () => {
    expect(await check('driver')).toMatchObject({
      status: 'passed',
      reason: expect.stringContaining('NVIDIA H100 (stand-in)') as string,
    })
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
      /^The profiler recorded no kernel: .*CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED.*end that profiler\.$/,
    )
  })

  it('every fault is named with its operator, and the next call is right', async () => {
    const { status, reason, figures } = await check('faults')
    expect(status, reason).toBe('passed')
    expect(figures['an out-of-bounds write']).toMatch(
      /call opsmith_gpu_check::store_outside.*illegal memory access/,
    )
    expect(figures['an assertion in a kernel']).toMatch(/::assertion.*device-side assert/)
    expect(figures['a kernel that never ends']).toMatch(/No result .* 5 s .*::endless/)
    expect(figures['an allocation that is too large']).toMatch(/memory/)
  })
})

it('a backward on the CPU that crashes is a finding of its checks, next to a device', async () => {
  expect(await whyUnprotected(session(), checkOperator)).toBe('')
})
