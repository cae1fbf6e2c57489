import { expect, it } from 'vitest'

import type { TimingRow } from '../../../electron/contract/timing-report'
import { requestOf, timed } from './projects'
import type { BuiltSample } from './projects'

export function testReplay(sample: BuiltSample): void {
  const warmRow = async (
    op: string,
    args: (string | number | boolean)[],
    shape: number[],
  ): Promise<TimingRow | undefined> =>
    (await timed(sample, [requestOf(op, args, shape, { cold: false })])).rows[0]

  it.each([
    ['aten::relu', ['x'], [1 << 20]],
    ['aten::mm', ['x', 'y'], [1024, 1024]],
    ['aten::softmax.int', ['x', -1], [1024, 1024]],
  ])('%s is replayed, and takes no longer than without a graph', async (op, args, shape) => {
    const row = await warmRow(op, args, shape)
    expect(row?.gpu?.noReplay).toBe('')
    expect(row?.gpu?.replay?.median).toBeLessThan(1.03 * (row?.summary?.median ?? 0))
  })

  it.each([
    ['aten::dropout', ['x', 0.5, true], /draws random numbers/],
    ['aten::nonzero', ['x'], /waits for the device/],
  ])('%s is not, for its own reason', async (op, args, reason) => {
    expect((await warmRow(op, args, [1024, 1024]))?.gpu?.noReplay).toMatch(reason)
  })
}
