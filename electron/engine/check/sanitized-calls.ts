import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'

import type { HostInput } from '../../contract/host-calls'
import type { OperatorCheckRequest, PlacedFinding } from '../../contract/operator-check'
import { ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { RunReport } from '../../contract/run'
import type { SanitizedCall } from '../../contract/sanitize'
import type { SanitizedBuild, SanitizedBuilds } from '../builds/sanitized-builds'
import { HostPool } from '../host/host-pool'
import { defaultMemoryLimit } from '../host/memory-limit'
import { defaultHostLimits } from '../host/host-client'
import { hostsFolder } from '../host/sandbox'
import { startHostWith } from '../host/transport'
import type { Installation } from '../installation'
import { findAddon } from '../toolchain/addon-location'
import type { OpenProject } from '../project/open-project'
import { plainNodeOf } from '../toolchain/sanitizer-runtime'
import type { SanitizerRuntime } from '../toolchain/sanitizer-runtime'
import { findingsOf } from './sanitizer-findings'
import type { Said } from './sanitizer-findings'
import { parseSanitizerLog } from './sanitizer-report'

interface SanitizedLimits {
  timeout: number
  signal?: AbortSignal
}

const keptOutput = 1 << 20
const hostLogName = 'host'

export interface SanitizedCallServices {
  installation: Installation
  sanitizedBuilds: SanitizedBuilds
  /** Those of the calls without sanitizers, for the user's choice of a sandbox. */
  hosts: Pick<HostPool, 'sandboxChoice'>
}

const optionText = (options: Record<string, string | number>): string =>
  Object.entries(options)
    .map(([name, value]) => `${name}=${value}`)
    .join(':')

/** Environment of an op host that sanitizers watch; the calls write their logs to the folder `logs`. */
function watchedEnvironment(
  runtime: SanitizerRuntime,
  logs: string,
  hasCuda: boolean,
  inHost: boolean,
): Record<string, string> {
  // What the op host prints may come after its answer; a file is there before it.
  const ownLog: { log_path?: string } = inHost ? { log_path: path.join(logs, hostLogName) } : {}
  // 2: nobody may take the signal from ASan, neither our crash reporter, which knows nothing of
  // allocations, nor the copies of the process that calls run in.
  const signals = ['segv', 'sigbus', 'sigfpe', 'sigill', 'abort']
  return {
    // Before Node's own libraries and libtorch, so that their allocations are seen too.
    LD_PRELOAD: runtime.preload.join(' '),
    ASAN_OPTIONS: optionText({
      ...Object.fromEntries(signals.map((name) => [`handle_${name}`, 2])),
      halt_on_error: 1,
      // Node and libtorch keep much to their end; memory after many calls is another check's.
      detect_leaks: 0,
      detect_stack_use_after_return: 1,
      // libtorch has its own words for an allocation that is too large.
      allocator_may_return_null: 1,
      // We find the lines: a symbolizer in each copy of the process would read libtorch each time.
      symbolize: 0,
      ...(hasCuda ? { protect_shadow_gap: 0 } : {}),
      ...ownLog,
    }),
    UBSAN_OPTIONS: optionText({
      print_stacktrace: 1,
      report_error_type: 1,
      halt_on_error: 0,
      symbolize: 0,
      ...ownLog,
    }),
  }
}

/** Calls of a project's operators in a build that ASan and UBSan watch, in op hosts of its own. */
export class SanitizedCalls {
  private constructor(
    private readonly folder: string,
    private readonly loadPath: string,
    private readonly hosts: HostPool,
    private readonly written: {
      /** The folder of the sanitizers' logs. */
      logs: string
      /** What the op host itself wrote to stderr. */
      printed: string
    },
  ) {}

  /**
   * Builds the project with the sanitizers, for run(); the op host starts at the first call. Errors: no runtime
   * (toolchain.missing), a build that fails (build.required), Stop.
   */
  static async build(
    services: SanitizedCallServices,
    project: OpenProject,
    signal: AbortSignal | undefined,
  ): Promise<Result<SanitizedCalls>> {
    const node = plainNodeOf(services.installation)
    if (!node.ok) return node
    const built = await services.sanitizedBuilds.buildOrFail(project, signal ? { signal } : {})
    return built.ok ? SanitizedCalls.open(services, project, built.value, { inHost: false }) : built
  }

  /**
   * Of a good build; the op host starts at the first call. Errors: no runtime (toolchain.missing).
   * @param options.inHost for call(): calls are made in the op host itself, not in copies of it
   */
  static open(
    { installation, hosts: plain }: Omit<SanitizedCallServices, 'sanitizedBuilds'>,
    { folder }: OpenProject,
    { libtorch, runtime, build }: SanitizedBuild,
    { inHost }: { inHost: boolean },
  ): Result<SanitizedCalls> {
    const node = plainNodeOf(installation)
    if (!node.ok) return node
    const addon = findAddon(installation, libtorch)
    if (!addon.ok) return addon
    const logs = path.join(
      fs.realpathSync(hostsFolder(installation)),
      `sanitizers-${process.pid}-${randomUUID().slice(0, 8)}`,
    )
    fs.mkdirSync(logs, { recursive: true })
    const environment = watchedEnvironment(runtime, logs, libtorch.hasCuda, inHost)
    const written = { logs, printed: '' }
    const hosts = new HostPool(
      { ...installation, addonFolder: addon.value },
      (launch) =>
        startHostWith(node.value, {
          ...launch,
          environment: { ...launch.environment, ...environment },
        }),
      {
        limits: () => ({ ...defaultHostLimits, memoryBytes: defaultMemoryLimit() }),
        sandbox: plain.sandboxChoice,
        events: {
          onOutput: (_generation, stream, text) => {
            if (stream === 'stderr') written.printed = (written.printed + text).slice(-keptOutput)
          },
        },
        keepSpareHost: false,
      },
    )
    hosts.useProject(folder)
    return ok(new SanitizedCalls(folder, build.loadPath, hosts, written))
  }

  /**
   * Calls an operator with the inputs asked for and with others: findings of both sanitizers, at least
   * one of each. What the operator throws is no finding. An error: the operator is not there, its
   * library cannot be loaded, the time is up, Stop.
   */
  async run(
    request: OperatorCheckRequest,
    limits: SanitizedLimits,
  ): Promise<Result<PlacedFinding[]>> {
    const loaded = await this.hosts.load(this.loadPath, limits)
    const answer = loaded.ok
      ? await this.hosts.call(
          'operatorCheck.sanitized',
          { ...request, logs: this.written.logs },
          { ...limits, phase: `check ${request.op} with sanitizers` },
        )
      : loaded
    const calls = answer.ok ? answer.value.calls : []
    const reports = this.readLogs(calls)
    // What a static constructor does wrong ends the host, and is a finding too.
    if (!answer.ok && (reports.length === 0 || answer.error.code === 'cancelled')) return answer
    return ok(
      await findingsOf(calls, reports, {
        folder: this.folder,
        library: path.basename(this.loadPath),
      }),
    )
  }

  /** What the sanitizers have written since the last time, for each call and for the op host itself. */
  private readLogs(calls: readonly SanitizedCall[]): Said[] {
    const said = (text: string, call: SanitizedCall | undefined): Said[] => {
      const { reports, allocations } = parseSanitizerLog(text)
      return reports.map((report) => ({ report, call, allocations }))
    }
    const ofPrinted = said(this.written.printed, undefined)
    this.written.printed = ''
    const ofHost = fs
      .readdirSync(this.written.logs)
      .filter((name) => name.startsWith(`${hostLogName}.`))
      .flatMap((name) => said(this.takeLog(name), undefined))
    const ofCalls = calls.flatMap((call) => {
      const name = String(call.process)
      return fs.existsSync(path.join(this.written.logs, name)) ? said(this.takeLog(name), call) : []
    })
    return [...ofPrinted, ...ofHost, ...ofCalls]
  }

  /** The op host may still hold it open: it is emptied, not taken away. */
  private takeLog(name: string): string {
    const file = path.join(this.written.logs, name)
    const text = fs.readFileSync(file, 'utf8')
    fs.truncateSync(file)
    return text
  }

  /**
   * One call with its own inputs, in the op host itself: its answer, and what the sanitizers found. After
   * an error of ASan's the host has ended, and so the call; the next one starts another.
   */
  async call(
    request: HostInput<'operator.run'>,
    limits: SanitizedLimits,
  ): Promise<{ answer: Result<RunReport>; findings: PlacedFinding[] }> {
    const loaded = await this.hosts.load(this.loadPath, limits)
    const answer = loaded.ok
      ? await this.hosts.call('operator.run', request, {
          ...limits,
          phase: `call ${request.op} with sanitizers`,
        })
      : loaded
    const library = path.basename(this.loadPath)
    const found = await findingsOf([], this.readLogs([]), { folder: this.folder, library })
    return { answer, findings: found.filter(({ status }) => status === 'failed') }
  }

  async close(): Promise<void> {
    await this.hosts.close()
    fs.rmSync(this.written.logs, { recursive: true, force: true })
  }
}
