import path from 'node:path'

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
import type { Result } from '../../contract/outcome'
import type { ProgramSource } from '../../contract/run'
import { placeError } from '../error-place'
import { callOnLibrary } from '../host/call-on-library'
import type { Libraries } from '../host/call-on-library'
import type { Installation } from '../installation'
import { gradientMeaning } from '../explain/gradient-error'
import { appendEntries } from '../project/edit-manifest'
import { versionOf } from '../project/files'
import { readManifest } from '../project/read-manifest'
import { curveOf, defaultDtypes, defaultEps } from './eps-sweep'
import { sweepOptions, withPrecision } from './eps-sweep'
import { ErrorHistory } from './error-history'
import { caseOf, entryOf, nameOf } from '../project/gradcheck-case'
import type { GradcheckCase } from '../project/gradcheck-case'
import { errorsOf, excessOf, handlesOf, largestError } from './jacobian-errors'
import { ofOneCheck } from './outcome-errors'
import { drawnInputs, isWorse, seedsOf, withSeedsOf } from './worst-point'

export interface GradcheckLimits {
  /** Seconds for each run of gradcheck; 0 for none. */
  timeout: number
  signal?: AbortSignal
}

/** What gradchecks need of the workbench. */
interface GradcheckSurroundings extends Libraries {
  readonly installation: Installation
  program(folder: string): Promise<Result<ProgramSource | undefined>>
}

type Asked = Omit<GradcheckRequest, 'program'>

