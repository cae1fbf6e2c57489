import type { BuildReport } from '../../contract/build'
import type { Diagnostic } from '../../contract/diagnostics'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { OwnWork } from '../at-rest'
import { buildHot, buildProject } from '../compile/build'
import { errorsFirst } from '../compile/build-messages'
import type { BuildOptions, BuildRequest, ServerAccess } from '../compile/build'
import type { MissingHeader } from '../compile/cxx-tasks'
import { HotCompiler } from '../compile/hot/hot-compiler'
import type { WantedServer } from '../compile/hot/hot-compiler'
import { planBuild } from '../compile/plan'
import type { Installation } from '../installation'
import { diskError, withFileErrors } from '../project/file-errors'
import { folderOf } from '../project/open-project'
import type { OpenProject, ProjectOrFolder, Projects } from '../project/open-project'
import type { BackgroundEvents } from './background'

/** Milliseconds between a hot build and the plain one that follows. */
const plainBuildDelay = 400
/** Milliseconds before a compile server is started that nobody waits for: what is asked for comes first. */
const serverDelay = 3_000
/** Milliseconds that closing waits for builds which were stopped. */
const longestEnd = 2_000

export interface BuildEvents extends BackgroundEvents {
  /** The plain build that follows a hot one has ended; see Builds.buildHot(). */
  onSettled?: (folder: string, report: BuildReport) => void
}

interface BuildServices {
  installation: Installation
  projects: Projects
  /** Warnings that every build reports after the compiler's; undefined: builds have the compiler's alone. */
  lint: ((project: OpenProject) => Promise<Result<Diagnostic[]>>) | undefined
  /** Whether buildHot() may use a compile server; the settings may forbid it all the same. */
  useCompileServer: boolean
  /** A plain build was good; awaited. */
  onGoodPlainBuild: (project: OpenProject, report: BuildReport) => Promise<void>
  /** A build took longer than it need have, for want of a precompiled header. */
  onMissingHeaders: (missing: readonly MissingHeader[]) => void
}

type Compile = (request: BuildRequest, options: BuildOptions) => Promise<Result<BuildReport>>

/** The plain build that follows a hot one. */
interface FollowingBuild {
  stop: AbortController
  report: Promise<Result<BuildReport>>
  /** Read when its compilers start: a build that somebody waits for by then is no background work. */
  options: { signal: AbortSignal; isBackground: boolean }
}

/** The first error of a build that did not succeed. */
export function firstError(report: BuildReport): Diagnostic | undefined {
  return report.diagnostics.find((diagnostic) => diagnostic.severity === 'error')
}

/** Builds of projects: plain ones, hot ones with the plain one that follows, and the compile server's life. */
export class Builds {
  /** By folder, what calls run on: the last good build, hot or plain. */
  private readonly lastGood = new Map<string, BuildReport>()
  /** By folder, from a hot build until the next build. */
  private readonly following = new Map<string, FollowingBuild>()
  /** By folder, what ends nvcc's compiles for messages. */
  private readonly judging = new Map<string, AbortController>()
  /** Plain builds that have not ended, those too that were stopped. */
  private readonly unended = new Set<Promise<unknown>>()
  private readonly hotCompiler: HotCompiler
  /** Starts a compile server that the next edit will want; undefined: none is missing. */
  private startLater: { timer: NodeJS.Timeout; start: () => void } | undefined

  constructor(
    private readonly services: BuildServices,
    private readonly events: BuildEvents,
  ) {
    this.hotCompiler = new HotCompiler((...event) => events.onBackground?.(...event))
  }

  /** The plain build: what is put into the project's folder, timed and exported. */
  async build(
    projectOrFolder: ProjectOrFolder,
    options: BuildOptions = {},
  ): Promise<Result<BuildReport>> {
    this.stopFollowing(folderOf(projectOrFolder))
    const project = await this.services.projects.open(projectOrFolder)
    if (!project.ok) return project
    const report = await this.compile(project.value, options, buildProject)
    if (report.ok && report.value.ok) {
      this.lastGood.set(project.value.folder, report.value)
      if (report.value.kernelVariant === undefined) await this.keep(project.value, report.value)
    }
    return report
  }

  /** A plain build of other tools or flags than the project's own: calls go on with what was built last. */
  async buildApart(project: OpenProject, options: BuildOptions = {}): Promise<Result<BuildReport>> {
    return await this.compile(project, { ...options, isUnpublished: true }, buildProject)
  }

  /** Remembers a good plain build. One that the disk does not take costs an entry of the history, not the build. */
  private async keep(project: OpenProject, report: BuildReport): Promise<void> {
    try {
      await this.services.onGoodPlainBuild(project, report)
    } catch (error) {
      const refused = diskError(error)
      if (!refused) throw error
      this.events.onBackgroundFailed?.(refused)
    }
  }

