import fs from 'node:fs/promises'
import path from 'node:path'

import type { BuildAndLoad, HostState } from '../contract/app-calls'
import type { BuildReport } from '../contract/build'
import type { DoctorReport } from '../contract/doctor'
import { manifestFileName } from '../contract/manifest'
import type { Manifest } from '../contract/manifest'
import type { LoadReport, OperatorDetail } from '../contract/operators'
import { err, ok } from '../contract/outcome'
import type { Result, WorkbenchError } from '../contract/outcome'
import type { ProgramFunction, ProgramSource, RunReport, RunRequest } from '../contract/run'
import type { OwnWork } from './at-rest'
import { Benchmarks } from './bench/benchmarks'
import { Gradchecks } from './check/gradchecks'
import { Opchecks } from './check/opchecks'
import type { SanitizedBuild } from './check/sanitized-calls'
import { SanitizedRuns } from './check/sanitized-runs'
import { buildHot, buildProject, buildSanitized } from './compile/build'
import type { BuildOptions } from './compile/build'
import { HotCompiler } from './compile/hot/hot-compiler'
import { planBuild } from './compile/plan'
import { prepareTools } from './compile/prepare'
import { registrationLine } from './project/scan-source'
import { placeError } from './error-place'
import { Exports } from './project-export/exports'
import { Graphs } from './graph/graphs'
import { callAgain, callOnLibrary } from './host/call-on-library'
import { defaultHostLimits } from './host/host-client'
import type { HostLimits } from './host/host-client'
import { defaultMemoryLimit, HostPool } from './host/host-pool'
import type { PoolEvents } from './host/host-pool'
import type { StartHost } from './host/transport'
import type { Installation } from './installation'
import { Assemblies } from './language/assembly/assemblies'
import { ProgramChecks } from './language/program/program-checks'
import { explainLoadError } from './explain/load-error'
import { Lints, withLints } from './language/lints/lints'
import { Clangd } from './language/clangd/clangd'
import type { ClangdEvents } from './language/clangd/clangd'
import { LanguageService } from './language/clangd/language-service'
import { Profiles } from './profile/profiles'
import { insideProject } from './project/files'
import { readManifest } from './project/read-manifest'
import { readSettings } from './project/settings-file'
import { findAddon } from './toolchain/addon-location'
import { chooseToolchain, chosenTools } from './toolchain/choose'
import type { Toolchain } from './toolchain/choose'
import { examine } from './doctor/doctor'
import { findSanitizerRuntime } from './toolchain/sanitizer-runtime'

/** Milliseconds between a hot build and the plain one that follows. */
const settleAfter = 400

interface Settling {
  stop: AbortController
  report: Promise<Result<BuildReport>>
}

export interface WorkbenchEvents extends PoolEvents, ClangdEvents {
  onState?: (state: HostState) => void
  /** Work in the background; `done` from 0 to 1. */
  onBackground?: (title: string, done: number, detail: string) => void
  onBackgroundFailed?: (error: WorkbenchError) => void
  /** The plain build that follows a hot one has ended; see buildHot(). */
  onSettled?: (folder: string, report: BuildReport) => void
}

/**
 * Libraries name their sources relative to the project, and registration macros record the line of
 * their block; the absolute file and the line of the operator itself are more use.
 */
async function refinePlaces(
  operators: OperatorDetail[],
  folder: string,
): Promise<OperatorDetail[]> {
  const texts = new Map<string, Promise<string>>()
  const read = (file: string): Promise<string> => {
    const known = texts.get(file) ?? fs.readFile(file, 'utf8').catch(() => '')
    texts.set(file, known)
    return known
  }
  const refine = async (operator: OperatorDetail): Promise<OperatorDetail> => {
    const name = operator.name.split('::').at(-1) ?? operator.name
    const kernels = operator.kernels.map(async (kernel) => {
      const file = path.resolve(folder, kernel.file)
      const text = await read(file)
      return text === ''
        ? kernel
        : { ...kernel, file, line: registrationLine(text, kernel.line, name) }
    })
    return { ...operator, kernels: await Promise.all(kernels) }
  }
  return await Promise.all(operators.map(refine))
}