/** Seconds for letting go of tensors. */
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

  constructor(private readonly around: GradcheckSurroundings) {
    this.kept = new ErrorHistory(around.installation.cacheFolder)
  }

  /**
   * One gradcheck; the project's library is loaded first if it is not. Inputs that the request does
   * not give are opsmith.json's. The largest error goes into the check's history.
   */
  async run(
    folder: string,
    request: Asked,
    limits: GradcheckLimits,
  ): Promise<Result<CheckedReport>> {
    const absolute = path.resolve(folder)
    const filled = await this.fill(absolute, request, limits)
    if (!filled.ok) return filled
    const asked = await this.measure(absolute, filled.value, limits)
    if (!asked.ok) return asked
    const { report, error } = asked.value
    const build = this.buildKey(absolute, filled.value.program)
    if (build === '') return ok({ ...report, error, before: null })
    const point: GradcheckPoint = { build, time: Date.now(), ok: report.ok, error }
    const before = await this.kept.add(absolute, filled.value, point)
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
    limits: GradcheckLimits,
    more: {
      entries?: readonly GradcheckEntry[]
      keepJacobians?: boolean
      /** Awaited: Jacobians can be read before the next check may end the op host. */
      onOutcome?: (outcome: GradcheckOutcome, done: number, total: number) => void | Promise<void>
    } = {},
  ): Promise<Result<GradcheckOutcome[]>> {
    const manifest = await readManifest(folder)
    if (!manifest.ok) return manifest
    const entries = more.entries ?? manifest.value.gradchecks
    const outcomes: GradcheckOutcome[] = []
    for (const [index, entry] of entries.entries()) {
      const request = {
        ...caseOf(entry, manifest.value),
        keepJacobians: more.keepJacobians ?? false,
      }
      const timeout = entry.timeout ?? limits.timeout
      const result = await this.run(folder, request, { ...limits, timeout })
      if (!result.ok && !ofOneCheck.has(result.error.code)) return result
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
    request: Asked,
    limits: GradcheckLimits,
    more: {
      eps?: readonly number[]
      dtypes?: readonly SweepDtype[]
      onPoint?: (point: SweepPoint, done: number, total: number) => void
    } = {},
  ): Promise<Result<SweepReport>> {
    const started = performance.now()
    const absolute = path.resolve(folder)
    const filled = await this.fill(absolute, request, limits)
    if (!filled.ok) return filled
    const steps = more.eps && more.eps.length > 0 ? more.eps : defaultEps
    const dtypes = more.dtypes && more.dtypes.length > 0 ? more.dtypes : defaultDtypes
    const curves: SweepCurve[] = []
    const total = dtypes.length * steps.length
    for (const [row, dtype] of dtypes.entries()) {
      const points: SweepPoint[] = []
      let reason = ''
      for (const [column, eps] of steps.entries()) {
        const point = await this.pointAt(absolute, filled.value, dtype, eps, limits)
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
    folder: string,
    request: GradcheckRequest,
    dtype: SweepDtype,
    eps: number,
    limits: GradcheckLimits,
  ): Promise<Result<SweepPoint | string>> {
    const { dtype: _replaced, ...rest } = request
    const report = await this.ask(
      folder,
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
    request: Asked,
    limits: GradcheckLimits,
    more: {
      points: number
      firstSeed: number
      onPoint?: (done: number, total: number) => void
    },
  ): Promise<Result<SearchReport>> {
    const started = performance.now()
    const absolute = path.resolve(folder)
    const filled = await this.fill(absolute, request, limits)
    if (!filled.ok) return filled
    const names = drawnInputs(filled.value)
    if (names.length === 0) {
      return err(
        'request.invalid',
        'No input of this call is drawn at random: all points are the same.',
        { hint: 'Give an input the distribution randn, rand or randint.' },
      )
    }
    let worst: Omit<SearchReport, 'op' | 'seconds' | 'tried' | 'failed'> | undefined
    let failed = 0
    let tried = 0
    while (tried < more.points && worst?.error === undefined) {
      const seeds = seedsOf(names, tried, more.firstSeed)
      const inputs = withSeedsOf(filled.value.inputs, seeds)
      const point = { ...filled.value, inputs, keepJacobians: false }
      const asked = await this.measure(absolute, point, limits)
      tried += 1
      if (asked.ok) {
        const { report, error: maxAbsolute } = asked.value
        const excess = excessOf(report, request.options)
        if (!report.ok) failed += 1
        const found = { seeds, inputs, excess, maxAbsolute, report }
        if (!worst || isWorse(found, worst)) worst = found
      } else if (asked.error.code === 'host.crashed' || asked.error.code === 'host.timeout') {
        failed += 1
        worst = { seeds, inputs, excess: Infinity, maxAbsolute: null, error: asked.error }
      } else return asked
      more.onPoint?.(tried, more.points)
    }
    if (!worst) return err('request.invalid', 'A search needs at least one point.')
    const seconds = (performance.now() - started) / 1000
    return ok({ op: request.op, seconds, tried, failed, ...worst })
  }

  /** Adds a case to opsmith.json with its seeds written out; one that is there already stays one. */
  async keep(
    folder: string,
    given: GradcheckCase,
    more: { name: string; expect: 'passed' | 'failed' },
  ): Promise<Result<{ entry: number; added: boolean }>> {
    const manifest = await readManifest(folder)
    if (!manifest.ok) return manifest
    const entry = entryOf(given, manifest.value, more)
    const same = this.positionOf(entry, manifest.value)
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

  /** What this very check said of one build after the other, oldest first. */
  async history(folder: string, given: GradcheckCase): Promise<Result<GradcheckPoint[]>> {
    const absolute = path.resolve(folder)
    const manifest = await readManifest(absolute)
    if (!manifest.ok) return manifest
    const inputs = { ...manifest.value.inputs, ...given.inputs }
    return ok(await this.kept.read(absolute, { ...given, inputs }))
  }

  /** Lets go of the Jacobians of a report. */
  async release(report: GradcheckReport): Promise<void> {
    const handles = handlesOf(report)
    if (handles.length === 0) return
    await this.around.hosts.call(
      'tensor.release',
      { handles },
      { timeout: releaseTimeout, phase: '' },
    )
  }

  /** With the project's inputs and program; its library is in the op host. */
  private async fill(
    folder: string,
    request: Asked,
    limits: GradcheckLimits,
  ): Promise<Result<GradcheckRequest>> {
    const loaded = await this.around.load(folder, limits)
    if (!loaded.ok) return loaded
    const manifest = await readManifest(folder)
    if (!manifest.ok) return manifest
    const program = await this.around.program(folder)
    if (!program.ok) return program
    return ok({
      ...request,
      inputs: { ...manifest.value.inputs, ...request.inputs },
      ...(program.value ? { program: program.value } : {}),
    })
  }

  /** A report with the largest error of its Jacobians. */
  private async measure(
    folder: string,
    request: GradcheckRequest,
    limits: GradcheckLimits,
  ): Promise<Result<{ report: GradcheckReport; error: number | null }>> {
    const report = await this.ask(folder, request, limits)
    if (!report.ok) return report
    return ok({ report: report.value, error: largestError(report.value) })
  }

  private async ask(
    folder: string,
    request: GradcheckRequest,
    limits: GradcheckLimits,
  ): Promise<Result<GradcheckReport>> {
    const result = await callOnLibrary(this.around, folder, 'gradcheck.run', request, {
      ...limits,
      phase: `gradcheck ${request.op}`,
    })
    return placeError(
      result.ok ? ok({ ...result.value, findings: result.value.findings.map(explained) }) : result,
      folder,
    )
  }

  /** Changes with the library and with the program; "" when nothing was built. */
  private buildKey(folder: string, program: ProgramSource | undefined): string {
    const build = this.around.lastBuild(folder)
    return build ? versionOf(`${build.key}\n${program?.source ?? ''}`) : ''
  }
}

/** What autograd itself said of a backward, in plain words; the text stays as the finding's reason. */
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
