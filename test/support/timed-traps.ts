import path from 'node:path'

import { beforeAll, expect } from 'vitest'

import type { TimingReport, TimingRequest, TimingRow } from '../../electron/contract/timing-report'
import { unwrap } from '../../electron/contract/outcome'
import { copyProject, root } from './installation'
import { useWorkbench } from './workbench'
import type { TestWorkbench } from './workbench'

export const request = (op: string, more: Partial<TimingRequest> = {}): TimingRequest => ({
  op,
  args: ['x'],
  builds: [],
  seconds: 0.03,
  ...more,
})

export const isShown = (row: TimingRow): boolean => row.summary !== undefined && row.refused === ''

export interface TimedTraps extends TestWorkbench {
  /** A built copy of test/cases/timing/traps, from `beforeAll` on. */
  traps: () => string
  timed: (...requests: TimingRequest[]) => Promise<TimingReport>
}

/** A workbench with the project whose operators' times are wrong in many ways. */
export function useTimedTraps(): TimedTraps {
  const { workbench, cache } = useWorkbench()
  let folder: string
  beforeAll(async () => {
    folder = copyProject(path.join(root, 'test/cases/timing/traps'), cache)
    expect(unwrap(await workbench.builds.build(folder)).ok).toBe(true)
  })
  return {
    workbench,
    cache,
    traps: () => folder,
    timed: async (...requests) => unwrap(await workbench.timings.run(folder, requests, {})),
  }
}
