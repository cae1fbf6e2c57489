import fs from 'node:fs/promises'
import path from 'node:path'

import type { CheckEntry } from '../../contract/manifest'
import type {
  OpcheckCase,
  OpcheckCheck,
  OpcheckFinding,
  OpcheckOutcome,
  OpcheckReport,
  PlacedFinding,
  PlacedOpcheckReport,
} from '../../contract/opcheck'
import type { LoadReport, OperatorDetail } from '../../contract/operators'
import { ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { ProgramFunction, ProgramSource } from '../../contract/run'
import { placeError } from '../error-place'
import type { HostPool } from '../host/host-pool'
import { appendEntries } from '../project/edit-manifest'
import { readManifest } from '../project/read-manifest'
import { callText } from './gradcheck-case'
import { kernelFor, placeIn } from './kernel-place'
import { entriesOf, entryOfFailure, inOrder, isFromSchema } from './opcheck-case'
import { meaningOf, requestOf } from './opcheck-case'
import { ofOneCheck } from './outcome-errors'

export interface OpcheckLimits {
  /** Seconds for each operator; 0 for the default of 120. */
  timeout: number
  signal?: AbortSignal
}

/** What operator checks need of the workbench. */
interface OpcheckSurroundings {
  readonly hosts: HostPool
  load(folder: string, options: OpcheckLimits): Promise<Result<LoadReport>>
  program(folder: string): Promise<Result<ProgramSource | undefined>>
  programFunctions(folder: string): Promise<Result<ProgramFunction[]>>
}

const defaultTimeout = 120

/** Operator checks of a project: of one operator, or of all that there are. */
export class Opchecks {
  constructor(private readonly around: OpcheckSurroundings) {}

  /**
   * The checks of one operator or program function; the project's library is loaded first if it is
   * not. Inputs that the entry does not give are opsmith.json's; without arguments they are made from
   * the schema. Without a timeout of the entry's own, that of `limits` holds.
   */
  async run(
    folder: string,
    entry: CheckEntry,
    limits: OpcheckLimits,
  ): Promise<Result<PlacedOpcheckReport>> {
    const absolute = path.resolve(folder)
    const timeout = entry.timeout ?? (limits.timeout === 0 ? defaultTimeout : limits.timeout)
    const within = { ...limits, timeout }
    const manifest = await readManifest(absolute)
    if (!manifest.ok) return manifest
    const { request, left } = requestOf(entry, manifest.value.inputs)
    if (!request) return ok({ op: entry.op, ok: true, seconds: 0, findings: inOrder(left) })
    const loaded = await this.around.load(absolute, within)
    if (!loaded.ok) return loaded
    const program = await this.around.program(absolute)
    if (!program.ok) return program
    const report = await this.around.hosts.call(
      'opcheck.run',
      { ...request, ...(program.value ? { program: program.value } : {}) },
      { ...within, phase: `check ${request.op}` },
    )
    if (!report.ok) return placeError(report, absolute)
    const placed = await this.placed(absolute, report.value, loaded.value, program.value)
    return ok({ ...placed, findings: inOrder([...placed.findings, ...left]) })
  }

  /** What is checked of a project: see entriesOf. */
  async entries(folder: string, limits: OpcheckLimits): Promise<Result<CheckEntry[]>> {
    const absolute = path.resolve(folder)
    const manifest = await readManifest(absolute)
    if (!manifest.ok) return manifest
    if (manifest.value.checks) return ok(manifest.value.checks)
    const timeout = limits.timeout === 0 ? defaultTimeout : limits.timeout
    const loaded = await this.around.load(absolute, { ...limits, timeout })
    return loaded.ok ? ok(entriesOf(manifest.value, loaded.value.operators)) : loaded
  }

  /**
   * What is checked of a project, or the entries given, one after the other. An operator that ends
   * the op host, runs out of time or is not there is an outcome like any other; an error comes back
   * only where none could be checked, or on Stop.
   */
  async runAll(
    folder: string,
    limits: OpcheckLimits,
    more: {
      entries?: readonly CheckEntry[]
      /** Told once before the first operator, then after each with its outcome. */
      onProgress?: (done: number, total: number, outcome?: OpcheckOutcome) => void
    } = {},
  ): Promise<Result<OpcheckOutcome[]>> {
    const manifest = await readManifest(folder)
    if (!manifest.ok) return manifest
    const asked = more.entries ? ok(more.entries) : await this.entries(folder, limits)
    if (!asked.ok) return asked
    const entries = asked.value
    const listed = new Set((manifest.value.checks ?? []).map((entry) => entry.op))
    const outcomes: OpcheckOutcome[] = []
    more.onProgress?.(0, entries.length)
    for (const [index, entry] of entries.entries()) {
      const result = await this.run(folder, entry, limits)
      if (!result.ok && !ofOneCheck.has(result.error.code)) return result
      const outcome = outcomeOf(index, entry, result, listed.has(entry.op))
      outcomes.push(outcome)
      more.onProgress?.(index + 1, entries.length, outcome)
    }
    return ok(outcomes)
  }

  /**
   * Adds an entry to opsmith.json's `checks`, or the one call that shows a failure of it. A list that
   * was not there begins with what has been checked without it: else that would not be checked any
   * more. What is there already stays one.
   */
  async keep(
    folder: string,
    entry: CheckEntry,
    failure?: { check: OpcheckCheck; shownCase: OpcheckCase },
  ): Promise<Result<{ entry: number; added: boolean }>> {
    const manifest = await readManifest(folder)
    if (!manifest.ok) return manifest
    const kept = failure ? entryOfFailure(failure.check, entry.op, failure.shownCase) : entry
    const { inputs, checks } = manifest.value
    const wanted = meaningOf(kept, inputs)
    const same = (checks ?? []).findIndex((one) => meaningOf(one, inputs) === wanted)
    if (same >= 0) return ok({ entry: same, added: false })
    const before = checks ? ok([]) : await this.entries(folder, { timeout: 0 })
    if (!before.ok) return before
    // Of an operator that is now listed with all its checks, the call of before would say the same.
    const others = before.value.filter((one) => failure !== undefined || one.op !== kept.op)
    const added = [...others.map(withoutDefaults), withoutDefaults(kept)]
    const written = await appendEntries(path.resolve(folder), 'checks', added)
    if (!written.ok) return written
    return ok({ entry: written.value.entry + added.length - 1, added: true })
  }

  private async placed(
    folder: string,
    report: OpcheckReport,
    loaded: LoadReport,
    program: ProgramSource | undefined,
  ): Promise<PlacedOpcheckReport> {
    if (report.ok) return { ...report, findings: inOrder(report.findings) }
    const operator = operatorNamed(report.op, loaded)
    const place = operator
      ? await placeOfKernel(operator)
      : await this.placeOfFunction(folder, report.op, program)
    const findings = report.findings.map((finding) => ({
      ...finding,
      ...(finding.status === 'failed' ? place(finding) : undefined),
    }))
    return { ...report, findings: inOrder(findings) }
  }

  private async placeOfFunction(
    folder: string,
    name: string,
    program: ProgramSource | undefined,
  ): Promise<PlaceOf> {
    if (!program || name.includes('::')) return () => undefined
    const functions = await this.around.programFunctions(folder)
    const found = functions.ok ? functions.value.find((one) => one.name === name) : undefined
    return () => (found ? { file: program.file, line: found.line } : undefined)
  }
}

type PlaceOf = (finding: OpcheckFinding) => Pick<PlacedFinding, 'file' | 'line'> | undefined

/** `namespace::name` or `namespace::name.overload` */
function operatorNamed(name: string, loaded: LoadReport): OperatorDetail | undefined {
  return loaded.operators.find(
    (one) => name === (one.overload === '' ? one.name : `${one.name}.${one.overload}`),
  )
}

async function placeOfKernel(operator: OperatorDetail): Promise<PlaceOf> {
  const files = [...new Set(operator.kernels.map((kernel) => kernel.file))]
  const texts = new Map(
    await Promise.all(
      files.map(async (file) => [file, await fs.readFile(file, 'utf8').catch(() => '')] as const),
    ),
  )
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

function outcomeOf(
  index: number,
  entry: CheckEntry,
  result: Result<PlacedOpcheckReport>,
  isListed: boolean,
): OpcheckOutcome {
  const expect = entry.expect ?? 'passed'
  // Nobody asked for this operator in so many words, and nothing that can be guessed suits it.
  const noneSuits =
    !result.ok && result.error.code === 'input.invalid' && isFromSchema(entry) && !isListed
  const reached = !result.ok ? 'error' : result.value.ok ? 'passed' : 'failed'
  const verdict = noneSuits ? 'skipped' : reached
  const args = result.ok ? (result.value.generated?.args ?? entry.args) : entry.args
  return {
    entry: index,
    name: entry.name ?? callText(entry.op, args),
    op: entry.op,
    expect,
    verdict,
    asExpected: noneSuits || verdict === expect,
    ...(result.ok ? { report: result.value } : { error: result.error }),
  }
}
