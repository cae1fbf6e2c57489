import { shortKernelName } from '../contract/build'
import type { BuildReport, KernelResources } from '../contract/build'
import type { Diagnostic } from '../contract/diagnostics'
import type { Result } from '../contract/outcome'
import type { BuildOptions } from '../engine/compile/build'
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

export type BuildAloudOptions = Pick<BuildOptions, 'cudaArchitectures'>

/** The published form: one flat list, notes after what they explain. */
export function flatDiagnostics(diagnostics: readonly Diagnostic[]): object[] {
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

/** What a kernel takes, a line each: "    sm_90 add_forces<float>: 40 registers, 512 B shared". */
export function resourceLines(kernels: readonly KernelResources[]): string[] {
  return kernels.map((kernel) => {
    const { name, architecture, registers, sharedBytes, stackBytes } = kernel
    const spilled = kernel.spillStoreBytes + kernel.spillLoadBytes
    const parts = [
      `${registers} registers`,
      ...(sharedBytes > 0 ? [`${sharedBytes} B shared`] : []),
      ...(stackBytes > 0 ? [`${stackBytes} B stack`] : []),
      spilled > 0
        ? `spills ${kernel.spillStoreBytes} B, reads back ${kernel.spillLoadBytes} B`
        : 'no spills',
    ]
    return `    sm_${architecture} ${shortKernelName(name)}: ${parts.join(', ')}`
  })
}

/** Builds with progress on stderr; diagnostics are printed there too. */
export async function buildAloud(
  workbench: Workbench,
  project: string,
  options: BuildAloudOptions = {},
  /** What kernels take also where nothing was compiled. */
  showsKernels = false,
): Promise<Result<BuildReport>> {
  const build = await workbench.build(project, {
    signal: interruptSignal(),
    onRemark: (remark) => {
      progress(`  ${remark}`)
    },
    ...options,
  })
  return sayBuild(build, showsKernels)
}

/** The headers for the sanitizers are made when they are first needed, which takes a minute. */
export function sayPrecompiling(text: string): void {
  if (text.startsWith('precompiling')) progress(text.trimEnd())
}

/** Its steps and diagnostics, on stderr. */
export function sayBuild(build: Result<BuildReport>, showsKernels = false): Result<BuildReport> {
  if (!build.ok) return build
  for (const step of build.value.steps) {
    const state = !step.ok ? 'failed' : step.cached ? 'unchanged' : `${step.seconds.toFixed(2)} s`
    progress(`  ${step.kind === 'link' ? 'link' : 'compile'} ${step.label}: ${state}`)
    if (showsKernels || !step.cached) {
      for (const line of resourceLines(step.kernels ?? [])) progress(line)
    }
  }
  for (const diagnostic of build.value.diagnostics) progress(describeDiagnostic(diagnostic))
  return build
}

export async function runBuild(
  workbench: Workbench,
  project: string,
  options: { json: boolean; sanitize: boolean } & BuildAloudOptions,
): Promise<number> {
  const { json, sanitize, ...more } = options
  const build = sanitize
    ? sayBuild(
        await workbench.sanitizedRuns.build(project, {
          signal: interruptSignal(),
          onOutput: sayPrecompiling,
        }),
        true,
      )
    : await buildAloud(workbench, project, more, true)
  if (!build.ok) return printError(build.error, json)
  if (json) printJson(buildJson(build.value))
  else if (build.value.ok) {
    // The sanitizers' variant stays in the cache: what lies in the project is what is timed.
    process.stdout.write(`${sanitize ? build.value.loadPath : build.value.library}\n`)
    progress(
      `built in ${build.value.seconds.toFixed(2)} s with ${build.value.compiler}, libtorch ${build.value.libtorch}`,
    )
  } else progress('the build failed')
  return build.value.ok ? exitCodes.good : exitCodes.failed
}
