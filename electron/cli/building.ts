import type { BuildReport, KernelResources } from '../contract/build'
import type { Diagnostic, DiagnosticNote } from '../contract/diagnostics'
import type { Result } from '../contract/outcome'
import type { BuildOptions } from '../engine/compile/build'
import type { Workbench } from '../engine/workbench'
import { endingSignals } from './ending-signals'
import { describeDiagnostic, progress } from './print'

/** Seconds that loading a library may take. */
export const loadTimeout = 60

/** Ctrl+C, and a terminal that is closed, end compilers as a tree before they end us. */
export function interruptSignal(): AbortSignal {
  const controller = new AbortController()
  for (const signal of endingSignals) {
    process.once(signal, () => {
      controller.abort()
    })
  }
  return controller.signal
}

export type BuildAloudOptions = Pick<BuildOptions, 'cudaArchitectures' | 'timeTrace'>

/** The published form: one flat list, notes after what they explain. */
export function flatDiagnostics(diagnostics: readonly Diagnostic[]): object[] {
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

/** What a kernel takes, a line each: "    sm_90 add_forces<float>: 40 registers, 512 B shared". */
export function resourceLines(kernels: readonly KernelResources[]): string[] {
  return kernels.map((kernel) => {
    const { shortName, architecture, registers, sharedBytes, stackBytes } = kernel
    const spilled = kernel.spillStoreBytes + kernel.spillLoadBytes
    const parts = [
      `${registers} registers`,
      ...(sharedBytes > 0 ? [`${sharedBytes} B shared`] : []),
      ...(stackBytes > 0 ? [`${stackBytes} B stack`] : []),
      spilled > 0
        ? `spills ${kernel.spillStoreBytes} B, reads back ${kernel.spillLoadBytes} B`
        : 'no spills',
    ]
    return `    sm_${architecture} ${shortName}: ${parts.join(', ')}`
  })
}

/** Builds with progress on stderr; diagnostics are printed there too. */
export async function buildAloud(
  workbench: Workbench,
  project: string,
  options: BuildAloudOptions = {},
  /** What kernels take also where nothing was compiled. */
  showsKernels = false,
  verbose = false,
): Promise<Result<BuildReport>> {
  const build = await workbench.builds.build(project, {
    signal: interruptSignal(),
    onRemark: (remark) => {
      progress(`  ${remark}`)
    },
    ...options,
  })
  return sayBuild(build, showsKernels, verbose)
}

/** The headers for the sanitizers are made when they are first needed, which takes a minute. */
export function sayPrecompiling(text: string): void {
  if (text.startsWith('precompiling')) progress(text.trimEnd())
}

/** Its steps and diagnostics, on stderr. */
export function sayBuild(
  build: Result<BuildReport>,
  showsKernels = false,
  verbose = false,
): Result<BuildReport> {
  if (!build.ok) return build
  for (const step of build.value.steps) {
    const state = !step.ok ? 'failed' : step.cached ? 'unchanged' : `${step.seconds.toFixed(2)} s`
    progress(`  ${step.kind === 'link' ? 'link' : 'compile'} ${step.label}: ${state}`)
    if (showsKernels || !step.cached) {
      for (const line of resourceLines(step.kernels ?? [])) progress(line)
    }
  }
  const { diagnostics } = build.value
  for (const diagnostic of diagnostics) progress(describeDiagnostic(diagnostic, verbose))
  if (!verbose && diagnostics.some((diagnostic) => diagnostic.raw !== undefined)) {
    progress("note: opsmith build --verbose shows the compiler's own text")
  }
  return build
}
