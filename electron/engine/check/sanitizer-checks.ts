import type { CheckEntry } from '../../contract/manifest'
import type { PlacedFinding, SanitizerCheck } from '../../contract/operator-check'
import { ok } from '../../contract/outcome'
import type { Result, WorkbenchError } from '../../contract/outcome'
import type { OpenProject } from '../project/open-project'
import { requestOf, skippedFinding } from './operator-check-case'
import type { AskedOfAll } from './operator-check-case'
import { errorsOfOneCheck } from './outcome-errors'
import { SanitizedCalls } from './sanitized-calls'
import type { SanitizedCallServices } from './sanitized-calls'

export interface OperatorCheckLimits {
  /** Seconds for each operator; 0 for the default of 120. */
  timeout: number
  signal?: AbortSignal
  /** Nobody waits for it. */
  isBackground?: boolean
}

const defaultTimeout = 120

/** The entry's own time, else that of the command, else the default. */
export function withTimeout(
  entry: Pick<CheckEntry, 'timeout'>,
  limits: OperatorCheckLimits,
): OperatorCheckLimits {
  const asked = limits.timeout === 0 ? defaultTimeout : limits.timeout
  return { ...limits, timeout: entry.timeout ?? asked }
}

export interface SanitizedFindings {
  findings: PlacedFinding[]
  seconds: number
}

/** The sanitizers' checks of one run: the variant is built, and its op host started, once it is needed. */
export class SanitizerChecks {
  private opened: Promise<Result<SanitizedCalls>> | undefined

  constructor(
    private readonly services: SanitizedCallServices,
    private readonly project: OpenProject,
    /** Of every operator, whatever opsmith.json names. */
    readonly asked: AskedOfAll,
  ) {}

  /**
   * What they find in the calls of an entry that asks for them; where they cannot be had, their checks
   * are skipped with the reason. Errors are about the operator, or Stop.
   */
  async findings(
    entry: CheckEntry,
    limits: OperatorCheckLimits,
  ): Promise<Result<SanitizedFindings>> {
    const { inputs } = this.project.manifest
    const { sanitized, calls } = requestOf(entry, inputs, this.asked)
    if (sanitized.length === 0) return ok({ findings: [], seconds: 0 })
    const started = performance.now()
    const program = await this.project.program()
    if (!program.ok) return program
    this.opened ??= SanitizedCalls.build(this.services, this.project, limits.signal)
    const opened = await this.opened
    if (!opened.ok) {
      return opened.error.code === 'cancelled' ? opened : ok(skipped(sanitized, opened.error))
    }
    const own = program.value ? { program: program.value } : {}
    const request = { ...calls, edges: [], ...own }
    const found = await opened.value.run(request, withTimeout(entry, limits))
    if (!found.ok) {
      const { code } = found.error
      return code === 'cancelled' || errorsOfOneCheck.has(code)
        ? found
        : ok(skipped(sanitized, found.error))
    }
    const asked = new Set<string>(sanitized)
    return ok({
      findings: found.value.filter((finding) => asked.has(finding.check)),
      seconds: (performance.now() - started) / 1000,
    })
  }

  async close(): Promise<void> {
    const calls = await this.opened
    if (calls?.ok) await calls.value.close()
  }
}

/** They cannot be had here. */
function skipped(
  checks: readonly SanitizerCheck[],
  { message, hint, detail }: WorkbenchError,
): SanitizedFindings {
  // Why a runtime ends the process that it was to watch, as for memory that is laid out otherwise.
  const said = /==\d+==.*$/m.exec(detail ?? '')?.[0]
  const reason = [message, hint, said].filter((text) => text !== undefined).join(' ')
  return { findings: checks.map((check) => skippedFinding(check, reason)), seconds: 0 }
}
