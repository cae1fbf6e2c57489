import type { BuildReport } from '../../contract/build'
import type { Diagnostic } from '../../contract/diagnostics'
import type { Call } from '../../contract/manifest'
import type { PlacedFinding } from '../../contract/operator-check'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { RunReport } from '../../contract/run'
import type { SanitizedRun } from '../../contract/sanitize'
import type { SanitizedBuildOptions, SanitizedBuilds } from '../builds/sanitized-builds'
import { placeError } from '../error-place'
import type { HostPool } from '../host/host-pool'
import type { Installation } from '../installation'
import type { Projects } from '../project/open-project'
import { SanitizedCalls } from './sanitized-calls'

export interface SanitizedRunOptions extends SanitizedBuildOptions {
  /** Seconds for a call that has no limit of its own. */
  timeout: number
  onCall?: (call: Call, answer: Result<RunReport>) => void
}

interface SanitizedRunServices {
  installation: Installation
  projects: Projects
  sanitizedBuilds: SanitizedBuilds
  hosts: HostPool
}

const sanitizers: Partial<Record<PlacedFinding['check'], string>> = {
  address_sanitizer: 'ASan',
  undefined_behaviour_sanitizer: 'UBSan',
}

/** A report where the fault is, its stack as notes. */
function diagnosticOf(finding: PlacedFinding, op: string): Diagnostic {
  const { sanitizer, advice } = finding
  const stack = [
    ['called from here', sanitizer?.stack.slice(1) ?? []],
    ['allocated here', sanitizer?.allocated ?? []],
    ['freed here', sanitizer?.freed ?? []],
  ] as const
  const notes = stack.flatMap(([message, frames]) =>
    frames
      .filter((frame) => frame.isUser && frame.file !== undefined)
      .map((frame) => ({
        severity: 'note' as const,
        file: frame.file ?? '',
        line: frame.line ?? 0,
        column: 0,
        message: `${message}: ${frame.symbol}`,
      })),
  )
  return {
    severity: 'error',
    file: finding.file ?? '',
    line: finding.line ?? 0,
    column: 0,
    message: `${finding.reason} (in a call of ${op})`,
    source: sanitizers[finding.check] ?? 'opsmith',
    code: sanitizer?.kind ?? '',
    notes,
    ...(advice === '' ? {} : { explanation: advice }),
  }
}

/** ASan ends the process at its first error: the fault is what there is to know, not how the host ended. */
function endedBy(answer: Result<RunReport>, findings: readonly PlacedFinding[]): Result<RunReport> {
  const fault = findings.find(({ check }) => check === 'address_sanitizer')
  if (answer.ok || !answer.error.exit || !fault) return answer
  return err(answer.error.code, `ASan ended the call: ${fault.reason}`, {
    ...(fault.file === undefined ? {} : { file: fault.file, line: fault.line ?? 0 }),
  })
}

/** A project built with ASan and UBSan beside its plain build, and its calls made in it. */
export class SanitizedRuns {
  constructor(private readonly services: SanitizedRunServices) {}

  /** Builds, and makes every call of opsmith.json. What does not compile is an outcome, as in a build. */
  async run(folder: string, options: SanitizedRunOptions): Promise<Result<SanitizedRun>> {
    const { projects, sanitizedBuilds } = this.services
    const { timeout, onCall, ...buildOptions } = options
    const opened = await projects.open(folder)
    if (!opened.ok) return opened
    const project = opened.value
    const { inputs } = project.manifest
    const program = await project.program()
    if (!program.ok) return program
    const sanitized = await sanitizedBuilds.build(project, buildOptions)
    if (!sanitized.ok) return sanitized
    const { build } = sanitized.value
    if (!build.ok) return ok({ build, calls: [], diagnostics: build.diagnostics })
    const calls = SanitizedCalls.open(this.services, project, sanitized.value, { inHost: true })
    if (!calls.ok) return calls
    const run: SanitizedRun = { build, calls: [], diagnostics: [...build.diagnostics] }
    const seen = new Set<string>()
    try {
      for (const call of project.manifest.calls) {
        const { answer, findings } = await calls.value.call(
          {
            op: call.op,
            args: call.args,
            inputs,
            ...(call.reference === undefined ? {} : { reference: call.reference }),
            ...(call.rtol === undefined ? {} : { rtol: call.rtol }),
            ...(call.atol === undefined ? {} : { atol: call.atol }),
            ...(program.value ? { program: program.value } : {}),
          },
          {
            timeout: call.timeout ?? timeout,
            ...(options.signal ? { signal: options.signal } : {}),
          },
        )
        if (!answer.ok && answer.error.code === 'cancelled') return answer
        const placed = placeError(endedBy(answer, findings), project.folder)
        onCall?.(call, placed)
        const message = placed.ok ? '' : placed.error.message
        run.calls.push({ op: call.op, findings: findings.length, message })
        for (const diagnostic of findings.map((one) => diagnosticOf(one, call.op))) {
          // Several calls come by the same fault.
          const key = `${diagnostic.code} ${diagnostic.file}:${diagnostic.line}`
          if (!seen.has(key)) run.diagnostics.push(diagnostic)
          seen.add(key)
        }
      }
    } finally {
      await calls.value.close()
    }
    return ok(run)
  }

  /** Builds only; the report names the library in the cache. */
  async build(folder: string, options: SanitizedBuildOptions): Promise<Result<BuildReport>> {
    const sanitized = await this.services.sanitizedBuilds.build(folder, options)
    return sanitized.ok ? ok(sanitized.value.build) : sanitized
  }
}
