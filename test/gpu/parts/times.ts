import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

import { afterAll, expect, it } from 'vitest'

import { peaksOf } from '../../../electron/engine/gpu-check/judge-device'
import { python } from '../../support/python'
import { gpuHere, requestOf, timed } from './projects'
import type { BuiltSample } from './projects'

/** Dense products of bfloat16 a second, by data sheets. */
const peaks: readonly [RegExp, number][] = [
  [/H100.*(HBM3|SXM)|H200/, 989e12],
  [/H100 PCIe/, 756e12],
  [/A100/, 312e12],
  [/L40S/, 362e12],
  [/\bL4\b/, 121e12],
  [/RTX 4090/, 165e12],
]

const cases = [
  { op: 'aten::mm', args: ['x', 'y'], shape: [4096, 4096], call: 'torch.mm(x, y)' },
  { op: 'aten::add.Tensor', args: ['x', 'y'], shape: [8192, 8192], call: 'torch.add(x, y)' },
  { op: 'aten::softmax.int', args: ['x', -1], shape: [8192, 8192], call: 'torch.softmax(x, -1)' },
  { op: 'aten::relu', args: ['x'], shape: [1 << 24], call: 'torch.relu(x)' },
  // Of so short a call, two events are a part, theirs as ours.
  { op: 'aten::relu', args: ['x'], shape: [1 << 12], call: 'torch.relu(x)' },
]

/** Reads lines with a shape and a call. Answers each with the median of triton.testing.do_bench, in seconds. */
const program = `
import json, sys, torch, triton.testing
for line in sys.stdin:
    shape, call = json.loads(line)
    x = torch.randn(shape, device="cuda")
    y = torch.randn(shape, device="cuda")
    run = eval("lambda: " + call)
    print(triton.testing.do_bench(run, warmup=100, rep=500, return_mode="median") * 1e-3, flush=True)
    del run, x, y
    torch.cuda.empty_cache()
`

/** One Python for all cases: importing torch and triton takes longer than they do. */
function startDoBench(): {
  ask: (one: (typeof cases)[number]) => Promise<number>
  end: () => void
} {
  const process = spawn(python, ['-c', program], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface(process.stdout)[Symbol.asyncIterator]()
  return {
    ask: async ({ call, shape }) => {
      process.stdin.write(`${JSON.stringify([shape, call])}\n`)
      return Number((await lines.next()).value)
    },
    end: () => process.kill(),
  }
}

const mean = ([one = Number.NaN, other = Number.NaN]: number[]): number => (one + other) / 2

export function testTimes(sample: BuiltSample): void {
  it('a copy and a product of bfloat16 are as fast as the data sheet says, and no faster', async ({
    skip,
  }) => {
    const device = await gpuHere(sample)
    const { devices } = await timed(sample, [requestOf('aten::relu', ['x'], [1 << 20])])
    const { ceilings, ceilingsMissing } = devices[0] ?? {}
    expect(ceilingsMissing).toBe('')
    const { bytesPerSecond } = peaksOf(device)
    if (bytesPerSecond > 0) {
      const part = (ceilings?.bytesPerSecond ?? 0) / bytesPerSecond
      expect(part).toBeGreaterThan(0.75)
      expect(part).toBeLessThan(1)
    }
    const peak = peaks.find(([name]) => name.test(device.name))?.[1]
    if (peak === undefined) return skip(`no data sheet of ${device.name} is known here`)
    const part = (ceilings?.flopsPerSecond['bfloat16'] ?? 0) / peak
    expect(part).toBeGreaterThan(0.5)
    expect(part).toBeLessThan(1)
  })

  it('a time that the GPU cannot keep to is refused', async () => {
    const { rows } = await timed(sample, [
      requestOf('aten::relu', ['x'], [1 << 12], { bytes: '1e12' }),
    ])
    expect(rows[0]?.refused).toMatch(/cuda needs at least/)
  })

  let doBench: ReturnType<typeof startDoBench> | undefined
  afterAll(() => doBench?.end())

  it.each(cases)('the time of $call of $shape agrees with triton.testing.do_bench', async (one) => {
    const ours: number[] = []
    const warnings: string[] = []
    const measure = async (): Promise<void> => {
      const asked = requestOf(one.op, one.args, one.shape, { cold: true })
      // do_bench flushes the cache before every call, and times each between two events.
      const row = (await timed(sample, [asked])).rows.find(({ point }) => point.cold)
      expect(row?.refused).toBe('')
      ours.push(row?.summary?.median ?? Number.NaN)
      warnings.push(...(row?.warnings ?? []))
    }
    // In this order a drift is in both alike.
    await measure()
    doBench ??= startDoBench()
    const theirs = [await doBench.ask(one), await doBench.ask(one)]
    await measure()
    const ratio = mean(ours) / mean(theirs)
    console.log(
      `${one.call} of ${one.shape.join('x')}: ${(1e6 * mean(ours)).toFixed(2)} µs, do_bench ${(1e6 * mean(theirs)).toFixed(2)} µs, ratio ${ratio.toFixed(3)}`,
    )
    const isSteady = !/clock changed|reduced its clock/.test(warnings.join())
    const within = isSteady ? 0.03 : 0.05
    expect(ratio).toBeGreaterThan(1 - within)
    expect(ratio).toBeLessThan(1 + within)
  })
}