/** The engine as the app, the command line and the tests use it: projects in, reports out. */
export class Workbench {
  readonly hosts: HostPool
  readonly graphs: Graphs
  readonly gradchecks: Gradchecks
  readonly opchecks: Opchecks
  readonly benchmarks: Benchmarks
  readonly profiles: Profiles
  readonly exports: Exports
  readonly programChecks: ProgramChecks
  readonly assemblies: Assemblies
  readonly sanitizedRuns: SanitizedRuns
  readonly lints: Lints
  readonly clangd: Clangd
  readonly language: LanguageService
  private memoryLimit = 0
  private preparing = false
  private readonly closing = new AbortController()
  private readonly inApp: boolean
  private readonly limits: () => HostLimits
  /** What calls run on: the last good build, hot or plain. */
  private readonly built = new Map<string, BuildReport>()
  private readonly hotCompiler: HotCompiler
  /** A compile server that was started with the project; undefined when it is up, or is not to be. */
  private onItsWay: Promise<unknown> | undefined
  /** The plain build of each folder that was built hot, while it runs and until the next. */
  private readonly settling = new Map<string, Settling>()

  constructor(
    readonly installation: Installation,
    private readonly startHost: StartHost,
    private readonly events: WorkbenchEvents = {},
    options: { keepSpare: boolean; outputBytes?: number } = { keepSpare: true },
  ) {
    this.inApp = options.keepSpare
    this.limits = () => ({
      ...defaultHostLimits,
      memoryBytes: this.memoryLimit === 0 ? defaultMemoryLimit() : this.memoryLimit,
      ...(options.outputBytes === undefined ? {} : { outputBytes: options.outputBytes }),
    })
    this.hotCompiler = new HotCompiler(installation, (...event) => events.onBackground?.(...event))
    this.hosts = new HostPool(installation, startHost, this.limits, events, options.keepSpare)
    this.graphs = new Graphs(this)
    this.gradchecks = new Gradchecks(this)
    this.opchecks = new Opchecks(this)
    this.benchmarks = new Benchmarks(this)
    this.profiles = new Profiles(this)
    this.exports = new Exports(this)
    this.programChecks = new ProgramChecks(this)
    this.assemblies = new Assemblies(this)
    this.sanitizedRuns = new SanitizedRuns(this)
    this.lints = new Lints(installation)
    this.clangd = new Clangd(this, events)
    this.language = new LanguageService(this.clangd)
  }

  /** Takes the user's settings; called at the start and whenever they change. */
  async applySettings(): Promise<void> {
    this.memoryLimit = (await readSettings(this.installation.cacheFolder)).memoryLimit
    await this.clangd.refresh()
  }

  async toolchainFor(manifest: Manifest | undefined): Promise<Result<Toolchain>> {
    const settings = await readSettings(this.installation.cacheFolder)
    return await chooseToolchain(this.installation, chosenTools(settings, manifest))
  }

  async doctor(folder: string): Promise<DoctorReport> {
    const settings = await readSettings(this.installation.cacheFolder)
    const manifest = folder === '' ? undefined : await readManifest(folder)
    return await examine(
      this.installation,
      chosenTools(settings, manifest?.ok ? manifest.value : undefined),
      settings.clangd,
    )
  }

  /** The plain build: what is put into the project's folder, timed and exported. */
  async build(folder: string, options: BuildOptions = {}): Promise<Result<BuildReport>> {
    const absolute = path.resolve(folder)
    this.settling.get(absolute)?.stop.abort()
    this.settling.delete(absolute)
    const report = await this.compile(absolute, options, buildProject)
    if (report.ok && report.value.ok) {
      this.built.set(absolute, report.value)
      await this.benchmarks.remember(absolute, report.value)
    }
    return report
  }

