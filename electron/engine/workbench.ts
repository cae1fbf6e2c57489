import path from 'node:path'

import type { HostState } from '../contract/app-calls'
import type { GpuCounts } from '../contract/gpu-counts'
import type { GpuReport } from '../contract/gpu-findings'
import { tracedKernels } from './timing/kernels'
import { Timings } from './timing/timings'
import type { BackgroundEvents } from './builds/background'
import { Builds } from './builds/builds'
import type { BuildEvents } from './builds/builds'
import { noteCacheUser } from './builds/cache-users'
import { HeaderPreparation } from './builds/header-preparation'
import { Libraries } from './builds/libraries'
import { SanitizedBuilds } from './builds/sanitized-builds'
import { Gradchecks } from './check/gradchecks'
import { checkOperator } from './check/check-operator'
import { OperatorChecks } from './check/operator-checks'
import { SanitizedRuns } from './check/sanitized-runs'
import { Doctor } from './doctor/doctor'
import { Git } from './git/git'
import { GpuChecks } from './gpu-check/gpu-checks'
import { Graphs } from './graph/graphs'
import { defaultHostLimits } from './host/host-client'
import type { HostLimits } from './host/host-client'
import { HostPool } from './host/host-pool'
import { defaultMemoryLimit } from './host/memory-limit'
import type { PoolEvents } from './host/host-pool'
import type { SandboxChoice } from './host/sandbox'
import { RelayedHost } from './host/relayed-host'
import type { HostLaunch, HostTransport, StartHost } from './host/transport'
import { ownVersion } from './installation'
import type { Installation } from './installation'
import { Assemblies } from './language/assembly/assemblies'
import { Clangd } from './language/clangd/clangd'
import type { ClangdEvents } from './language/clangd/clangd'
import { LanguageService } from './language/clangd/language-service'
import { Lints } from './language/lints/lints'
import { ProgramChecks } from './language/program/program-checks'
import { ProjectSymbols } from './language/symbols/project-symbols'
import { Profiles } from './profile/profiles'
import { Exports } from './project-export/exports'
import { Projects } from './project/open-project'
import { choosePython } from './project-import/choose-python'
import { PytestRuns } from './pytest/pytest-runs'
import { RecordedCalls } from './pytest/recorded-calls'
import { Runs } from './run/runs'
import { Setup } from './setup/setup'
import { ShardRuns } from './shards/shard-runs'
import { GpuPrograms } from './virtual-gpu/gpu-programs'
import { StepCalls } from './virtual-gpu/stepping/step-calls'
import { KernelReports } from './virtual-gpu/kernel-reports'
import { countReports } from './virtual-gpu/read-counts'
import { checkReports } from './virtual-gpu/read-report'

export interface WorkbenchEvents extends PoolEvents, ClangdEvents, BuildEvents, BackgroundEvents {
  onState?: (state: HostState) => void
  /** What checked kernels have done since the last build. */
  onKernelReport?: (report: GpuReport) => void
  /** What counted kernels have done since the last build. */
  onKernelCounts?: (counts: GpuCounts) => void
}

export interface WorkbenchOptions {
  /** A second op host waits, warm, for the one in use to end. */
  keepSpareHost: boolean
  /** Edits are built by a compile server, where the machine has one and the settings allow it. */
  useCompileServer: boolean
  /** A build whose precompiled headers are missing has them made in the background, for the next. */
  prepareMissingHeaders: boolean
  /** Nothing of a folder is run until the user has trusted it. */
  asksForTrust: boolean
  /** Every build reports the lints' warnings too. */
  lintBuilds: boolean
  /** Op hosts run in a sandbox, unless the settings switch it off; false: whatever they say, in none. */
  allowsSandbox: boolean
}

/** For a window: it builds again and again, and lints while the user types. */
export const windowOptions: WorkbenchOptions = {
  keepSpareHost: true,
  useCompileServer: true,
  prepareMissingHeaders: true,
  asksForTrust: true,
  lintBuilds: false,
  allowsSandbox: true,
}

