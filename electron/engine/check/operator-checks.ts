import fs from 'node:fs/promises'

import type { CheckEntry } from '../../contract/manifest'
import type {
  OperatorCheckCase,
  OperatorCheckName,
  OperatorCheckFinding,
  OperatorCheckOutcome,
  OperatorCheckReport,
  PlacedFinding,
  PlacedOperatorCheckReport,
} from '../../contract/operator-check'
import type { LoadReport, OperatorDetail } from '../../contract/operators'
import { ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { ProgramFunction } from '../../contract/run'
import type { Libraries } from '../builds/libraries'
import { placeError } from '../error-place'
import { appendEntries } from '../project/edit-manifest'
import type { OpenProject, ProjectOrFolder, Projects } from '../project/open-project'
import { callText } from '../project/call-text'
import { CheckHosts } from './check-hosts'
import { comparedNumbers } from './compared-numbers'
import { withStackOfEnd } from './end-place'
import { withKernelFindings } from './kernel-findings'
import type { LocateKernelFindings } from './kernel-findings'
import { kernelFor, placeIn } from './kernel-place'
import { entriesOf, entryOfFailure, inOrder, isFromSchema } from './operator-check-case'
import { meaningOf, requestOf } from './operator-check-case'
import type { AskedOfAll } from './operator-check-case'
import { errorsOfOneCheck } from './outcome-errors'
import { SanitizerChecks, withTimeout } from './sanitizer-checks'
import type { OperatorCheckLimits, SanitizedFindings } from './sanitizer-checks'
import type { SanitizedCallServices } from './sanitized-calls'

interface OperatorCheckServices extends SanitizedCallServices {
  projects: Projects
  libraries: Libraries
  programFunctions: (project: OpenProject) => Promise<Result<ProgramFunction[]>>
  /** Finds the lines of what the kernels of a project's library did: a `writtenGpuReport` a line. */
  locateKernelFindings: (lines: string, folder: string) => ReturnType<LocateKernelFindings>
}

/** Operator checks of a project: of one operator, or of all that there are. */
export class OperatorChecks {
  constructor(private readonly services: OperatorCheckServices) {}

  /**
   * The checks of one operator or program function; the project's library is loaded first if it is
   * not. Inputs that the entry does not give are opsmith.json's; without arguments they are made from
   * the schema. Without a timeout of the entry's own, that of `limits` holds.
   */
  async run(
    folder: string,
    entry: CheckEntry,
    limits: OperatorCheckLimits,
    more: AskedOfAll = {},
  ): Promise<Result<PlacedOperatorCheckReport>> {
    const project = await this.services.projects.open(folder)
    if (!project.ok) return project
    const sanitized = new SanitizerChecks(this.services, project.value, more)
    const hosts = new CheckHosts(this.services.libraries.callsOf(project.value))
    const made = { project: project.value, asked: more, hosts }
    try {
      const report = await this.checkWithoutSanitizers(made, entry, limits)
      if (!report.ok) return report
      const watched = await sanitized.findings(entry, limits)
      return watched.ok ? ok(together(report.value, watched.value)) : watched
    } finally {
      await sanitized.close()
      await hosts.close()
    }
  }

  /** All but the sanitizers' checks. */
  private async checkWithoutSanitizers(
    { project, asked, hosts }: { project: OpenProject; asked: AskedOfAll; hosts: CheckHosts },
    entry: CheckEntry,
    limits: OperatorCheckLimits,
  ): Promise<Result<PlacedOperatorCheckReport>> {
    const within = withTimeout(entry, limits)
    const { request, left } = requestOf(entry, project.manifest.inputs, asked)
    if (!request) return ok({ op: entry.op, ok: true, seconds: 0, findings: inOrder(left) })
    const { libraries } = this.services
    const loaded = await libraries.load(project, within)
    if (!loaded.ok) return loaded
    const program = await project.program()
    if (!program.ok) return program
    const operator = operatorNamed(request.op, loaded.value)
    const edges = operator ? await edgesOf(operator) : []
    const report = await hosts.check(
      { ...request, edges, ...(program.value ? { program: program.value } : {}) },
      { ...within, phase: `check ${request.op}` },
    )
    if (!report.ok) return placeError(report, project.folder)
    const placed = await this.withPlaces(project, report.value, loaded.value)
    return ok({ ...placed, findings: inOrder([...placed.findings, ...left]) })
  }

  /** What is checked of a project: see entriesOf. */
  async entries(
    projectOrFolder: ProjectOrFolder,
    limits: OperatorCheckLimits,
  ): Promise<Result<CheckEntry[]>> {
    const { projects, libraries } = this.services
    const project = await projects.open(projectOrFolder)
    if (!project.ok) return project
    const { manifest } = project.value
    if (manifest.checks) return ok(manifest.checks)
    const loaded = await libraries.load(project.value, withTimeout({}, limits))
    return loaded.ok ? ok(entriesOf(manifest, loaded.value.operators)) : loaded
  }

  /**
   * What is checked of a project, or the entries given, one after the other. An operator that ends
   * the op host, runs out of time or is not there is an outcome like any other; an error comes back
   * only where none could be checked, or on Stop.
   */
  async runAll(
    folder: string,
    limits: OperatorCheckLimits,
    more: AskedOfAll & {
      entries?: readonly CheckEntry[]
      /** Called once before the first operator, then after each with its outcome. */
      onProgress?: (done: number, total: number, outcome?: OperatorCheckOutcome) => void
    } = {},
  ): Promise<Result<OperatorCheckOutcome[]>> {
    const opened = await this.services.projects.open(folder)
    if (!opened.ok) return opened
    const project = opened.value
    const wanted = more.entries ? ok(more.entries) : await this.entries(project, limits)
    if (!wanted.ok) return wanted
    const entries = wanted.value
    const listed = new Set((project.manifest.checks ?? []).map((entry) => entry.op))
    const outcomes: OperatorCheckOutcome[] = []
    const sanitized = new SanitizerChecks(this.services, project, more)
    const hosts = new CheckHosts(this.services.libraries.callsOf(project))
    const made = { project, asked: more, hosts }
    try {
      more.onProgress?.(0, entries.length)
      for (const [index, entry] of entries.entries()) {
        const result = await this.checkWithoutSanitizers(made, entry, limits)
        if (!result.ok && !errorsOfOneCheck.has(result.error.code)) return result
        const watched = await sanitized.findings(entry, limits)
        if (!watched.ok && !errorsOfOneCheck.has(watched.error.code)) return watched
        const isListed = listed.has(entry.op)
        const outcome = outcomeOf(index, entry, { result, watched, isListed })
        outcomes.push(outcome)
        more.onProgress?.(index + 1, entries.length, outcome)
      }
      return ok(outcomes)
    } finally {
      await sanitized.close()
      await hosts.close()
    }
  }

  /**
   * Adds an entry to opsmith.json's `checks`, or the one call that shows a failure of it. A list that
   * was not there begins with what has been checked without it: else that would not be checked any
   * more. What is there already stays one.
   */
  async keep(
    folder: string,
    entry: CheckEntry,
    failure?: { check: OperatorCheckName; shownCase: OperatorCheckCase },
  ): Promise<Result<{ entry: number; added: boolean }>> {
    const project = await this.services.projects.open(folder)
    if (!project.ok) return project
    const kept = failure ? entryOfFailure(failure.check, entry.op, failure.shownCase) : entry
    const { inputs, checks } = project.value.manifest
    const wanted = meaningOf(kept, inputs)
    const same = (checks ?? []).findIndex((one) => meaningOf(one, inputs) === wanted)
    if (same >= 0) return ok({ entry: same, added: false })
    const before = checks ? ok([]) : await this.entries(project.value, { timeout: 0 })
    if (!before.ok) return before
    // Of an operator that is now listed with all its checks, the call of before would say the same.
    const others = before.value.filter((one) => failure !== undefined || one.op !== kept.op)
    const added = [...others.map(withoutDefaults), withoutDefaults(kept)]
    const written = await appendEntries(project.value.folder, 'checks', added)
    if (!written.ok) return written
    return ok({ entry: written.value.entry + added.length - 1, added: true })
  }

  /** With the file and the line of what each finding is about. */
  private async withPlaces(
    project: OpenProject,
    report: OperatorCheckReport,
    loaded: LoadReport,
  ): Promise<PlacedOperatorCheckReport> {
    const judged = await withKernelFindings(report.findings, (lines) =>
      this.services.locateKernelFindings(lines, project.folder),
    )
    const isGood = judged.every(({ status }) => status !== 'failed')
    if (isGood) return { ...report, ok: true, findings: inOrder(judged) }
    const operator = operatorNamed(report.op, loaded)
    const place = operator
      ? await placeOfKernel(operator)
      : await this.placeOfFunction(project, report.op)
    const findings = await Promise.all(
      judged.map(async (finding) => ({
        ...(finding.status === 'failed' ? place(finding) : undefined),
        ...(await withStackOfEnd(finding, project.folder)),
      })),
    )
    return { ...report, ok: false, findings: inOrder(findings) }
  }

  private async placeOfFunction(project: OpenProject, name: string): Promise<PlaceOf> {
    const program = await project.program()
    if (!program.ok || !program.value || name.includes('::')) return () => undefined
    const { file } = program.value
    const functions = await this.services.programFunctions(project)
    const found = functions.ok ? functions.value.find((one) => one.name === name) : undefined
    return () => (found ? { file, line: found.line } : undefined)
  }
}

type PlaceOf = (
  finding: Pick<OperatorCheckFinding, 'check'>,
) => Pick<PlacedFinding, 'file' | 'line'> | undefined

/** `namespace::name` or `namespace::name.overload` */
function operatorNamed(name: string, loaded: LoadReport): OperatorDetail | undefined {
  return loaded.operators.find(
    (one) => name === (one.overload === '' ? one.name : `${one.name}.${one.overload}`),
  )
}

/** The sources of its kernels, by file; "" of one that cannot be read. */
async function sourcesOf(operator: OperatorDetail): Promise<Map<string, string>> {
  const files = [...new Set(operator.kernels.map((kernel) => kernel.file))]
  return new Map(
    await Promise.all(
      files.map(async (file) => [file, await fs.readFile(file, 'utf8').catch(() => '')] as const),
    ),
  )
}

/** Numbers that the operator's kernels compare with. */
async function edgesOf(operator: OperatorDetail): Promise<number[]> {
  const texts = await sourcesOf(operator)
  const kernel = kernelFor('gradients', operator)
  if (!kernel) return []
  const source = texts.get(kernel.file) ?? ''
  return comparedNumbers(source, placeIn('gradients', kernel, source))
}

async function placeOfKernel(operator: OperatorDetail): Promise<PlaceOf> {
  const texts = await sourcesOf(operator)
  return ({ check }) => {
    const kernel = kernelFor(check, operator)
    if (!kernel || kernel.file === '') return undefined
    return { file: kernel.file, line: placeIn(check, kernel, texts.get(kernel.file) ?? '') }
  }
}

function withoutDefaults({ args, ...entry }: CheckEntry): object {
  const { op, name, ...rest } = entry
  return {
    ...(name === undefined ? {} : { name }),
    op,
    ...(args.length > 0 ? { args } : {}),
    ...rest,
  }
}

/** A report with what the sanitizers found beside it. */
function together(
  report: PlacedOperatorCheckReport,
  { findings, seconds }: SanitizedFindings,
): PlacedOperatorCheckReport {
  return {
    ...report,
    ok: report.ok && findings.every((finding) => finding.status !== 'failed'),
    seconds: report.seconds + seconds,
    findings: inOrder([...report.findings, ...findings]),
  }
}

/** An operator that ends its process keeps what the sanitizers found: most likely it says why. */
function outcomeOf(
  index: number,
  entry: CheckEntry,
  checked: {
    result: Result<PlacedOperatorCheckReport>
    /** What the sanitizers found in its calls. */
    watched: Result<SanitizedFindings>
    /** Whether opsmith.json names the operator. */
    isListed: boolean
  },
): OperatorCheckOutcome {
  const { result, watched, isListed } = checked
  const expect = entry.expect ?? 'passed'
  const found = watched.ok ? watched.value : { findings: [], seconds: 0 }
  const error = !result.ok ? result.error : !watched.ok ? watched.error : undefined
  const plain = result.ok ? result.value : { op: entry.op, ok: true, seconds: 0, findings: [] }
  const report = together(plain, found)
  // Nobody asked for this operator in so many words, and nothing that can be guessed suits it.
  const noneSuits = error?.code === 'input.invalid' && isFromSchema(entry) && !isListed
  const reached = error ? 'error' : report.ok ? 'passed' : 'failed'
  // Nothing was looked at: that is no answer.
  const noneMade =
    reached === 'passed' && report.findings.every((finding) => finding.status === 'skipped')
  const verdict = noneSuits || noneMade ? 'skipped' : reached
  const args = report.generated?.args ?? entry.args
  // Without arguments and without any made from its schema, brackets would claim that it takes none.
  const hasCall = report.generated !== undefined || !isFromSchema(entry)
  return {
    entry: index,
    name: entry.name ?? (hasCall ? callText(entry.op, args) : entry.op),
    op: entry.op,
    expect,
    verdict,
    asExpected: noneSuits || (noneMade && expect === 'passed') || verdict === expect,
    ...(error === undefined || report.findings.length > 0 ? { report } : {}),
    ...(error ? { error } : {}),
  }
}
