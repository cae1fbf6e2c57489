import type { Call, Manifest } from '../../contract/manifest'
import type { Result, WorkbenchError } from '../../contract/outcome'
import type { RunReport } from '../../contract/run'
import { readManifest } from '../../engine/project/read-manifest'
import { readSettings } from '../../engine/project/settings-file'
import type { Workbench } from '../../engine/workbench'
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
  options: { json: boolean },
): Promise<number> {
  const manifest = await readManifest(project)
  if (!manifest.ok) return printError(manifest.error, options.json)
  const build = await buildAloud(workbench, project)
  if (!build.ok) return printError(build.error, options.json)
  if (!build.value.ok) {
    if (options.json) printJson({ ok: false, calls: [], build: buildJson(build.value) })
    return exitCodes.failed
  }
  if (manifest.value.calls.length === 0) progress('opsmith.json has no calls.')
  const outcomes = await makeCalls(workbench, project, manifest.value)
  const good = outcomes.every((outcome) => outcome.ok)
  if (options.json) {
    const kernels = await kernelReportJson(workbench)
    printJson({ ok: good, calls: outcomes.map(callJson), ...kernels })
  } else outcomes.forEach(printCall)
  return good ? exitCodes.good : exitCodes.failed
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
          ? 'ASan and UBSan report no faults'
          : `ASan and UBSan report ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}`,
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
    sanitize: flag('build with ASan and UBSan: a call fails if they report something'),
    json: jsonFlag,
  },
  runsOperators: true,
  launchesKernels: true,
  run: (workbench, folder, { sanitize, json }) =>
    sanitize && workbench.projects.checksKernels
      ? Promise.resolve(
          refuse(
            '--sanitize and --check-kernels cannot be used together, because each needs another build. Run the command twice.',
            json,
          ),
        )
      : sanitize
        ? runSanitized(workbench, folder, { json })
        : runCalls(workbench, folder, { json }),
})
