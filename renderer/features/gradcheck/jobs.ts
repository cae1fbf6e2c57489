import type {
  CheckedReport,
  GradcheckOutcome,
  GradcheckReport,
  SearchReport,
  SweepDtype,
  SweepReport,
} from '../../../electron/contract/gradcheck'
import { ok } from '../../../electron/contract/outcome'
import { call } from '../../bridge/bridge'
import { hostStore } from '../../store/host'
import { createJob } from '../../store/job'
import type { GradcheckCase, GradcheckDraft } from './case'
import { gradcheckStore, keptFinding } from './store'

/** A case of the fields, as they are when its check begins. */
export type AskedCase = { draft: GradcheckDraft; request: GradcheckCase }

/** The chosen case's report. */
export type Checked = {
  report: CheckedReport
  /** The op host that holds the report's Jacobians. */
  generation: number
  /** The case and the sources: an equal question need not be asked again. */
  question: string
}

/** Steps, or points, of work that goes through many gradchecks. */
export type Steps = { done: number; total: number }
export const noSteps: Steps = { done: 0, total: 0 }

/** Checks the chosen case. The newest wish wins. */
export const gradcheckJob = createJob<AskedCase, Checked>({
  kind: 'gradcheck',
  latest: 'wins',
  // To stop a check costs its op host.
  patience: 1_500,
  run: async ({ draft, request }, { folder, job, stamp }) => {
    const result = await call('gradcheck.run', {
      folder,
      job,
      request: { ...request, keepJacobians: true },
      timeout: draft.timeout,
    })
    if (!result.ok) return result
    const generation = hostStore.getState().host?.generation ?? 0
    return ok({ report: result.value, generation, question: questionOf(request, stamp) })
  },
  // An edit meanwhile is checked next: this answers a question that is no longer asked.
  isWanted: ({ draft }) => gradcheckStore.getState().draft === draft,
  release: ({ report, generation }) => releaseJacobians(report, generation),
})

// A report and the finding that is looked at change in the same step.
gradcheckJob.store.subscribe(({ value }, { value: before }) => {
  if (value === before) return
  gradcheckStore.setState(({ finding }) => ({
    finding: value === null ? null : keptFinding(finding, before?.report ?? null, value.report),
  }))
})

export function questionOf(request: GradcheckCase, stamp: string): string {
  return JSON.stringify([request, stamp])
}

/** Lets go of the Jacobians of a report; those of an op host that ended are gone with it. */
function releaseJacobians(report: GradcheckReport, generation: number): void {
  if (generation !== hostStore.getState().host?.generation) return
  const handles = report.findings.flatMap((finding) =>
    [finding.analytical, finding.numerical, finding.error].flatMap((item) => item?.handle ?? []),
  )
  if (handles.length > 0) void call('tensor.release', { handles })
}

type AllSteps = Steps & {
  stamp: string
  /** What the last step brought. */
  found: readonly GradcheckOutcome[]
}

/** Makes all checks of opsmith.json. A newer wish ends an older one: its library is an older one. */
export const allGradchecksJob = createJob<{ total: number; isBackground: boolean }, null, AllSteps>(
  {
    kind: 'gradchecks',
    latest: 'wins',
    run: async ({ total, isBackground }, { folder, job, stamp, report }) => {
      report({ done: 0, total, stamp, found: [] })
      const result = await call('gradcheck.runAll', { folder, job, isBackground })
      if (!result.ok) return result
      // An answer may overtake the event of its last outcome: the answer has them all.
      report({ done: total, total, stamp, found: result.value })
      return ok(null)
    },
    progress: {
      event: 'gradcheck.progressed',
      read: ({ done, total, outcome }, before) => ({
        done,
        total,
        stamp: before?.stamp ?? '',
        found: outcome ? [outcome] : [],
      }),
    },
  },
)

allGradchecksJob.store.subscribe(({ progress }, { progress: before }) => {
  if (progress === null || progress === before || progress.found.length === 0) return
  const { stamp, found } = progress
  const outcomes = Object.fromEntries(found.map((outcome) => [outcome.entry, { outcome, stamp }]))
  gradcheckStore.setState((state) => ({ outcomes: { ...state.outcomes, ...outcomes } }))
})

/** A sweep over eps. */
export type Swept = {
  report: SweepReport
  /** Equal keys mean that the chart is about the chosen case. */
  key: string
  stamp: string
}

type AskedWork = AskedCase & { key: string }

/** The error over eps, in each precision. */
export const sweepJob = createJob<AskedWork, Swept, Steps>({
  kind: 'sweep',
  latest: 'refused',
  keepsValue: true,
  run: async ({ draft, request, key }, { folder, job, stamp }) => {
    const dtypes: SweepDtype[] = ['float32', 'float64']
    const result = await call('gradcheck.sweep', {
      folder,
      job,
      eps: [],
      dtypes,
      timeout: draft.timeout,
      request: { ...request, keepJacobians: false },
    })
    return result.ok ? ok({ report: result.value, key, stamp }) : result
  },
  progress: { event: 'gradcheck.progressed', read: ({ done, total }) => ({ done, total }) },
})

/** A search for the worst point. */
export type Searched = { report: SearchReport; key: string; stamp: string }

/** gradcheck at many random points. */
export const searchJob = createJob<
  AskedWork & { points: number; firstSeed: number },
  Searched,
  Steps
>({
  kind: 'search',
  latest: 'refused',
  keepsValue: true,
  run: async ({ draft, request, key, points, firstSeed }, { folder, job, stamp, report }) => {
    report({ done: 0, total: points })
    const result = await call('gradcheck.search', {
      folder,
      job,
      points,
      firstSeed,
      timeout: draft.timeout,
      request: { ...request, keepJacobians: false },
    })
    return result.ok ? ok({ report: result.value, key, stamp }) : result
  },
  progress: { event: 'gradcheck.progressed', read: ({ done, total }) => ({ done, total }) },
})

export const gradcheckJobs = [gradcheckJob, allGradchecksJob, sweepJob, searchJob] as const

export function isAnyRunning(): boolean {
  return gradcheckJobs.some((job) => job.isRunning())
}

/** Ends all that runs, and what was to begin. */
export async function stopGradchecks(): Promise<void> {
  await Promise.all(gradcheckJobs.map((job) => job.stop()))
}