/** For one command: it builds once, and says all there is to say. */
export const commandOptions: WorkbenchOptions = {
  keepSpareHost: false,
  useCompileServer: false,
  prepareMissingHeaders: false,
  // It does what it was asked to, as make does.
  asksForTrust: false,
  lintBuilds: true,
  allowsSandbox: true,
}

/** The engine as the app, the command line and the tests use it: its services, put together. */
export class Workbench {
  readonly projects: Projects
  readonly hosts: HostPool
  readonly headers: HeaderPreparation
  readonly builds: Builds
  readonly sanitizedBuilds: SanitizedBuilds
  readonly libraries: Libraries
  readonly runs: Runs
  readonly shardRuns: ShardRuns
  readonly graphs: Graphs
  readonly gradchecks: Gradchecks
  readonly operatorChecks: OperatorChecks
  readonly sanitizedRuns: SanitizedRuns
  readonly timings: Timings
  readonly profiles: Profiles
  readonly pytestRuns: PytestRuns
  readonly recordedCalls: RecordedCalls
  readonly exports: Exports
  readonly programChecks: ProgramChecks
  readonly assemblies: Assemblies
  readonly lints: Lints
  readonly clangd: Clangd
  readonly language: LanguageService
  readonly doctor: Doctor
  readonly gpuChecks: GpuChecks
  readonly gpuPrograms: GpuPrograms
  readonly stepCalls: StepCalls
  readonly kernelChecks: KernelReports<GpuReport>
  readonly kernelCounts: KernelReports<GpuCounts>
  readonly git: Git
  readonly setup: Setup
  readonly symbols: ProjectSymbols
  /** Bytes for one op host; 0 for the default. */
  private memoryLimit = 0
  private sandbox: SandboxChoice
  /** Before the command of an op host; [] for this machine. */
  private hostLauncher: readonly string[] = []

  /** Op hosts may run in the sandbox: nobody has switched it off for this workbench. */
  get allowsSandbox(): boolean {
    return this.options.allowsSandbox
  }

