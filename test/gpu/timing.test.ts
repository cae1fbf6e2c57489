import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'

import { beforeAll, expect, it } from 'vitest'

import { timingInput } from '../../electron/contract/timing-entry'
import type { TimingRequest } from '../../electron/contract/timing-report'
import { unwrap } from '../../electron/contract/outcome'
import { copyProject, root } from '../support/installation'
import { python } from '../support/python'
import { useWorkbench } from '../support/workbench'

// Written without a GPU at hand, and never yet run on one.

const { workbench, cache } = useWorkbench()
let folder: string

beforeAll(async () => {
  folder = copyProject(path.join(root, 'samples/my_op'), cache)
  expect(unwrap(await workbench.builds.build(folder)).ok).toBe(true)
})

const requestOf = (op: string, args: TimingRequest['args'], shape: number[]): TimingRequest => ({
  op,
  args,
  builds: [],
  directions: ['forward'],
  seconds: 1,
  inputs: {
    x: timingInput.parse({ shape, device: 'cuda', seed: 0 }),
    y: timingInput.parse({ shape, device: 'cuda', seed: 1 }),
  },
})

const cases: { name: string; request: TimingRequest; call: string; shape: number[] }[] = [
  { op: 'aten::mm', args: ['x', 'y'], shape: [4096, 4096], call: 'torch.mm(x, y)' },
  { op: 'aten::add.Tensor', args: ['x', 'y'], shape: [8192, 8192], call: 'torch.add(x, y)' },
  { op: 'aten::softmax.int', args: ['x', -1], shape: [8192, 8192], call: 'torch.softmax(x, -1)' },
  { op: 'aten::relu', args: ['x'], shape: [1 << 24], call: 'torch.relu(x)' },
].map(({ op, args, shape, call }) => ({
  name: call,
  request: requestOf(op, args, shape),
  call,
  shape,
}))

/** triton.testing.do_bench's median, in seconds. */
async function doBench({ call, shape }: { call: string; shape: number[] }): Promise<number> {
  const code = `
import torch, triton.testing
x = torch.randn(${JSON.stringify(shape)}, device="cuda")
y = torch.randn(${JSON.stringify(shape)}, device="cuda")
print(triton.testing.do_bench(lambda: ${call}, warmup=100, rep=500, return_mode="median") * 1e-3)
`
  const { stdout } = await promisify(execFile)(python, ['-c', code])
  return Number(stdout)
}

it.each(cases)('the time agrees with triton.testing.do_bench within 3 %: $name', async (one) => {
  const ours: number[] = []
  const theirs: number[] = []
  for (let round = 0; round < 3; round += 1) {
    const { rows } = unwrap(await workbench.timings.run(folder, [one.request], {}))
    const cold = rows.find(({ point }) => point.cold)
    expect(cold?.refused).toBe('')
    ours.push(cold?.summary?.median ?? Number.NaN)
    theirs.push(await doBench(one))
  }
  const middle = (values: number[]): number => [...values].sort((a, b) => a - b)[1] ?? Number.NaN
  expect(middle(ours) / middle(theirs)).toBeGreaterThan(0.97)
  expect(middle(ours) / middle(theirs)).toBeLessThan(1.03)
})

it('a timing records clock, temperature, power and throttling, and replays the call in a graph', async () => {
  const asked = requestOf('aten::relu', ['x'], [1 << 12])
  const { rows, devices } = unwrap(await workbench.timings.run(folder, [asked], {}))
  const warm = rows.find(({ point }) => !point.cold)
  const { gpu } = warm ?? {}
  expect(gpu?.after).toMatchObject({ missing: '' })
  expect(gpu?.after.clock).toBeGreaterThan(1e8)
  expect(gpu?.after.temperature).toBeGreaterThan(0)
  expect(gpu?.after.power).toBeGreaterThan(0)
  expect(gpu?.launch).toBeGreaterThan(0)
  expect(gpu?.noReplay).toBe('')
  expect(gpu?.replay?.median).toBeGreaterThan(0)
  expect(devices[0]?.cacheBytes).toBeGreaterThan(0)
  expect(devices[0]?.ceilings?.bytesPerSecond).toBeGreaterThan(1e10)
})

it('the kernels are listed with their launch', async () => {
  const asked = requestOf('aten::relu', ['x'], [1 << 20])
  const { kernels } = unwrap(await workbench.timings.kernels(folder, asked, {}))
  const kernel = kernels.find(({ kind }) => kind === 'kernel')
  expect(kernel?.grid?.[0]).toBeGreaterThan(0)
  expect(kernel?.block?.[0]).toBeGreaterThan(0)
  expect(kernel?.registers).toBeGreaterThan(0)
})

it('a time that the GPU cannot keep to is refused', async () => {
  const asked = { ...requestOf('aten::relu', ['x'], [1 << 12]), bytes: '1e12' }
  const { rows } = unwrap(await workbench.timings.run(folder, [asked], {}))
  expect(rows[0]?.refused).toMatch(/shorter than cuda needs/)
})
