import type {
  AssemblyComparison,
  AssemblySide,
  LoopEstimate,
  OptimizationRemark,
  RowRange,
} from '../../../electron/contract/assembly'
import { flagsSide } from '../../../electron/contract/assembly'
import { ok } from '../../../electron/contract/outcome'
import type { KeptBuild } from '../../../electron/contract/timing-report'
import { call } from '../../bridge/bridge'
import { createJob, useJob, type Job } from '../../store/job'
import { layoutStore } from '../../store/layout'
import { showJob, shownReport } from './jobs'
import { assemblyStore } from './store'

/** Builds that the function can be compared with, newest first. */
export const keptBuildsJob = createJob<null, KeptBuild[]>({
  kind: 'assembly-builds',
  latest: 'overtakes',
  run: (_input, { folder }) => call('timing.builds', { folder }),
})

/** The function that is shown, as two builds or two sets of flags have it. */
export const compareJob = createJob<
  { base: AssemblySide; other: AssemblySide },
  AssemblyComparison
>({
  kind: 'assembly-compare',
  latest: 'wins',
  run: async (sides, { folder, job }) => {
    const report = shownReport()
    const { form } = assemblyStore.getState()
    const choice = { form, name: report?.function.id ?? '', file: '', line: 0 }
    return await call('assembly.compare', { folder, job, choice, ...sides })
  },
})

/** clang's remarks on the source of the function that is shown. */
export const remarksJob = createJob<string, OptimizationRemark[]>({
  kind: 'assembly-remarks',
  latest: 'wins',
  key: (file) => file,
  run: (file, { folder, job }) => call('assembly.remarks', { folder, job, file }),
})

/** llvm-mca's estimates of the loops of the function that is shown, as far as they were asked for. */
export const estimateJob: Job<RowRange, LoopEstimate[]> = createJob({
  kind: 'assembly-estimate',
  latest: 'overtakes',
  keepsValue: true,
  run: async ({ first, last }, { folder }) => {
    const report = shownReport()
    const choice = { form: 'machine' as const, name: report?.function.id ?? '', file: '', line: 0 }
    const result = await call('assembly.estimate', { folder, choice, loop: { first, last } })
    if (!result.ok) return result
    const before = shownReport() === report ? (estimateJob.store.getState().value ?? []) : []
    return ok([...before.filter((one) => one.first !== first), result.value])
  },
})

/** What a choice of the bar means: "build:KEY", "flags:-O3", "flags:g++-12 -O3"; null for "". */
export function sideOf(chosen: string): AssemblySide | null {
  const colon = chosen.indexOf(':')
  const value = chosen.slice(colon + 1).trim()
  if (value === '') return null
  return chosen.startsWith('build:') ? { kind: 'build', build: value } : flagsSide(value)
}

/** @param against "" ends the comparison, and the next one begins with the loaded build again */
export function compareWith(against: string): void {
  assemblyStore.setState(against === '' ? { against, base: '' } : { against })
  refreshComparison()
}

/** What is compared in place of the loaded build; "" for that. */
export function compareFrom(base: string): void {
  assemblyStore.setState({ base })
  refreshComparison()
}

/** Compares what is chosen now; what still compiles for an older choice ends. */
export function refreshComparison(): void {
  const { against, base } = assemblyStore.getState()
  const other = sideOf(against)
  compareJob.clear()
  if (other && shownReport())
    void compareJob.run({ base: sideOf(base) ?? { kind: 'loaded' }, other })
  else void compareJob.stop()
}

export function showRemarks(showsRemarks: boolean): void {
  assemblyStore.setState({ showsRemarks })
  refreshRemarks()
}

function refreshRemarks(): void {
  const report = shownReport()
  if (!assemblyStore.getState().showsRemarks || report?.form !== 'machine') remarksJob.clear()
  else void remarksJob.run(report.function.file)
}

export function useComparison(): AssemblyComparison | null {
  return useJob(compareJob, (state) => state.value)
}

export function useRemarks(): readonly OptimizationRemark[] {
  return useJob(remarksJob, (state) => state.value) ?? none
}

export function useEstimates(): readonly LoopEstimate[] {
  return useJob(estimateJob, (state) => state.value) ?? none
}

const none: readonly never[] = []

/** Another function, or the same one after a build: what was asked of the old one is asked again. */
export function followShownFunction(): void {
  showJob.store.subscribe((now, before) => {
    if (now.value === before.value) return
    estimateJob.reset()
    refreshComparison()
    const isOtherSource = now.value?.report.function.file !== before.value?.report.function.file
    if (isOtherSource || now.value?.stamp !== before.value?.stamp) refreshRemarks()
  })
  assemblyStore.subscribe((now, before) => {
    const isShown = layoutStore.getState().visible.has('assembly')
    if (now.key !== before.key && isShown) void keptBuildsJob.run(null)
  })
}

export function forgetExtras(): void {
  for (const job of [keptBuildsJob, compareJob, remarksJob, estimateJob]) job.reset()
}