  /**
   * As build(), by the compile server where there is one: a tenth of the time. The plain build follows in the
   * background, once nobody waits for this one; waitForPlain() waits for it.
   */
  async buildHot(
    projectOrFolder: ProjectOrFolder,
    options: BuildOptions = {},
  ): Promise<Result<BuildReport>> {
    const opened = await this.services.projects.open(projectOrFolder)
    if (!opened.ok) {
      this.stopFollowing(folderOf(projectOrFolder))
      return opened
    }
    const project = opened.value
    if (!this.mayUseServer(project) || options.timeTrace) return await this.build(project, options)
    this.stopFollowing(project.folder)
    const access: ServerAccess = {
      compiler: this.hotCompiler,
      onNoServer: (missing) => {
        this.startServerLater(() => void this.startServers(missing))
      },
    }
    const report = await this.compile(project, options, (request, all) =>
      buildHot(request, access, all),
    )
    if (!report.ok || !report.value.ok) return report
    this.lastGood.set(project.folder, report.value)
    if (report.value.kernelVariant === 'checked') return report
    if (report.value.kernelVariant === 'counted') {
      // Occupancy depends on registers, which only nvcc knows.
      this.judgeWithNvcc(project, report.value)
      return report
    }
    if (report.value.hot) this.followWithPlain(project.folder)
    else {
      await this.keep(project, report.value)
      this.judgeWithNvcc(project, report.value)
    }
    return report
  }

  /**
   * What was built for the virtual GPU is compiled by nvcc too, in the background, for its messages alone: with
   * libtorch's headers that takes minutes.
   */
  private judgeWithNvcc(project: OpenProject, { virtualDevice }: BuildReport): void {
    if (virtualDevice === undefined) return
    const { folder } = project
    const stop = new AbortController()
    const judge = async (): Promise<void> => {
      const toolchain = await project.toolchain()
      if (!toolchain.ok || !toolchain.value.cuda || stop.signal.aborted) return
      const options = { signal: stop.signal, isBackground: true, withNvcc: true }
      const title = 'compiling with nvcc'
      this.events.onBackground?.(title, -1, project.manifest.name)
      const report = await this.compile(project, options, buildProject)
      this.events.onBackground?.(title, 1, '')
      if (report.ok && !stop.signal.aborted) this.events.onSettled?.(folder, report.value)
    }
    this.judging.set(folder, stop)
    const forget = (): void => {
      this.unended.delete(end)
      if (this.judging.get(folder) === stop) this.judging.delete(folder)
    }
    // A disk that is full has been said by the build before.
    const end: Promise<void> = judge().then(forget, forget)
    this.unended.add(end)
  }

  private stopJudging(folder: string): void {
    this.judging.get(folder)?.abort()
    this.judging.delete(folder)
  }

  private mayUseServer(project: OpenProject): boolean {
    return this.services.useCompileServer && project.settings.hotCompile
  }

  private async compile(
    project: OpenProject,
    options: BuildOptions,
    run: Compile,
  ): Promise<Result<BuildReport>> {
    const toolchain = await project.toolchain()
    if (!toolchain.ok) return toolchain
    const { installation, lint, onMissingHeaders } = this.services
    const linting = lint?.(project)
    let missing: readonly MissingHeader[] = []
    const request = { installation, project, toolchain: toolchain.value }
    const report = await withFileErrors(() =>
      run(request, {
        ...options,
        onMissingHeaders: (headers) => {
          missing = headers
          options.onMissingHeaders?.(headers)
        },
      }),
    )
    const found = await linting
    if (missing.length > 0) onMissingHeaders(missing)
    // Lints that cannot be made cost no build.
    if (!report.ok || !found?.ok) return report
    const diagnostics = errorsFirst([...report.value.diagnostics, ...found.value])
    return ok({ ...report.value, diagnostics })
  }

  /** Makes the plain build of what was just built hot, a moment later: loading and calling come first. */
  private followWithPlain(folder: string): void {
    const stop = new AbortController()
    const options = { signal: stop.signal, isBackground: true }
    const build = async (): Promise<Result<BuildReport>> => {
      await new Promise((resolve) => setTimeout(resolve, plainBuildDelay))
      // Planning it would only take time from the newer build.
      if (stop.signal.aborted) return err('cancelled', 'The build was stopped.')
      const project = await this.services.projects.open(folder)
      if (!project.ok) return project
      const title = 'plain build'
      this.events.onBackground?.(title, -1, project.value.manifest.name)
      const report = await this.compile(project.value, options, buildProject)
      this.events.onBackground?.(title, 1, '')
      if (!report.ok || stop.signal.aborted) return report
      if (report.value.ok) {
        await this.keep(project.value, report.value)
        this.judgeWithNvcc(project.value, report.value)
      }
      this.events.onSettled?.(folder, report.value)
      return report
    }
    const report = build().catch((error: unknown): Result<BuildReport> => {
      const refused = diskError(error)
      if (!refused) throw error
      this.events.onBackgroundFailed?.(refused)
      return { ok: false, error: refused }
    })
    this.following.set(folder, { stop, options, report })
    const forget = (): void => {
      this.unended.delete(end)
    }
    const end: Promise<void> = report.then(forget, forget)
    this.unended.add(end)
  }