  /**
   * As build(), by the compile server where there is one: a tenth of the time. The plain build follows in the
   * background, once nobody waits for this one; settled() waits for it.
   */
  async buildHot(folder: string, options: BuildOptions = {}): Promise<Result<BuildReport>> {
    const absolute = path.resolve(folder)
    const { hotCompile } = await readSettings(this.installation.cacheFolder)
    if (!hotCompile || !this.inApp || options.timeTrace) return await this.build(absolute, options)
    this.settling.get(absolute)?.stop.abort()
    this.settling.delete(absolute)
    const compiler = this.hotCompiler
    const report = await this.compile(absolute, options, (...known) => {
      const [installation, toolchain, project, manifest, more] = known
      return buildHot(installation, toolchain, project, manifest, compiler, this.onItsWay, more)
    })
    if (!report.ok || !report.value.ok) return report
    this.built.set(absolute, report.value)
    if (report.value.hot) this.settle(absolute)
    else await this.benchmarks.remember(absolute, report.value)
    return report
  }

  /**
   * Starts the compile server for a project before its first build; whether there is one now.
   * @param make it, where this machine has none yet
   */
  async startCompileServer(folder: string, make = true): Promise<Result<boolean>> {
    const { hotCompile } = await readSettings(this.installation.cacheFolder)
    if (!hotCompile || !this.inApp) return ok(false)
    const manifest = await readManifest(folder)
    if (!manifest.ok) return manifest
    const toolchain = await this.toolchainFor(manifest.value)
    if (!toolchain.ok) return toolchain
    const absolute = path.resolve(folder)
    const plan = await planBuild(
      this.installation,
      toolchain.value,
      absolute,
      manifest.value,
      'plain',
    )
    if (!plan.ok) return plan
    const { includes, serverPrelude } = plan.value
    if (!serverPrelude) return ok(false)
    const server = await this.hotCompiler.start(toolchain.value, includes, serverPrelude, make)
    return server.ok ? ok(server.value !== undefined) : server
  }

  /** Called when a project is opened: a build of many sources that is asked for at once waits for the server. */
  warmUp(folder: string): void {
    const starting = this.startCompileServer(folder, false).finally(() => {
      if (this.onItsWay === starting) this.onItsWay = undefined
    })
    this.onItsWay = starting
  }

  /** Gives its memory back; the next build of a window starts another. */
  stopCompileServer(): void {
    this.hotCompiler.stop()
  }

  private async compile(
    folder: string,
    options: BuildOptions,
    run: typeof buildProject,
  ): Promise<Result<BuildReport>> {
    const manifest = await readManifest(folder)
    if (!manifest.ok) return manifest
    const toolchain = await this.toolchainFor(manifest.value)
    if (!toolchain.ok) return toolchain
    let missing = false
    // A window lints as one types, and must not wait for it here.
    const linting = this.inApp ? undefined : this.lints.lint(folder)
    const built = await run(this.installation, toolchain.value, folder, manifest.value, {
      ...options,
      onMissingPrelude: () => {
        missing = true
        options.onMissingPrelude?.()
      },
    })
    const report = linting ? withLints(built, await linting) : built
    // A header of ours or the compiler changed while the app runs: the next build shall be fast again.
    if (missing && this.inApp && !this.preparing) void this.prepareAgain(manifest.value)
    return report
  }

  /** Makes the plain build of what was just built hot, a moment later: loading and calling come first. */
  private settle(folder: string): void {
    const stop = new AbortController()
    const build = async (): Promise<Result<BuildReport>> => {
      await new Promise((resolve) => setTimeout(resolve, settleAfter))
      const report = await this.compile(folder, { signal: stop.signal }, buildProject)
      if (!report.ok || stop.signal.aborted) return report
      if (report.value.ok) await this.benchmarks.remember(folder, report.value)
      this.events.onSettled?.(folder, report.value)
      return report
    }
    this.settling.set(folder, { stop, report: build() })
  }

  /** Makes sure that load() loads the plain build: what is timed and exported is nothing else. */
  async settled(folder: string): Promise<Result<null>> {
    const absolute = path.resolve(folder)
    const settling = this.settling.get(absolute)
    if (!settling) return ok(null)
    const report = await settling.report
    if (!report.ok) return report
    const first = report.value.diagnostics.find((one) => one.severity === 'error')
    if (!report.value.ok)
      return err('build.required', `The plain -O2 build fails: ${first?.message ?? ''}`)
    // Unless another build has begun meanwhile.
    if (this.settling.get(absolute) === settling) {
      this.settling.delete(absolute)
      this.built.set(absolute, report.value)
    }
    return ok(null)
  }

