import type { GpuCounts } from '../../contract/gpu-counts'
import type { Call, Manifest } from '../../contract/manifest'
import type { Result, WorkbenchError } from '../../contract/outcome'
import type { RunReport } from '../../contract/run'
import { readManifest } from '../../engine/project/read-manifest'
import { readSettings } from '../../engine/project/settings-file'
import type { Workbench } from '../../engine/workbench'
import { countsText } from '../counts-text'
import { BuildReporter, buildAloud, buildJson, flatDiagnostics, sayPrecompiling } from '../building'
import { exitCodes } from '../exit-codes'
import { interruptSignal } from '../interrupt'
import { kernelReportJson } from '../kernel-report'
import {
  describeError,
  describeOutput,
  printError,
  printJson,
  progress,
  shortNumber,
} from '../print'
import { flag, jsonFlag } from '../options'
import { defineVerb, projectArgument, refuse } from '../verb'

export interface CallOutcome {
  call: Call
  ok: boolean
  report?: RunReport
  error?: WorkbenchError
  /** Its kernels ran on the virtual GPU. */
  isVirtual?: boolean
}

/** A call is good when it answered and everything it was compared with matches. */
function judge(call: Call, result: Result<RunReport>): CallOutcome {
  if (!result.ok) return { call, ok: false, error: result.error }
  const { comparisons, referenceError } = result.value
  const matches =
    referenceError === undefined && comparisons.every((comparison) => comparison.matches)
  return { call, ok: matches, report: result.value }
}

export async function makeCalls(
  workbench: Workbench,
  project: string,
  manifest: Manifest,
): Promise<CallOutcome[]> {
  const settings = await readSettings(workbench.installation.configFolder)
  const outcomes: CallOutcome[] = []
  for (const call of manifest.calls) {
    const result = await workbench.runs.run(
      project,
      {
        op: call.op,
        args: call.args,
        inputs: manifest.inputs,
        ...(call.reference === undefined ? {} : { reference: call.reference }),
        ...(call.rtol === undefined ? {} : { rtol: call.rtol }),
        ...(call.atol === undefined ? {} : { atol: call.atol }),
      },
      { timeout: call.timeout ?? settings.callTimeout },
    )
    const isVirtual = workbench.builds.lastBuild(project)?.virtualDevice !== undefined
    outcomes.push({ ...judge(call, result), isVirtual })
  }
  return outcomes
}

function callJson({ call, ok, report, error }: CallOutcome): object {
  return {
    op: call.op,
    ok,
    outputs: (report?.outputs ?? []).map((output) =>
      output.kind === 'tensor'
        ? { shape: output.shape, dtype: output.dtype, device: output.device, stats: output.stats }
        : { type: output.type, text: output.text },
    ),
    ...(report && report.comparisons.length > 0
      ? {
          comparisons: report.comparisons.map((comparison) => ({
            output: comparison.output,
            matches: comparison.matches,
            rtol: comparison.rtol,
            atol: comparison.atol,
            mismatched: comparison.mismatched,
            total: comparison.total,
            maxAbsolute: comparison.maxAbsolute,
            maxRelative: comparison.maxRelative,
            index: comparison.index,
            actual: comparison.actual,
            expected: comparison.expected,
            message: comparison.message,
          })),
        }
      : {}),
    ...(error
      ? { error }
      : report?.referenceError === undefined
        ? {}
        : { error: { code: 'program.compile', message: report.referenceError } }),
  }
}

export function printCall({ call, ok, report, error, isVirtual = false }: CallOutcome): void {
  const write = (line: string): void => {
    process.stdout.write(`${line}\n`)
  }
  write(
    `${ok ? 'ok    ' : 'FAILED'} ${call.op}(${call.args.map((item) => (typeof item === 'string' ? item : JSON.stringify(item))).join(', ')})`,
  )
  for (const output of report?.outputs ?? []) write(`         ${describeOutput(output, isVirtual)}`)
  for (const comparison of report?.comparisons ?? []) {
    const error = `largest error ${shortNumber(comparison.maxAbsolute)} at [${comparison.index.join(', ')}]`
    write(
      comparison.matches
        ? `         equals ${call.reference ?? 'the reference'}: ${error}, allowed ${shortNumber(comparison.atol)} + ${shortNumber(comparison.rtol)} × |expected|`
        : `         differs from ${call.reference ?? 'the reference'}: ${comparison.message === '' ? `${comparison.mismatched} of ${comparison.total} elements, ${error}: ${shortNumber(comparison.actual)} instead of ${shortNumber(comparison.expected)}` : comparison.message}`,
    )
  }
  if (report?.referenceError !== undefined)
    write(`         the reference could not be evaluated: ${report.referenceError}`)
  if (error) write(`         ${describeError(error).split('\n').join('\n         ')}`)
}