  private stopFollowing(folder: string): void {
    this.stopJudging(folder)
    this.following.get(folder)?.stop.abort()
    this.following.delete(folder)
  }

  /**
   * Waits until lastBuild() is a plain build: what is timed and exported is nothing else. Errors: the plain
   * build of a project that was built hot fails (build.required), or could not be made.
   */
  async waitForPlain(projectOrFolder: ProjectOrFolder): Promise<Result<null>> {
    const folder = folderOf(projectOrFolder)
    const variant = this.lastGood.get(folder)?.kernelVariant
    if (variant === 'counted') {
      return err(
        'build.counted',
        'The last build is instrumented to count kernel operations. Timings, profiles and exports need a build without counts.',
        { hint: 'Turn off “Count” in the Kernels panel.' },
      )
    }
    if (variant === 'checked') {
      return err(
        'build.checked',
        'The last build is instrumented to check kernels. Timings, profiles and exports need a build without checks.',
        { hint: 'Turn off “Check kernels” in the Kernels panel.' },
      )
    }
    // Its messages can wait, and a timing next to a compiler is none.
    this.stopJudging(folder)
    const following = this.following.get(folder)
    if (!following) return ok(null)
    following.options.isBackground = false
    const report = await following.report
    if (!report.ok) return report
    if (!report.value.ok) {
      const message = firstError(report.value)?.message ?? ''
      return err(
        'build.required',
        `Timings and profiles need a build without the compile server. This build fails: ${message}`,
        { hint: 'Fix the error, then build again.' },
      )
    }
    // Unless another build has begun meanwhile.
    if (this.following.get(folder) === following) {
      this.following.delete(folder)
      this.lastGood.set(folder, report.value)
    }
    return ok(null)
  }

  /** What was built last; undefined when nothing was, in this process. */
  lastBuild(project: ProjectOrFolder): BuildReport | undefined {
    return this.lastGood.get(folderOf(project))
  }

  /**
   * Starts the compile servers for a project before its first build; whether they are there now.
   * @param make them, where this machine has none yet
   */
  async startCompileServer(folder: string, make = true): Promise<Result<boolean>> {
    if (!this.services.useCompileServer) return ok(false)
    const opened = await this.services.projects.open(folder)
    if (!opened.ok) return opened
    const project = opened.value
    if (!this.mayUseServer(project)) return ok(false)
    const toolchain = await project.toolchain()
    if (!toolchain.ok) return toolchain
    const { installation } = this.services
    const request = { installation, project, toolchain: toolchain.value, variant: 'plain' as const }
    const plan = await withFileErrors(() => planBuild(request))
    if (!plan.ok) return plan
    return await this.startServers(Object.values(plan.value.servers), make)
  }

  /** One after the other; whether all are there now. */
  private async startServers(
    wanted: readonly WantedServer[],
    make = true,
  ): Promise<Result<boolean>> {
    let isThere = wanted.length > 0
    for (const one of wanted) {
      const server = await this.hotCompiler.start(one, make)
      if (!server.ok) return server
      isThere &&= server.value !== undefined
    }
    return ok(isThere)
  }

  /** Called when a project is opened: the first build shall know its tools, and the first edit find a compile server. */
  warmUp(folder: string): void {
    // What is wrong with them is said by the build.
    this.findTools(folder).catch(() => undefined)
    this.startServerLater(() => void this.startCompileServer(folder, false))
  }

  /** Asks compilers and the CUDA driver what they are; their answers are kept. */
  private async findTools(folder: string): Promise<void> {
    const project = await this.services.projects.open(folder)
    if (project.ok) await project.value.toolchain()
  }

  private startServerLater(start: () => void): void {
    clearTimeout(this.startLater?.timer)
    const timer = setTimeout(() => {
      this.startMissingServer()
    }, serverDelay)
    timer.unref()
    this.startLater = { timer, start }
  }

  /** Starts the compile server that the last build did without. Not sooner: it takes a core for some seconds. */
  startMissingServer(): void {
    clearTimeout(this.startLater?.timer)
    this.startLater?.start()
    this.startLater = undefined
  }

  /** Gives its memory back; the next hot build starts another. */
  stopCompileServer(): void {
    clearTimeout(this.startLater?.timer)
    this.startLater = undefined
    this.hotCompiler.stop()
  }

  /** Of the compile servers that run. */
  compileServerPids(): number[] {
    return this.hotCompiler.pids
  }

  /** What works here without being asked, as a timing has to know. */
  ownWork(): OwnWork {
    return this.hotCompiler.ownWork()
  }

  /** Resolves when builds in the background have removed what they were writing, or after two seconds. */
  async close(): Promise<void> {
    for (const { stop } of this.following.values()) stop.abort()
    for (const stop of this.judging.values()) stop.abort()
    this.stopCompileServer()
    this.hotCompiler.close()
    const late = new Promise((resolve) => setTimeout(resolve, longestEnd).unref())
    await Promise.race([Promise.all(this.unended), late])
  }
}