  /** The variant that ASan and UBSan watch; it never takes the place of what build() made. */
  async buildSanitized(
    folder: string,
    signal: AbortSignal | undefined,
  ): Promise<Result<SanitizedBuild>> {
    const watched = await this.buildWatched(folder, signal ? { signal } : {})
    if (!watched.ok || watched.value.build.ok) return watched
    const first = watched.value.build.diagnostics.find((one) => one.severity === 'error')
    return err('build.required', `The build with the sanitizers fails: ${first?.message ?? ''}`, {
      ...(first && first.file !== '' ? { file: first.file, line: first.line } : {}),
    })
  }

  /** The same, also where it does not compile: `build` then says why. */
  async buildWatched(
    folder: string,
    options: Pick<BuildOptions, 'signal' | 'onOutput' | 'onProgress'>,
  ): Promise<Result<SanitizedBuild>> {
    const manifest = await readManifest(folder)
    if (!manifest.ok) return manifest
    const toolchain = await this.toolchainFor(manifest.value)
    if (!toolchain.ok) return toolchain
    // Without it, the linker says so in words of its own.
    const runtime = await findSanitizerRuntime(toolchain.value.compiler)
    if (!runtime.ok) return runtime
    const title = 'building with the sanitizers'
    this.events.onBackground?.(title, -1, manifest.value.name)
    const tools = [this.installation, toolchain.value] as const
    const build = await buildSanitized(...tools, folder, manifest.value, options)
    this.events.onBackground?.(title, 1, '')
    if (!build.ok) return build
    const { libtorch } = toolchain.value
    return ok({ libtorch, runtime: runtime.value, build: build.value })
  }

  /** What works beside the op host. */
  ownWork(): OwnWork[] {
    return [this.clangd.ownWork(), this.hotCompiler.ownWork()]
  }

  /** What was built last; undefined when nothing was, in this process. */
  lastBuild(folder: string): BuildReport | undefined {
    return this.built.get(path.resolve(folder))
  }

  /** Loads what was built last into the op host; what it registered comes back. */
  async load(
    folder: string,
    options: { timeout: number; signal?: AbortSignal },
  ): Promise<Result<LoadReport>> {
    const absolute = path.resolve(folder)
    const build = this.built.get(absolute)
    if (!build) {
      return err('build.required', 'This project has not been built yet.', {
        hint: 'Build it first (Ctrl+B).',
      })
    }
    const suited = await this.suit(this.hosts, absolute)
    if (!suited.ok) return suited
    const report = await this.hosts.load(build.loadPath, options)
    if (!report.ok) {
      const told = await explainLoadError(report.error, absolute)
      return placeError({ ok: false, error: told }, absolute)
    }
    return ok({ ...report.value, operators: await refinePlaces(report.value.operators, absolute) })
  }

  /** Op hosts with the addon of a project's libtorch, which know the project's frames in a stack. */
  private async suit(hosts: HostPool, folder: string): Promise<Result<HostPool>> {
    const manifest = await readManifest(folder)
    const toolchain = await this.toolchainFor(manifest.ok ? manifest.value : undefined)
    if (!toolchain.ok) return toolchain
    const addon = findAddon(this.installation, toolchain.value.libtorch)
    if (!addon.ok) return addon
    hosts.useAddon(addon.value)
    hosts.setUserFolders([folder])
    return ok(hosts)
  }

  /** Op hosts for another library of a project, beside those in use; who asks closes them. */
  async hostsBeside(folder: string): Promise<Result<HostPool>> {
    const { onOutput } = this.events
    const events = onOutput ? { onOutput } : {}
    const hosts = new HostPool(this.installation, this.startHost, this.limits, events, false)
    return await this.suit(hosts, path.resolve(folder))
  }

