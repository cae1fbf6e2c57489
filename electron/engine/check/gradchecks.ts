import type {
  CheckedReport,
  GradcheckOutcome,
  GradcheckPoint,
  GradcheckReport,
  GradcheckRequest,
  SearchReport,
  SweepCurve,
  SweepDtype,
  SweepPoint,
  SweepReport,
} from '../../contract/gradcheck'
import type { GradcheckEntry, Manifest } from '../../contract/manifest'
import { err, ok } from '../../contract/outcome'
import type { Result, WorkbenchError } from '../../contract/outcome'
import type { ProgramSource } from '../../contract/run'
import type { Builds } from '../builds/builds'
import type { CallLimits, Libraries } from '../builds/libraries'
import { placeError } from '../error-place'
import type { HostPool } from '../host/host-pool'
import type { Installation } from '../installation'
import { gradientMeaning } from '../explain/gradient-error'
import { appendEntries } from '../project/edit-manifest'
import { versionOf } from '../project/files'
import type { OpenProject, ProjectOrFolder, Projects } from '../project/open-project'
import { curveOf, defaultDtypes, defaultEps } from './eps-sweep'
import { sweepOptions, withPrecision } from './eps-sweep'
import { ErrorHistory } from './error-history'
import { caseOf, entryOf, nameOf } from '../project/gradcheck-case'
import type { GradcheckCase } from '../project/gradcheck-case'
import { errorsOf, excessOf, handlesOf, largestError } from './jacobian-errors'
import { errorsOfOneCheck } from './outcome-errors'
import { drawnInputs, isWorse, nothingDrawn, seedsOf, withSeedsOf } from './worst-point'

interface GradcheckServices {
  installation: Installation
  projects: Projects
  builds: Builds
  libraries: Libraries
  hosts: HostPool
}

/** Inputs that it does not give are opsmith.json's. */
type UnfilledRequest = Omit<GradcheckRequest, 'program'>

/** With all inputs and the program, and the project that they are of. */
interface FilledRequest {
  project: OpenProject
  request: GradcheckRequest
}

/** Seconds to release tensors. */
const releaseTimeout = 30

/** Why a report has no Jacobian to measure. */
function whyNoJacobian(report: GradcheckReport): string {
  const failed = report.findings.find((finding) => finding.status === 'failed')
  const skipped = report.findings.find((finding) => finding.check === 'backward')
  return failed?.reason ?? skipped?.reason ?? 'no Jacobian was compared'
}

/** Gradient checks of a project: one, all, over eps, over random points; what is kept of them. */
export class Gradchecks {
  private readonly kept: ErrorHistory

  constructor(private readonly services: GradcheckServices) {
    this.kept = new ErrorHistory(services.installation.dataFolder)
  }

  /**
   * One gradcheck; the project's library is loaded first if it is not. Inputs that the request does
   * not give are opsmith.json's. The largest error goes into the check's history.
   */
  async run(
    projectOrFolder: ProjectOrFolder,
    request: UnfilledRequest,
    limits: CallLimits,
  ): Promise<Result<CheckedReport>> {
    const filled = await this.fill(projectOrFolder, request, limits)
    if (!filled.ok) return filled
    const measured = await this.measure(filled.value, limits)
    if (!measured.ok) return measured
    const { report, error } = measured.value
    const { project } = filled.value
    const build = this.buildKey(project, filled.value.request.program)
    if (build === '') return ok({ ...report, error, before: null })
    const point: GradcheckPoint = { build, time: Date.now(), ok: report.ok, error }
    const before = await this.kept.add(project.folder, filled.value.request, point)
    return ok({ ...report, error, before })
  }

  /**
   * The entries of opsmith.json's `gradchecks`, or those given, one after the other. A check that
   * ends the op host, runs out of time or names what is not there is an outcome like any other; an
   * error comes back only where none could be made, or on Stop.
   * `timeout` is for entries that have none of their own.
   */
  async runAll(
    folder: string,
    limits: CallLimits,
    more: {
      entries?: readonly GradcheckEntry[]
      keepJacobians?: boolean
      /** Awaited: Jacobians can be read before the next check may end the op host. */
      onOutcome?: (outcome: GradcheckOutcome, done: number, total: number) => void | Promise<void>
    } = {},
  ): Promise<Result<GradcheckOutcome[]>> {
    const project = await this.services.projects.open(folder)
    if (!project.ok) return project
    const { manifest } = project.value
    const entries = more.entries ?? manifest.gradchecks
    const outcomes: GradcheckOutcome[] = []
    for (const [index, entry] of entries.entries()) {
      const request = {
        ...caseOf(entry, manifest),
        keepJacobians: more.keepJacobians ?? false,
      }
      const timeout = entry.timeout ?? limits.timeout
      const result = await this.run(project.value, request, { ...limits, timeout })
      if (!result.ok && !errorsOfOneCheck.has(result.error.code)) return result
      const outcome = outcomeOf(index, entry, result)
      outcomes.push(outcome)
      await more.onOutcome?.(outcome, index + 1, entries.length)
    }
    return ok(outcomes)
  }

