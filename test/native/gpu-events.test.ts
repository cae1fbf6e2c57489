import { expect, it } from 'vitest'

import { useGpuChecks } from '../support/gpu-checks'

const { check } = useGpuChecks()

it('events are compared with kernels of known length, and the host is ahead of them', async () => {
  const { status, reason, figures } = await check('events')
  // A thread may be late by more than a GPU is.
  expect(['passed', 'warning'], reason).toContain(status)
  expect(figures['kernel of 10 ms, µs']).toBeGreaterThanOrEqual(10_000)
  expect(figures['kernel of 100 µs, µs']).toBeGreaterThanOrEqual(100)
  expect(figures['samples without the launch, %']).toBeGreaterThan(0)
})