  async buildAndLoad(
    folder: string,
    options: BuildOptions,
    timeout: number,
  ): Promise<Result<BuildAndLoad>> {
    let build = await this.buildHot(folder, options)
    if (!build.ok) return build
    if (!build.value.ok) return ok({ build: build.value })
    const limits = { timeout, ...(options.signal ? { signal: options.signal } : {}) }
    let load = await this.load(folder, limits)
    if (!load.ok && load.error.code === 'library.load' && build.value.hot) {
      // A hot link takes every symbol on trust; the plain one says which is missing, and where it is used.
      build = await this.build(folder, options)
      if (!build.ok) return build
      if (!build.value.ok) return ok({ build: build.value })
      load = await this.load(folder, limits)
    }
    if (load.ok) return ok({ build: build.value, load: load.value })
    if (load.error.code === 'cancelled') return load
    return ok({ build: build.value, loadError: load.error })
  }

  /** The project's TorchScript program; undefined when it has none. */
  async program(folder: string): Promise<Result<ProgramSource | undefined>> {
    const manifest = await readManifest(folder)
    if (!manifest.ok) return manifest
    const relative = manifest.value.program
    if (relative === undefined) return ok(undefined)
    const file = await insideProject(folder, relative)
    if (!file.ok) return file
    try {
      return ok({ file: file.value, source: await fs.readFile(file.value, 'utf8') })
    } catch {
      return err('project.invalid', `opsmith.json, program: there is no file ${relative}.`, {
        path: 'program',
        file: path.join(folder, manifestFileName),
      })
    }
  }

  async programFunctions(folder: string): Promise<Result<ProgramFunction[]>> {
    const program = await this.program(folder)
    if (!program.ok) return program
    if (!program.value) return ok([])
    const limits = { timeout: 30, phase: 'compile the program' }
    // A library that ended the op host would end it again: that is for the user to ask for.
    const mayLoad = this.lastBuild(folder) && this.hosts.state().lastExit === undefined
    return mayLoad
      ? await callOnLibrary(this, folder, 'program.functions', program.value, limits)
      : await callAgain(this.hosts, 'program.functions', program.value, limits)
  }

  /** One call of an operator or a program function; the library is loaded first if it is not. */
  async run(
    folder: string,
    request: Omit<RunRequest, 'program'>,
    options: { timeout: number; signal?: AbortSignal },
  ): Promise<Result<RunReport>> {
    const absolute = path.resolve(folder)
    const loaded = await this.load(absolute, options)
    if (!loaded.ok) return loaded
    const program = await this.program(absolute)
    if (!program.ok) return program
    const result = await callOnLibrary(
      this,
      absolute,
      'operator.run',
      { ...request, ...(program.value ? { program: program.value } : {}) },
      { ...options, phase: `call ${request.op}` },
    )
    return placeError(result, absolute)
  }

  /**
   * Makes the precompiled headers for the chosen tools; nothing to do when they are there.
   * @param compilers at a time: one, so that whoever works meanwhile has the other cores
   * @param manifest of a project that may have chosen tools and flags of its own
   * @returns the compilers' seconds together, and how many headers were made
   */
  async prepare(
    compilers = 1,
    manifest?: Manifest,
  ): Promise<Result<{ seconds: number; made: number }>> {
    this.preparing = true
    try {
      const toolchain = await this.toolchainFor(manifest)
      if (!toolchain.ok) return toolchain
      const { signal } = this.closing
      const { onBackground } = this.events
      return await prepareTools(this.installation, toolchain.value, compilers, signal, onBackground)
    } finally {
      this.preparing = false
    }
  }

  private async prepareAgain(manifest: Manifest): Promise<void> {
    const prepared = await this.prepare(1, manifest)
    if (!prepared.ok) this.events.onBackgroundFailed?.(prepared.error)
  }

  /** Ends op hosts and work in the background. */
  async close(): Promise<void> {
    this.closing.abort()
    for (const { stop } of this.settling.values()) stop.abort()
    this.hotCompiler.close()
    this.clangd.shutDown()
    await this.hosts.close()
  }
}