  /**
   * The error of the Jacobians over the step of finite differences, in each precision. What an
   * operator does not take (float16, say) is a curve without points, with the reason.
   */
  async sweep(
    folder: string,
    request: UnfilledRequest,
    limits: CallLimits,
    more: {
      eps?: readonly number[]
      dtypes?: readonly SweepDtype[]
      onPoint?: (point: SweepPoint, done: number, total: number) => void
    } = {},
  ): Promise<Result<SweepReport>> {
    const started = performance.now()
    const filled = await this.fill(folder, request, limits)
    if (!filled.ok) return filled
    const steps = more.eps && more.eps.length > 0 ? more.eps : defaultEps
    const dtypes = more.dtypes && more.dtypes.length > 0 ? more.dtypes : defaultDtypes
    const curves: SweepCurve[] = []
    const total = dtypes.length * steps.length
    for (const [row, dtype] of dtypes.entries()) {
      const points: SweepPoint[] = []
      let reason = ''
      for (const [column, eps] of steps.entries()) {
        const point = await this.pointAt(filled.value, { dtype, eps }, limits)
        if (!point.ok) return point
        if (typeof point.value === 'string') {
          reason = point.value
          break
        }
        points.push(point.value)
        more.onPoint?.(point.value, row * steps.length + column + 1, total)
      }
      curves.push(curveOf(dtype, points, reason))
    }
    return ok({ op: request.op, seconds: (performance.now() - started) / 1000, curves })
  }

  /** A text says why the operator has no Jacobians in this precision. */
  private async pointAt(
    { project, request }: FilledRequest,
    { dtype, eps }: Pick<SweepPoint, 'dtype' | 'eps'>,
    limits: CallLimits,
  ): Promise<Result<SweepPoint | string>> {
    const { dtype: _replaced, ...rest } = request
    const report = await this.check(
      project,
      {
        ...rest,
        inputs: withPrecision(request.inputs, dtype),
        options: sweepOptions(request.options, eps, request.secondOrder),
        keepJacobians: true,
      },
      limits,
    )
    if (!report.ok) return report.error.code === 'input.invalid' ? ok(report.error.message) : report
    const errors = errorsOf(report.value)
    await this.release(report.value)
    return ok(errors ? { dtype, eps, ok: report.value.ok, ...errors } : whyNoJacobian(report.value))
  }

  /**
   * gradcheck at many points, which differ in the seeds of the inputs that are drawn. The worst is
   * the one with the element furthest outside its tolerance; one that ends the op host is worse
   * than all, and ends the search.
   */
  async search(
    folder: string,
    request: UnfilledRequest,
    limits: CallLimits,
    more: {
      points: number
      firstSeed: number
      onPoint?: (done: number, total: number) => void
    },
  ): Promise<Result<SearchReport>> {
    const started = performance.now()
    const filled = await this.fill(folder, request, limits)
    if (!filled.ok) return filled
    const { project } = filled.value
    const names = drawnInputs(filled.value.request)
    if (names.length === 0) {
      return nothingDrawn()
    }
    let worst: Omit<SearchReport, 'op' | 'seconds' | 'tried' | 'failed'> | undefined
    let failed = 0
    let tried = 0
    while (tried < more.points && worst?.error === undefined) {
      const seeds = seedsOf(names, tried, more.firstSeed)
      const inputs = withSeedsOf(filled.value.request.inputs, seeds)
      const point = { ...filled.value.request, inputs, keepJacobians: false }
      const measured = await this.measure({ project, request: point }, limits)
      tried += 1
      if (measured.ok) {
        const { report, error: maxAbsolute } = measured.value
        const excess = excessOf(report, request.options)
        if (!report.ok) failed += 1
        const found = { seeds, inputs, excess, maxAbsolute, report }
        if (!worst || isWorse(found, worst)) worst = found
      } else if (isEndOfHost(measured.error)) {
        failed += 1
        worst = { seeds, inputs, excess: Infinity, maxAbsolute: null, error: measured.error }
      } else return measured
      more.onPoint?.(tried, more.points)
    }
    if (!worst)
      return err(
        'request.invalid',
        'A search needs at least one point: set the number of points to 1 or more.',
      )
    const seconds = (performance.now() - started) / 1000
    return ok({ op: request.op, seconds, tried, failed, ...worst })
  }

