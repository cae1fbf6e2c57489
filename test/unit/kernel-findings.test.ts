import { expect, it } from 'vitest'

import type { GpuFinding } from '../../electron/contract/gpu-findings'
import type { OperatorCheckFinding } from '../../electron/contract/operator-check'
import { withKernelFindings } from '../../electron/engine/check/kernel-findings'

const race: GpuFinding = {
  check: 'shared-race',
  message: 'Two threads access shared memory.',
  remedy: 'Put __syncthreads() between the two accesses.',
  count: 1,
  place: { file: '/op.cu', line: 9 },
  thread: null,
  other: null,
  allocated: null,
  kernel: 'mirror',
  launched: null,
}
const located: Record<string, GpuFinding[]> = {
  race: [race],
  both: [race, { ...race, check: 'leak', message: '4 bytes are never freed.' }],
}
const shownCase = { args: ['x'], inputs: {} }

function finding(more: Partial<OperatorCheckFinding>): OperatorCheckFinding {
  const empty = { reason: '', advice: '', input: '', index: [], shownBy: '' }
  return { check: 'mutation', status: 'passed', ...empty, ...more }
}

const reported = (report: string, shownBy = ''): Partial<OperatorCheckFinding> => ({
  kernelReports: [{ report, shownBy, shownCase }],
})

async function judged(...findings: OperatorCheckFinding[]): Promise<object[]> {
  return await withKernelFindings(
    findings,
    async (lines) => await Promise.resolve(located[lines] ?? []),
  )
}

it('a check fails by what its kernels did, and later ones only by what is new', async () => {
  const all = await judged(
    finding({ ...reported('race', 'x float32[3]') }),
    finding({ check: 'aliasing', reason: 'as declared', ...reported('race') }),
    finding({ check: 'layouts', ...reported('both') }),
  )
  expect(all).toEqual([
    {
      ...finding({ status: 'failed', reason: 'shared-race: Two threads access shared memory.' }),
      advice: race.remedy,
      shownBy: 'x float32[3]',
      shownCase,
      file: '/op.cu',
      line: 9,
      kernels: [race],
    },
    finding({ check: 'aliasing', reason: 'as declared' }),
    expect.objectContaining({ status: 'failed', reason: 'leak: 4 bytes are never freed.' }),
  ])
})

it('a check that failed keeps its reason, unless a kernel ended the op host', async () => {
  const own = { status: 'failed' as const, reason: 'two calls differ', advice: 'look' }
  const ended = { status: 'failed' as const, reason: 'The device failed.', shownBy: '' }
  const all = await judged(
    finding({ ...own, ...reported('race') }),
    finding({ ...ended, kernelReports: [{ report: 'race', shownBy: '' }] }),
  )
  expect(all).toMatchObject([
    { ...own, kernels: [race] },
    { reason: 'The device failed. shared-race: Two threads access shared memory.', line: 9 },
  ])
})
