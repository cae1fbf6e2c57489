import type {
  GradcheckOutcome,
  GradcheckReport,
  SearchReport,
  SweepReport,
} from '../../../contract/gradcheck'
import type { GradcheckEntry, Manifest } from '../../../contract/manifest'
import { ok } from '../../../contract/outcome'
import type { Result } from '../../../contract/outcome'
import { callText } from '../../../engine/project/call-text'
import { caseOf, nameOf } from '../../../engine/project/gradcheck-case'
import { drawnInputs } from '../../../engine/check/worst-point'
import { readSettings } from '../../../engine/project/settings-file'
import type { Workbench } from '../../../engine/workbench'
import type { GradcheckCommand } from './options'
import { readErrorPicture } from './jacobian-picture'
import type { ErrorPicture } from './jacobian-picture'
import { progress } from '../../print'

export interface NamedSweep {
  name: string
  report: SweepReport
}

export interface NamedSearch {
  name: string
  report: SearchReport
  /** A failing point is none of what opsmith.json expects of this call. */
  bad: boolean
  /** Where the worst point is kept among opsmith.json's gradchecks; absent when it is not. */
  kept?: number
}

/** All that one command found. */
export interface GradcheckRun {
  /** Every check came out as expected, and no search found a point that fails. */
  ok: boolean
  outcomes: GradcheckOutcome[]
  /** Of the outcome at that position. */
  pictures: Map<number, ErrorPicture[]>
  sweeps: NamedSweep[]
  searches: NamedSearch[]
}

/** Pictures of one check; more would not be looked at. */
const mostPictures = 8

async function picturesOf(workbench: Workbench, report: GradcheckReport): Promise<ErrorPicture[]> {
  const compared = report.findings
    .filter((finding) => finding.error !== undefined)
    .sort((a, b) => Number(b.status === 'failed') - Number(a.status === 'failed'))
    .slice(0, mostPictures)
  const pictures: ErrorPicture[] = []
  for (const finding of compared) {
    const picture = await readErrorPicture(workbench.hosts, report, finding)
    if (picture) pictures.push(picture)
  }
  await workbench.gradchecks.release(report)
  return pictures
}

/** Calls that differ in more than eps and tolerances: a sweep over eps is about all of these at once. */
function distinctCalls(entries: readonly GradcheckEntry[]): GradcheckEntry[] {
  const seen = new Set<string>()
  return entries.filter((entry) => {
    const text = JSON.stringify([entry.op, entry.args, entry.second_order, entry.inputs])
    if (seen.has(text)) return false
    seen.add(text)
    return true
  })
}

function nameOfCall(entry: GradcheckEntry): string {
  return `${callText(entry.op, entry.args)}${entry.second_order === true ? ', second order' : ''}`
}

/** Makes the checks of a built project, then the sweeps and searches that were asked for. */
export async function runGradchecks(
  workbench: Workbench,
  folder: string,
  manifest: Manifest,
  entries: readonly GradcheckEntry[],
  command: Pick<GradcheckCommand, 'timeout' | 'sweep' | 'search' | 'firstSeed' | 'keep' | 'html'>,
  more: { signal?: AbortSignal; onOutcome?: (outcome: GradcheckOutcome) => void } = {},
): Promise<Result<GradcheckRun>> {
  const settings = await readSettings(workbench.installation.configFolder)
  const limits = {
    timeout: command.timeout === 0 ? settings.callTimeout : command.timeout,
    ...(more.signal ? { signal: more.signal } : {}),
  }
  const pictures = new Map<number, ErrorPicture[]>()
  const outcomes = await workbench.gradchecks.runAll(folder, limits, {
    entries,
    keepJacobians: command.html !== '',
    onOutcome: async (outcome) => {
      if (outcome.report && command.html !== '')
        pictures.set(outcome.entry, await picturesOf(workbench, outcome.report))
      more.onOutcome?.(outcome)
    },
  })
  if (!outcomes.ok) return outcomes
  const run: GradcheckRun = {
    ok: outcomes.value.every((outcome) => outcome.asExpected),
    outcomes: outcomes.value,
    pictures,
    sweeps: [],
    searches: [],
  }
  for (const entry of command.sweep ? distinctCalls(entries) : []) {
    const name = nameOfCall(entry)
    progress(`trying values of eps for ${name}`)
    const request = { ...caseOf(entry, manifest), keepJacobians: false }
    const report = await workbench.gradchecks.sweep(folder, request, limits)
    if (!report.ok) return report
    run.sweeps.push({ name, report: report.value })
  }
  for (const entry of command.search > 0 ? entries : []) {
    if (entry.expect === 'failed') {
      progress(`${nameOf(entry)}: not searched, because opsmith.json expects a failure`)
      continue
    }
    const request = { ...caseOf(entry, manifest), keepJacobians: false }
    if (drawnInputs(request).length === 0) {
      progress(
        `${nameOf(entry)}: no input has random values, so --search has no other points to try (set a distribution: randn, rand or randint)`,
      )
      continue
    }
    const name = nameOf(entry)
    progress(`trying ${command.search} random points for ${name}`)
    const report = await workbench.gradchecks.search(folder, request, limits, {
      points: command.search,
      firstSeed: command.firstSeed,
    })
    if (!report.ok) return report
    const bad = report.value.failed > 0
    const search: NamedSearch = { name, report: report.value, bad }
    if (bad && command.keep) {
      const worst = { ...request, inputs: report.value.inputs }
      const kept = await workbench.gradchecks.keep(folder, worst, { name: '', expect: 'passed' })
      if (!kept.ok) return kept
      search.kept = kept.value.entry
    }
    run.searches.push(search)
    run.ok &&= !bad
  }
  return ok(run)
}
