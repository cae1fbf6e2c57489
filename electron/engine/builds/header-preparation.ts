import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { compileTools } from '../compile/compile-tools'
import type { CompileTools } from '../compile/compile-tools'
import type { MissingHeader } from '../compile/cxx-tasks'
import { planBuild } from '../compile/plan'
import { prepareTools } from '../compile/prepare'
import { isDevicePrelude, makeDeviceHeader } from '../compile/virtual-gpu/device-header'
import type { DeviceHeaderTools } from '../compile/virtual-gpu/device-header'
import type { Installation } from '../installation'
import type { OpenProject, Projects } from '../project/open-project'
import { isCuda } from '../project/sources'
import { withFileErrors } from '../project/file-errors'
import type { Toolchain } from '../toolchain/choose'
import type { BackgroundEvents } from './background'

type Prepared = Result<{ seconds: number; made: number }>

interface Preparation {
  stop: AbortController
  ended: Promise<unknown>
}

/** The project's tools, and those that compile its CUDA sources for the virtual GPU: clang, also next to g++. */
export function toolsToPrepare(
  installation: Installation,
  toolchain: Toolchain,
  project: OpenProject | undefined,
): CompileTools[] {
  const tools = compileTools(installation, toolchain)
  const clang = toolchain.virtualGpu?.compiler
  const { sources = [], cudaSources = [] } = project?.manifest ?? {}
  const needsClang =
    clang !== undefined &&
    clang.identity !== toolchain.compiler.identity &&
    [...sources, ...cudaSources].some(isCuda)
  return needsClang ? [tools, { ...tools, toolchain: { ...toolchain, compiler: clang } }] : [tools]
}

const headerKey = ({ tools, identity }: DeviceHeaderTools, prelude: string): string =>
  [tools.toolchain.compiler.identity, tools.toolchain.libtorch.identity, identity, prelude].join()

/** Makes what builds start from: precompiled headers, and the compile server's program. */
export class HeaderPreparation {
  private readonly running = new Set<AbortController>()
  private inBackground: Preparation | undefined
  /** Device headers that could not be made: they are not tried again at each build. */
  private readonly failed = new Set<string>()
  /** Set-ups that run. */
  private holds = 0
  private isClosed = false

  constructor(
    private readonly services: { installation: Installation; projects: Projects },
    private readonly events: BackgroundEvents,
  ) {}

  /**
   * Makes what is not there yet for the chosen tools.
   * @param compilers at a time: one, so that whoever works meanwhile has the other cores
   * @param project that may have chosen tools and flags of its own
   * @param onRemark called with what was found damaged, in words
   * @returns the compilers' seconds together, and how many headers were made
   */
  async prepare(
    compilers = 1,
    project?: OpenProject,
    onRemark: (text: string) => void = () => undefined,
  ): Promise<Prepared> {
    const stop = new AbortController()
    return await this.make(() => this.toolsOf(project), {
      compilers,
      onRemark,
      stop,
      findMissing: () => this.missingFor(project),
    })
  }

  /** What a build of a project with CUDA sources would lack now. */
  private async missingFor(project: OpenProject | undefined): Promise<MissingHeader[]> {
    const { installation, projects } = this.services
    const { sources = [], cudaSources = [] } = project?.manifest ?? {}
    if (!project || ![...sources, ...cudaSources].some(isCuda)) return []
    const toolchain = await projects.toolchain(project)
    if (!toolchain.ok) return []
    const request = { installation, toolchain: toolchain.value, project }
    const title = 'compiling the virtual GPU'
    const onProgress = (text: string): void => this.events.onBackground?.(title, -1, text)
    const plan = await withFileErrors(() =>
      planBuild({ ...request, variant: 'plain', onProgress }),
    ).finally(() => this.events.onBackground?.(title, 1, ''))
    // A project that cannot be planned is the build's to refuse.
    return plan.ok ? plan.value.missingHeaders : []
  }

  private async toolsOf(project: OpenProject | undefined): Promise<Result<CompileTools[]>> {
    const { installation, projects } = this.services
    const toolchain = await projects.toolchain(project)
    if (!toolchain.ok) return toolchain
    return ok(toolsToPrepare(installation, toolchain.value, project))
  }