async function runCalls(
  workbench: Workbench,
  project: string,
  { counts, json }: { counts: boolean; json: boolean },
): Promise<number> {
  const manifest = await readManifest(project)
  if (!manifest.ok) return printError(manifest.error, json)
  if (counts) workbench.projects.kernelVariant = 'counted'
  const build = await buildAloud(workbench, project)
  if (!build.ok) return printError(build.error, json)
  if (!build.value.ok) {
    if (json) printJson({ ok: false, calls: [], build: buildJson(build.value) })
    return exitCodes.failed
  }
  if (manifest.value.calls.length === 0) progress('opsmith.json has no calls.')
  const outcomes = await makeCalls(workbench, project, manifest.value)
  const counted = counts ? await workbench.kernelCounts.all() : undefined
  // Nothing that was counted is no pass.
  const good = outcomes.every((outcome) => outcome.ok) && counted?.launches !== 0
  if (json) {
    const kernels = await kernelReportJson(workbench)
    const more = counted ? { counts: counted } : {}
    printJson({ ok: good, calls: outcomes.map(callJson), ...kernels, ...more })
  } else {
    outcomes.forEach(printCall)
    if (counted) printCounts(counted, project)
  }
  return good ? exitCodes.good : exitCodes.failed
}

/** To stdout, as the calls: both are the answer. */
function printCounts(counts: GpuCounts, project: string): void {
  if (counts.launches === 0)
    progress(
      'opsmith: no kernel ran on the virtual GPU, so there are no counts. Check that a call in opsmith.json launches a kernel.',
    )
  else for (const line of countsText(counts, project)) process.stdout.write(`${line}\n`)
}

/** The same in a build that ASan and UBSan watch: what they report is printed as diagnostics, and fails. */
async function runSanitized(
  workbench: Workbench,
  project: string,
  options: { json: boolean },
): Promise<number> {
  const settings = await readSettings(workbench.installation.configFolder)
  const outcomes: CallOutcome[] = []
  const reporter = new BuildReporter()
  const result = await workbench.sanitizedRuns.run(project, {
    ...reporter.callbacks,
    signal: interruptSignal(),
    timeout: settings.callTimeout,
    onOutput: sayPrecompiling,
    onCall: (call, answer) => outcomes.push(judge(call, answer)),
  })
  if (!result.ok) return printError(result.error, options.json)
  const { build, calls, diagnostics } = result.value
  reporter.end({ ...build, diagnostics })
  const judged = outcomes.map((outcome, index) => ({
    ...outcome,
    ok: outcome.ok && calls[index]?.findings === 0,
  }))
  const good = build.ok && judged.every((outcome) => outcome.ok)
  if (options.json) {
    const found = flatDiagnostics(diagnostics)
    printJson({
      ok: good,
      calls: judged.map(callJson),
      diagnostics: found,
      ...(build.ok ? {} : { build: buildJson(build) }),
    })
  } else {
    judged.forEach(printCall)
    const faults = diagnostics.filter(({ source }) => source === 'ASan' || source === 'UBSan')
    if (build.ok) {
      progress(
        faults.length === 0
          ? 'ASan and UBSan report no errors'
          : `ASan and UBSan report ${faults.length === 1 ? 'an error' : `${faults.length} errors`}`,
      )
    }
  }
  return good ? exitCodes.good : exitCodes.failed
}

export const verb = defineVerb({
  name: 'run',
  order: 2,
  description: 'build, and make every call of opsmith.json',
  argument: projectArgument,
  options: {
    counts: flag(
      'count the work of each line of CUDA kernels on the virtual GPU: requests, sectors, bank conflicts, operations',
    ),
    sanitize: flag('build with ASan and UBSan: a call fails if a sanitizer reports an error'),
    json: jsonFlag,
  },
  runsOperators: true,
  launchesKernels: true,
  run: async (workbench, folder, { counts, sanitize, json }) => {
    const isChecked = workbench.projects.kernelVariant === 'checked'
    const given = [
      ...(sanitize ? ['--sanitize'] : []),
      ...(isChecked ? ['--check-kernels'] : []),
      ...(counts ? ['--counts'] : []),
    ]
    if (given.length > 1)
      return refuse(
        `${given.slice(0, 2).join(' and ')} cannot be used together, because each needs a different build. Run the command once for each option.`,
        json,
      )
    return sanitize
      ? await runSanitized(workbench, folder, { json })
      : await runCalls(workbench, folder, { counts, json })
  },
})
