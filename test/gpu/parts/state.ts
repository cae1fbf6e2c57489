import { expect, it } from 'vitest'

import { requestOf, timed } from './projects'
import type { BuiltSample } from './projects'

export function testState(sample: BuiltSample): void {
  it('of a call that is bound by its launch is that of a device at work', async () => {
    const { rows } = await timed(sample, [
      requestOf('aten::relu', ['x'], [1 << 12], { cold: false }),
      requestOf('aten::mm', ['x', 'y'], [4096, 4096], { cold: false }),
    ])
    const [short, long] = rows.map(({ gpu }) => gpu?.after)
    expect([short?.missing, long?.missing]).toEqual(['', ''])
    expect(short?.temperature).toBeGreaterThan(0)
    expect(short?.power).toBeGreaterThan(0)
    expect(short?.clock).toBeGreaterThanOrEqual(0.8 * (long?.clock ?? Number.NaN))
  })
}
