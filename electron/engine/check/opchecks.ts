import fs from 'node:fs/promises'
import path from 'node:path'

import type { CheckEntry } from '../../contract/manifest'
import type {
  OpcheckFinding,
  OpcheckOutcome,
  OpcheckReport,
  OpcheckRequest,
  PlacedFinding,
  PlacedOpcheckReport,
} from '../../contract/opcheck'
import type { LoadReport, OperatorDetail } from '../../contract/operators'
import { ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { ProgramFunction, ProgramSource } from '../../contract/run'
import { placeError } from '../error-place'
import type { HostPool } from '../host/host-pool'
import { readManifest } from '../project/read-manifest'
import { callText } from './gradcheck-case'
import { kernelFor, placeIn } from './kernel-place'
import { entriesOf, inOrder, requestOf } from './opcheck-case'
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

type Asked = Omit<OpcheckRequest, 'program'>

/** Operator checks of a project: of one operator, or of all that opsmith.json names. */
export class Opchecks {
  constructor(private readonly around: OpcheckSurroundings) {}

  /**
   * The checks of one operator or program function; the project's library is loaded first if it is
   * not. Inputs that the request does not give are opsmith.json's.
   */
  async run(
    folder: string,
    request: Asked,
    limits: OpcheckLimits,
  ): Promise<Result<PlacedOpcheckReport>> {
    const absolute = path.resolve(folder)
    const within = { ...limits, timeout: limits.timeout === 0 ? defaultTimeout : limits.timeout }
    const loaded = await this.around.load(absolute, within)
    if (!loaded.ok) return loaded
    const manifest = await readManifest(absolute)
    if (!manifest.ok) return manifest
    const program = await this.around.program(absolute)
    if (!program.ok) return program
    const report = await this.around.hosts.call(
      'opcheck.run',
      {
        ...request,
        inputs: { ...manifest.value.inputs, ...request.inputs },
        ...(program.value ? { program: program.value } : {}),
      },
      { ...within, phase: `check ${request.op}` },
    )
    if (!report.ok) return placeError(report, absolute)
    return ok(await this.placed(absolute, report.value, loaded.value, program.value))
  }

  /**
   * The entries of opsmith.json's `checks` (see entriesOf), or those given, one after the other. An
   * operator that ends the op host, runs out of time or is not there is an outcome like any other; an
   * error comes back only where none could be checked, or on Stop.
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
    const entries = more.entries ?? entriesOf(manifest.value)
    const outcomes: OpcheckOutcome[] = []
    more.onProgress?.(0, entries.length)
    for (const [index, entry] of entries.entries()) {
      const { request, left } = requestOf(entry, manifest.value.inputs)
      const timeout = entry.timeout ?? limits.timeout
      const result = request
        ? await this.run(folder, request, { ...limits, timeout })
        : ok({ op: entry.op, ok: true, seconds: 0, findings: [] })
      if (!result.ok && !ofOneCheck.has(result.error.code)) return result
      const outcome = outcomeOf(index, entry, result, left)
      outcomes.push(outcome)
      more.onProgress?.(index + 1, entries.length, outcome)
    }
    return ok(outcomes)
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

function outcomeOf(
  index: number,
  entry: CheckEntry,
  result: Result<PlacedOpcheckReport>,
  left: readonly OpcheckFinding[],
): OpcheckOutcome {
  const expect = entry.expect ?? 'passed'
  const verdict = !result.ok ? 'error' : result.value.ok ? 'passed' : 'failed'
  return {
    entry: index,
    name: callText(entry.op, entry.args),
    op: entry.op,
    expect,
    verdict,
    asExpected: verdict === expect,
    ...(result.ok
      ? { report: { ...result.value, findings: inOrder([...result.value.findings, ...left]) } }
      : { error: result.error }),
  }
}