  private async make(
    findTools: () => Promise<Result<CompileTools[]>>,
    options: {
      compilers: number
      stop: AbortController
      onRemark?: (text: string) => void
      isBackground?: boolean
      /** Asked when all that the tools start from is there. */
      findMissing?: () => Promise<readonly MissingHeader[]>
    },
  ): Promise<Prepared> {
    const { stop, findMissing, ...how } = options
    if (this.isClosed) stop.abort()
    this.running.add(stop)
    try {
      const tools = await findTools()
      if (!tools.ok) return tools
      const { onBackground } = this.events
      const sum = { seconds: 0, made: 0 }
      for (const one of tools.value) {
        const prepared = await prepareTools(one, {
          ...how,
          signal: stop.signal,
          ...(onBackground ? { onProgress: onBackground } : {}),
        })
        if (!prepared.ok) return prepared
        sum.seconds += prepared.value.seconds
        sum.made += prepared.value.made
      }
      const isStopped = (): boolean => stop.signal.aborted
      const stopped = new Promise<[]>((resolve) => {
        stop.signal.addEventListener('abort', () => {
          resolve([])
        })
      })
      const all = findMissing && !isStopped() ? await Promise.race([findMissing(), stopped]) : []
      if (isStopped()) return err('cancelled', 'The preparation was stopped.')
      for (const missing of all) {
        const prepared = await this.makeDevice(missing, { ...how, signal: stop.signal })
        if (!prepared.ok) return prepared
        sum.seconds += prepared.value.seconds
        sum.made += prepared.value.made ? 1 : 0
      }
      return ok(sum)
    } finally {
      this.running.delete(stop)
    }
  }

  private hasFailed({ device, prelude }: MissingHeader): boolean {
    return device !== undefined && this.failed.has(headerKey(device, prelude))
  }

  private async makeDevice(
    { device, prelude }: MissingHeader,
    options: { signal: AbortSignal; isBackground?: boolean },
  ): Promise<Result<{ seconds: number; made: boolean }>> {
    if (!device || !isDevicePrelude(prelude)) return ok({ seconds: 0, made: false })
    const { onBackground } = this.events
    const title = 'precompiling the headers for CUDA code'
    onBackground?.(title, -1, '')
    try {
      return await makeDeviceHeader(device, prelude, options)
    } finally {
      onBackground?.(title, 1, '')
    }
  }

  /** For nobody who waits, with one compiler. While a set-up runs, nothing is made: set-up makes the same. */
  async prepareInBackground(project?: OpenProject): Promise<Prepared> {
    return await this.makeInBackground(() => this.toolsOf(project))
  }

  private async makeInBackground(
    findTools: () => Promise<Result<CompileTools[]>>,
    missing: readonly MissingHeader[] = [],
  ): Promise<Prepared> {
    const nothing: Prepared = ok({ seconds: 0, made: 0 })
    if (this.holds > 0 || this.inBackground) return nothing
    const stop = new AbortController()
    const findMissing = (): Promise<readonly MissingHeader[]> => Promise.resolve(missing)
    const work = this.make(findTools, { compilers: 1, stop, isBackground: true, findMissing })
    const own = { stop, ended: Promise.allSettled([work]) }
    this.inBackground = own
    try {
      const prepared = await work
      return stop.signal.aborted ? nothing : prepared
    } finally {
      if (this.inBackground === own) this.inBackground = undefined
    }
  }

  /**
   * In the background, unless that is under way: the next build shall be fast again.
   * @param missing what the last build did without; clang's, where g++ compiles the rest of the project
   */
  async prepareAgain(missing: readonly MissingHeader[]): Promise<void> {
    if (this.running.size > 0) return
    const identityOf = ({ tools }: MissingHeader): string => tools.toolchain.compiler.identity
    const byCompiler = new Map(missing.map((one) => [identityOf(one), one.tools]))
    for (const [identity, tools] of byCompiler) {
      const own = missing.filter((one) => identityOf(one) === identity && !this.hasFailed(one))
      if (own.length === 0) continue
      const prepared = await this.makeInBackground(() => Promise.resolve(ok([tools])), own)
      if (prepared.ok) continue
      this.events.onBackgroundFailed?.(prepared.error)
      if (prepared.error.code === 'cancelled') continue
      for (const { device, prelude } of own) if (device) this.failed.add(headerKey(device, prelude))
    }
  }

  /**
   * Set-up makes headers with all processors. What the background had finished is kept; the compiler that it had started is
   * ended, since two would make the same header.
   */
  async withoutBackground<Value>(work: () => Promise<Value>): Promise<Value> {
    this.holds += 1
    try {
      this.inBackground?.stop.abort()
      await this.inBackground?.ended
      return await work()
    } finally {
      this.holds -= 1
    }
  }

  close(): void {
    this.isClosed = true
    for (const stop of this.running) stop.abort()
  }
}
