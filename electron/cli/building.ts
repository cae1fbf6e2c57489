import type { BuildReport, BuildStep, KernelResources } from '../contract/build'
import type { Diagnostic, DiagnosticNote } from '../contract/diagnostics'
import type { Result } from '../contract/outcome'
import type { BuildOptions } from '../engine/compile/build'
import { describeKernels } from '../engine/compile/nvcc-output'
import type { Workbench } from '../engine/workbench'
import { interruptSignal } from './interrupt'
import { describeDiagnostic, progress } from './print'

/** Seconds that loading a library may take. */
export const loadTimeout = 60

export type BuildAloudOptions = Pick<BuildOptions, 'cudaArchitectures' | 'timeTrace' | 'withNvcc'>

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

/** Kernels of one source that are listed, a line each; of more than these a summary, and those that spill. */
const mostListed = 16

const spilledBytes = (kernel: KernelResources): number =>
  kernel.spillStoreBytes + kernel.spillLoadBytes

/** What a kernel takes: "    sm_90 add_forces<float>: 40 registers, 512 B shared". */
function resourceLine(kernel: KernelResources): string {
  const { shortName, architecture, registers, sharedBytes, stackBytes } = kernel
  const parts = [
    `${registers} registers`,
    ...(sharedBytes > 0 ? [`${sharedBytes} B shared`] : []),
    ...(stackBytes > 0 ? [`${stackBytes} B stack`] : []),
    spilledBytes(kernel) > 0
      ? `${kernel.spillStoreBytes} B spill stores, ${kernel.spillLoadBytes} B spill loads`
      : 'no spills',
  ]
  return `    sm_${architecture} ${shortName}: ${parts.join(', ')}`
}

/** What the kernels of one source take; all of them with `verbose`. */
export function resourceLines(kernels: readonly KernelResources[], verbose: boolean): string[] {
  if (verbose || kernels.length <= mostListed) return kernels.map(resourceLine)
  const spilling = kernels
    .filter((kernel) => spilledBytes(kernel) > 0)
    .sort((a, b) => spilledBytes(b) - spilledBytes(a))
  return [
    `    ${describeKernels(kernels)} (opsmith build --verbose lists all)`,
    ...spilling.slice(0, mostListed).map(resourceLine),
  ]
}

/** What is printed of a build, besides steps and diagnostics. */
export interface BuildPrintOptions {
  /** What kernels take also where nothing was compiled. */
  showsKernels?: boolean
  /** The compilers' own text of errors, and every kernel. */
  verbose?: boolean
}

type StepCallbacks = Required<Pick<BuildOptions, 'onRemark' | 'onStepStarted' | 'onStepEnded'>>

/** Prints a build to stderr: each step when it starts and when it ends, the errors of a source as soon as it fails. */
export class BuildReporter {
  private readonly printed = new Set<Diagnostic>()
  private readonly printedSteps = new Set<string>()

  constructor(private readonly options: BuildPrintOptions = {}) {}

  readonly callbacks: StepCallbacks = {
    onRemark: (remark) => {
      progress(`  ${remark}`)
    },
    onStepStarted: (kind, label) => {
      progress(`  ${kind} ${label} …`)
    },
    onStepEnded: (step, diagnostics) => {
      this.step(step)
      if (!step.ok) for (const one of diagnostics) if (one.severity === 'error') this.print(one)
    },
  }

  private step(step: BuildStep): void {
    this.printedSteps.add(`${step.kind} ${step.label}`)
    const state = !step.ok ? 'failed' : step.cached ? 'unchanged' : `${step.seconds.toFixed(2)} s`
    progress(`  ${step.kind} ${step.label}: ${state}`)
    const { showsKernels = false, verbose = false } = this.options
    if (!step.ok || (step.cached && !showsKernels)) return
    for (const line of resourceLines(step.kernels ?? [], verbose)) progress(line)
  }

  private print(diagnostic: Diagnostic): void {
    if (this.printed.has(diagnostic)) return
    this.printed.add(diagnostic)
    progress(describeDiagnostic(diagnostic, this.options.verbose))
  }

  /** What has not been printed yet, errors first. */
  end({ steps, diagnostics }: BuildReport): void {
    for (const step of steps) {
      if (!this.printedSteps.has(`${step.kind} ${step.label}`)) this.step(step)
    }
    for (const diagnostic of diagnostics) this.print(diagnostic)
    if (!this.options.verbose && diagnostics.some((diagnostic) => diagnostic.raw !== undefined)) {
      progress(
        "note: some messages are shortened; opsmith build --verbose shows the compiler's own text",
      )
    }
  }
}

/** Builds with progress on stderr; diagnostics are printed there too. */
export async function buildAloud(
  workbench: Workbench,
  project: string,
  options: BuildAloudOptions = {},
  printed: BuildPrintOptions = {},
): Promise<Result<BuildReport>> {
  return await sayBuild(
    (callbacks) =>
      workbench.builds.build(project, { ...callbacks, signal: interruptSignal(), ...options }),
    printed,
  )
}

/** Any build in the same way. */
export async function sayBuild(
  build: (callbacks: StepCallbacks) => Promise<Result<BuildReport>>,
  options: BuildPrintOptions = {},
): Promise<Result<BuildReport>> {
  const reporter = new BuildReporter(options)
  const report = await build(reporter.callbacks)
  if (report.ok) reporter.end(report.value)
  return report
}

/** The headers for the sanitizers are made when they are first needed, which takes a minute. */
export function sayPrecompiling(text: string): void {
  if (text.startsWith('precompiling')) progress(text.trimEnd())
}
