import type { BuildReport } from '../../../electron/contract/build'
import { buildJob } from '../../store/build'

/** What benchmarks ask of builds: the engine's own figures. */
export type BuildTest = {
  /** Of the last build; null before the first. */
  report: () => BuildReport | null
}

export function buildTest(): BuildTest {
  return { report: () => buildJob.store.getState().value?.report ?? null }
}
