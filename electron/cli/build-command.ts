import type { BuildReport } from '../contract/build'
import type { Diagnostic, DiagnosticNote } from '../contract/diagnostics'
import type { Result } from '../contract/outcome'
import type { Workbench } from '../engine/workbench'
import { exitCodes } from './exit-codes'
import { describeDiagnostic, printError, printJson, progress } from './print'

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
  const plain = ({ severity, file, line, column, message }: DiagnosticNote): object => ({
    severity,
    file,
    line,
    column,
    message,
  })
  return diagnostics.flatMap((diagnostic) => {
    const { raw, explanation } = diagnostic
    // What a shorter message stands for; absent where the compiler's own is short enough.
    const more = { ...(raw && { raw }), ...(explanation && { explanation }) }
    return [{ ...plain(diagnostic), ...more }, ...diagnostic.notes.map(plain)]
  })
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
  verbose = false,
): Promise<Result<BuildReport>> {
  const build = await workbench.build(project, { signal: interruptSignal() })
  if (!build.ok) return build
  for (const step of build.value.steps) {
    const state = !step.ok ? 'failed' : step.cached ? 'unchanged' : `${step.seconds.toFixed(2)} s`
    progress(`  ${step.kind === 'link' ? 'link' : 'compile'} ${step.label}: ${state}`)
  }
  const { diagnostics } = build.value
  for (const diagnostic of diagnostics) progress(describeDiagnostic(diagnostic, verbose))
  if (!verbose && diagnostics.some((diagnostic) => diagnostic.raw !== undefined)) {
    progress("note: opsmith build --verbose shows the compiler's own text")
  }
  return build
}

export async function runBuild(
  workbench: Workbench,
  project: string,
  options: { json: boolean; verbose: boolean },
): Promise<number> {
  const build = await buildAloud(workbench, project, options.verbose)
  if (!build.ok) return printError(build.error, options.json)
  if (options.json) printJson(buildJson(build.value))
  else if (build.value.ok) {
    process.stdout.write(`${build.value.library}\n`)
    progress(
      `built in ${build.value.seconds.toFixed(2)} s with ${build.value.compiler}, libtorch ${build.value.libtorch}`,
    )
  } else progress('the build failed')
  return build.value.ok ? exitCodes.good : exitCodes.failed
}
