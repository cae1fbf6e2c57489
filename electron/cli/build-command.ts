import type { BuildReport } from '../contract/build'
import type { Diagnostic } from '../contract/diagnostics'
import type { Result } from '../contract/outcome'
import type { BuildOptions } from '../engine/compile/build'
import type { Workbench } from '../engine/workbench'
import { exitCodes } from './exit-codes'
import {
  callerPath,
  describeDiagnostic,
  printError,
  printJson,
  printLines,
  progress,
} from './print'
import { timeTraceJson, timeTraceText, writeTrace } from './time-trace-text'

/** Seconds that loading a library may take. */
export const loadTimeout = 60

/** Ctrl+C ends compilers as a tree before it ends us. */
export function interruptSignal(): AbortSignal {
  const controller = new AbortController()
  process.once('SIGINT', () => {
    controller.abort()
  })
  process.once('SIGTERM', () => {
    controller.abort()
  })
  return controller.signal
}

/** The published form: one flat list, notes after what they explain. */
function flatDiagnostics(diagnostics: readonly Diagnostic[]): object[] {
  return diagnostics.flatMap((diagnostic) =>
    [diagnostic, ...diagnostic.notes].map(({ severity, file, line, column, message }) => ({
      severity,
      file,
      line,
      column,
      message,
    })),
  )
}

export function buildJson(report: BuildReport): object {
  return {
    ok: report.ok,
    seconds: report.seconds,
    library: report.library,
    addon: report.addon,
    diagnostics: flatDiagnostics(report.diagnostics),
    steps: report.steps,
    compiler: report.compiler,
    libtorch: report.libtorch,
  }
}

/** Builds with progress on stderr; diagnostics are printed there too. */
export async function buildAloud(
  workbench: Workbench,
  project: string,
  options: Pick<BuildOptions, 'timeTrace'> = {},
): Promise<Result<BuildReport>> {
  const build = await workbench.build(project, { ...options, signal: interruptSignal() })
  if (!build.ok) return build
  for (const step of build.value.steps) {
    const state = !step.ok ? 'failed' : step.cached ? 'unchanged' : `${step.seconds.toFixed(2)} s`
    progress(`  ${step.kind === 'link' ? 'link' : 'compile'} ${step.label}: ${state}`)
  }
  for (const diagnostic of build.value.diagnostics) progress(describeDiagnostic(diagnostic))
  return build
}

export interface GivenBuildOptions {
  json?: boolean
  /** true without a file. */
  timeTrace?: string | true
}

export async function runBuild(
  workbench: Workbench,
  project: string,
  given: GivenBuildOptions,
): Promise<number> {
  const json = given.json ?? false
  const traced = given.timeTrace !== undefined
  const build = await buildAloud(workbench, project, { timeTrace: traced })
  if (!build.ok) return printError(build.error, json)
  const { ok: isGood, timeTrace } = build.value
  // Loading is the last part of what one waits for.
  const load =
    traced && isGood ? await workbench.load(project, { timeout: loadTimeout }) : undefined
  const loadSeconds = load?.ok ? load.value.seconds : undefined
  if (timeTrace && typeof given.timeTrace === 'string') {
    const file = callerPath(given.timeTrace)
    const written = await writeTrace(file, timeTrace, loadSeconds)
    if (!written.ok) return printError(written.error, json)
    progress(`${file}: open it with ui.perfetto.dev or chrome://tracing`)
  }
  if (json) {
    printJson({
      ...buildJson(build.value),
      ...(timeTrace ? { timeTrace: timeTraceJson(timeTrace, loadSeconds) } : {}),
    })
  } else if (isGood) {
    process.stdout.write(`${build.value.library}\n`)
    if (timeTrace) printLines(timeTraceText(timeTrace, loadSeconds))
    progress(
      `built in ${build.value.seconds.toFixed(2)} s with ${build.value.compiler}, libtorch ${build.value.libtorch}`,
    )
  } else progress('the build failed')
  return isGood ? exitCodes.good : exitCodes.failed
}