  /** Adds a case to opsmith.json with its seeds written out; one that is there already stays one. */
  async keep(
    folder: string,
    given: GradcheckCase,
    more: { name: string; expect: 'passed' | 'failed' },
  ): Promise<Result<{ entry: number; added: boolean }>> {
    const project = await this.services.projects.open(folder)
    if (!project.ok) return project
    const entry = entryOf(given, project.value.manifest, more)
    const same = this.positionOf(entry, project.value.manifest)
    if (same !== undefined) return ok({ entry: same, added: false })
    const written = await appendEntries(folder, 'gradchecks', [entry])
    return written.ok ? ok({ ...written.value, added: true }) : written
  }

  private positionOf(entry: GradcheckEntry, manifest: Manifest): number | undefined {
    const meaning = (one: GradcheckEntry): string => {
      const { op, args, inputs, secondOrder, dtype, options } = caseOf(one, manifest)
      return JSON.stringify([op, args, inputs, secondOrder, dtype, options, one.expect ?? 'passed'])
    }
    const wanted = meaning(entry)
    const found = manifest.gradchecks.findIndex((one) => meaning(one) === wanted)
    return found < 0 ? undefined : found
  }

  /** The results of this very check, one build after the other, oldest first. */
  async history(folder: string, given: GradcheckCase): Promise<Result<GradcheckPoint[]>> {
    const project = await this.services.projects.open(folder)
    if (!project.ok) return project
    const inputs = { ...project.value.manifest.inputs, ...given.inputs }
    return ok(await this.kept.read(project.value.folder, { ...given, inputs }))
  }

  /** Releases the Jacobians of a report. */
  async release(report: GradcheckReport): Promise<void> {
    const handles = handlesOf(report)
    if (handles.length === 0) return
    await this.services.hosts.call(
      'tensor.release',
      { handles },
      { timeout: releaseTimeout, phase: '' },
    )
  }

  /** With the project's inputs and program; its library is in the op host. */
  private async fill(
    projectOrFolder: ProjectOrFolder,
    request: UnfilledRequest,
    limits: CallLimits,
  ): Promise<Result<FilledRequest>> {
    const { projects, libraries } = this.services
    const opened = await projects.open(projectOrFolder)
    if (!opened.ok) return opened
    const project = opened.value
    const loaded = await libraries.ensureLoaded(project, limits)
    if (!loaded.ok) return loaded
    const program = await project.program()
    if (!program.ok) return program
    return ok({
      project,
      request: {
        ...request,
        inputs: { ...project.manifest.inputs, ...request.inputs },
        ...(program.value ? { program: program.value } : {}),
      },
    })
  }

  /** A report with the largest error of its Jacobians. */
  private async measure(
    { project, request }: FilledRequest,
    limits: CallLimits,
  ): Promise<Result<{ report: GradcheckReport; error: number | null }>> {
    const report = await this.check(project, request, limits)
    if (!report.ok) return report
    return ok({ report: report.value, error: largestError(report.value) })
  }

  private async check(
    project: OpenProject,
    request: GradcheckRequest,
    limits: CallLimits,
  ): Promise<Result<GradcheckReport>> {
    const result = await this.services.libraries.call(project, 'gradcheck.run', request, {
      ...limits,
      phase: `gradcheck ${request.op}`,
    })
    return placeError(
      result.ok ? ok({ ...result.value, findings: result.value.findings.map(explained) }) : result,
      project.folder,
    )
  }

  /** Changes with the library and with the program; "" when nothing was built. */
  private buildKey(project: OpenProject, program: ProgramSource | undefined): string {
    const build = this.services.builds.lastBuild(project)
    return build ? versionOf(`${build.key}\n${program?.source ?? ''}`) : ''
  }
}

/** Whether a check ended the op host, by a crash or by its time limit. */
function isEndOfHost({ code }: WorkbenchError): boolean {
  return code === 'host.crashed' || code === 'host.timeout'
}

/** A finding with autograd's own error explained as its cause; the error stays as the finding's reason. */
function explained(finding: GradcheckReport['findings'][number]): typeof finding {
  const meaning = finding.cause === '' ? gradientMeaning(finding.reason) : undefined
  return meaning ? { ...finding, cause: `${meaning.message} ${meaning.hint}` } : finding
}

function outcomeOf(
  index: number,
  entry: GradcheckEntry,
  result: Result<CheckedReport>,
): GradcheckOutcome {
  const expect = entry.expect ?? 'passed'
  const verdict = !result.ok ? 'error' : result.value.ok ? 'passed' : 'failed'
  return {
    entry: index,
    name: nameOf(entry),
    op: entry.op,
    expect,
    verdict,
    asExpected: verdict === expect,
    ...(result.ok ? { report: result.value } : { error: result.error }),
  }
}