  constructor(
    readonly installation: Installation,
    startHost: StartHost,
    events: WorkbenchEvents = {},
    private readonly options: WorkbenchOptions = windowOptions,
  ) {
    noteCacheUser(installation.cacheFolder)
    this.sandbox = { isOn: options.allowsSandbox, writableFolders: [] }
    const sandbox = (): SandboxChoice => this.sandbox
    const startWhereWanted: StartHost = (launch) => this.startWhereWanted(startHost, launch)
    const limits = (): HostLimits => this.hostLimits()
    const { keepSpareHost } = options
    const kernelChecks = new KernelReports(checkReports(installation.root), (report) =>
      events.onKernelReport?.(report),
    )
    const kernelCounts = new KernelReports(countReports(installation.root), (counts) =>
      events.onKernelCounts?.(counts),
    )
    const onKernelReports = (lines: string, folder: string): void => {
      kernelChecks.take(lines, folder)
      kernelCounts.take(lines, folder)
    }
    const hosts = new HostPool(installation, startWhereWanted, {
      isScarce: () => this.hostLauncher.length > 0,
      limits,
      sandbox,
      events: { ...events, onKernelReports },
      keepSpareHost,
    })
    const projects = new Projects(installation, options.asksForTrust)
    const lints = new Lints({ installation, projects })
    const headers = new HeaderPreparation({ installation, projects }, events)
    const builds = new Builds(
      {
        installation,
        projects,
        useCompileServer: options.useCompileServer,
        lint: options.lintBuilds ? (project) => lints.lint(project) : undefined,
        onGoodPlainBuild: (project, report) => this.timings.remember(project, report),
        onMissingHeaders: (missing) => {
          if (options.prepareMissingHeaders) void headers.prepareAgain(missing)
        },
      },
      events,
    )
    const { onOutput } = events
    const newHosts = (environment: Readonly<Record<string, string>>): HostPool =>
      new HostPool(installation, startWhereWanted, {
        environment,
        limits,
        sandbox,
        events: { onKernelReports, ...(onOutput ? { onOutput } : {}) },
        keepSpareHost: false,
      })
    const libraries = new Libraries({ installation, projects, builds, hosts, newHosts })
    const sanitizedBuilds = new SanitizedBuilds({ installation, projects }, events)
    const services = { installation, projects, builds, libraries, sanitizedBuilds, hosts }

    this.projects = projects
    this.hosts = hosts
    this.headers = headers
    this.builds = builds
    this.sanitizedBuilds = sanitizedBuilds
    this.libraries = libraries
    this.lints = lints
    this.runs = new Runs(services)
    this.shardRuns = new ShardRuns(installation)
    this.graphs = new Graphs(services)
    this.gradchecks = new Gradchecks(services)
    this.operatorChecks = new OperatorChecks({
      ...services,
      programFunctions: (project) => this.runs.programFunctions(project),
      locateKernelFindings: async (lines, folder) =>
        (await kernelChecks.read(lines, folder)).findings,
    })
    this.sanitizedRuns = new SanitizedRuns(services)
    this.timings = new Timings({
      ...services,
      ownWork: () => [this.clangd.ownWork(), builds.ownWork()],
    })
    this.profiles = new Profiles(services)
    this.pytestRuns = new PytestRuns({
      ...services,
      choosePython: (folder, named) => choosePython(installation, folder, named),
    })
    this.recordedCalls = new RecordedCalls((folder, entry) =>
      this.operatorChecks.keep(folder, entry),
    )
    this.exports = new Exports(services)
    this.programChecks = new ProgramChecks(services)
    this.assemblies = new Assemblies({
      ...services,
      keptBuild: (project, wanted) => this.timings.keptBuild(project, wanted),
    })
    this.clangd = new Clangd(services, events)
    this.language = new LanguageService(this.clangd)
    this.doctor = new Doctor({
      ...services,
      choosePython: (folder) => choosePython(installation, folder, ''),
    })
    this.gpuChecks = new GpuChecks({ ...services, readKernels: tracedKernels, checkOperator })
    this.gpuPrograms = new GpuPrograms(services)
    this.stepCalls = new StepCalls(services)
    this.kernelChecks = kernelChecks
    this.kernelCounts = kernelCounts
    this.git = new Git(services)
    this.setup = new Setup({ installation, projects, headers })
    this.symbols = new ProjectSymbols(services)
  }

  /** Another build was loaded: what older kernels did counts no more. */
  forgetKernelReports(): void {
    this.kernelChecks.clear()
    this.kernelCounts.clear()
  }

  /** On this machine, or on the node of a launcher. */
  private startWhereWanted(startHere: StartHost, launch: HostLaunch): HostTransport {
    if (this.hostLauncher.length === 0) return startHere(launch)
    const { hostEntry, root } = this.installation
    const program = path.join(path.dirname(hostEntry), 'cli.cjs')
    return new RelayedHost(this.hostLauncher, { program, version: ownVersion(root) }, launch)
  }

  private hostLimits(): HostLimits {
    const memoryBytes = this.memoryLimit === 0 ? defaultMemoryLimit() : this.memoryLimit
    return { ...defaultHostLimits, memoryBytes }
  }

  /** Takes the user's settings; called at the start and whenever they change. */
  async applySettings(): Promise<void> {
    const { memoryLimit, sandbox, writableFolders, hostLauncher } = await this.projects.settings()
    // What was written by hand may be a fraction, and the addon reads whole bytes.
    this.memoryLimit = Math.min(Math.floor(memoryLimit), Number.MAX_SAFE_INTEGER)
    this.sandbox = { isOn: sandbox && this.options.allowsSandbox, writableFolders }
    this.hostLauncher = hostLauncher
    this.hosts.followSandbox()
    await this.clangd.refresh()
  }

  /** Ends op hosts and work in the background. */
  async close(): Promise<void> {
    this.headers.close()
    this.clangd.shutDown()
    await Promise.all([this.builds.close(), this.hosts.close()])
  }
}
