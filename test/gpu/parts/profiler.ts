import { expect, it } from 'vitest'

import { inputSpec } from '../../../electron/contract/manifest'
import { unwrap } from '../../../electron/contract/outcome'
import { requestOf, timed } from './projects'
import type { BuiltSample } from './projects'

export function testProfiler(sample: BuiltSample): void {
  const { workbench, folder } = sample
  const relu = requestOf('aten::relu', ['x'], [1 << 26], { cold: false })
  const warm = async (): Promise<number> =>
    (await timed(sample, [relu])).rows[0]?.summary?.median ?? Number.NaN

  it('one relu is one kernel, which takes as long as by events; profiling leaves times as they were', async () => {
    const before = await warm()
    const { kernels, note } = unwrap(await workbench.timings.kernels(folder(), relu, {}))
    expect(kernels, note).toHaveLength(1)
    const [kernel] = kernels
    expect(kernel?.kind).toBe('kernel')
    expect(kernel?.grid?.[0]).toBeGreaterThan(0)
    expect(kernel?.block?.[0]).toBeGreaterThan(0)
    expect(kernel?.registers).toBeGreaterThan(0)
    expect((kernel?.seconds ?? 0) / before).toBeGreaterThan(0.9)
    expect((kernel?.seconds ?? 0) / before).toBeLessThan(1.1)

    const x = inputSpec.parse({ shape: [1 << 20], device: 'cuda' })
    const profile = { op: 'aten::relu', args: ['x'], inputs: { x }, backward: false, threads: 1 }
    const { trace } = unwrap(await workbench.profiles.run(folder(), profile, { timeout: 120 }))
    expect(trace.deviceMissing).toBe('')
    expect(trace.tracks.some(({ isDevice }) => isDevice)).toBe(true)

    const after = await warm()
    expect(after / before).toBeGreaterThan(0.97)
    expect(after / before).toBeLessThan(1.03)
  })
}
