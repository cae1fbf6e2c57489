import path from 'node:path'

import type { HostState } from '../../contract/app-calls'
import type { BuiltVariant } from '../../contract/build'
import type { HostCallName, HostInput, HostOutput } from '../../contract/host-calls'
import type { LoadReport } from '../../contract/operators'
import { sandboxStateOf } from '../../contract/sandbox'
import { err, ok } from '../../contract/outcome'
import type { HostExit, Result } from '../../contract/outcome'
import { setupCommand } from '../installation'
import type { Installation } from '../installation'
import { isWithin } from '../project/inside'
import { HostClient, replaced } from './host-client'
import type { CallOptions, HostLimits } from './host-client'
import type { KernelPlace } from './explain-exit'
import { isSameSandbox } from './sandbox'
import type { HostSandbox, SandboxChoice } from './sandbox'
import type { StartHost } from './transport'

export interface PoolEvents {
  onState?: (state: HostState) => void
  /** What checked kernels of the library of a project did: a `writtenGpuReport` a line. */
  onKernelReports?: (lines: string, folder: string) => void
  onOutput?: (generation: number, stream: 'stdout' | 'stderr', text: string) => void
}

/** Between the calls of one measurement or check there is less than this. */
const quietMilliseconds = 60
/**
 * Milliseconds from a load to the start of a spare host, which takes a core for as long as libtorch is loaded: what
 * is asked of the library comes first.
 */
const spareDelay = 2_000
/** A library gets this long to leave the op host, what still runs in it included. */
const unloadMilliseconds = 20_000

interface Loaded {
  path: string
  /** The project whose library it is; copies of a project have the same one. */
  folder: string
  report: LoadReport
}

export interface PoolOptions {
  /** Asked for each op host that is started. */
  limits: () => HostLimits
  /** The user's choice; asked whenever an op host is wanted. */
  sandbox: () => SandboxChoice
  events?: PoolEvents
  /** A second op host waits, warm; who builds once needs none. */
  keepSpareHost: boolean
  /** Each op host takes a node of a cluster: none waits, warm. */
  isScarce?: () => boolean
  /** Of its op hosts, on top of what every one gets. */
  environment?: Readonly<Record<string, string>>
}

/**
 * The op host in use and a warm spare. A rebuilt library goes into the same process where the old
 * one really leaves it, else into the spare, which has loaded libtorch already.
 */
export class HostPool {
  private active: HostClient | undefined
  private spare: HostClient | undefined
  private loaded: Loaded | undefined
  private generation = 0
  private lastExit: HostExit | undefined
  private libtorch = ''
  /** The op host in use, once it was said to be ready. */
  private announced: HostClient | undefined
  private closed = false
  /** The load that was asked for last, until it is done. */
  private loading: { path: string; report: Promise<Result<LoadReport>> } | undefined
  /** Changes when what waits to be loaded is wanted no more. */
  private epoch = 0
  private userFolders: string[] = []
  private addonFolder: string
  /** The library that gives libtorch the virtual GPU; "" for none. */
  private virtualDevice = ''
  private kernelVariant: BuiltVariant = 'plain'
  /** For who opened these op hosts, on top of PoolEvents.onKernelReports. */
  onKernelReports: ((lines: string) => void) | undefined
  private readonly limits: () => HostLimits
  readonly sandboxChoice: () => SandboxChoice
  private readonly events: PoolEvents
  private readonly keepSpare: boolean
  private readonly isScarce: () => boolean
  private readonly environment: Readonly<Record<string, string>>

  constructor(
    private readonly installation: Installation,
    private readonly startHost: StartHost,
    options: PoolOptions,
  ) {
    this.addonFolder = installation.addonFolder
    this.limits = options.limits
    this.sandboxChoice = options.sandbox
    this.events = options.events ?? {}
    this.keepSpare = options.keepSpareHost
    this.isScarce = options.isScarce ?? ((): boolean => false)
    this.environment = options.environment ?? {}
  }

  /** Another libtorch was chosen: hosts with the old one's addon are of no use any more. */
  useAddon(folder: string): void {
    if (folder === this.addonFolder) return
    this.addonFolder = folder
    this.replaceHosts()
  }

  /**
   * The library that gives libtorch the virtual GPU, which a process does before all else: hosts that started without
   * it are of no use.
   * @param library "" for none
   * @param kernelVariant what kernels were compiled for, and so report: PoolEvents.onKernelReports
   */
  useVirtualDevice(library: string, kernelVariant: BuiltVariant): void {
    if (library === this.virtualDevice && kernelVariant === this.kernelVariant) return
    this.virtualDevice = library
    this.kernelVariant = kernelVariant
    this.replaceHosts()
  }

  private replaceHosts(): void {
    this.epoch += 1
    for (const host of [this.active, this.spare]) host?.kill('replaced')
    this.active = undefined
    this.spare = undefined
    this.loaded = undefined
    this.libtorch = ''
  }

  /** From now on op hosts may write to this folder, and frames of files in it are the user's. */
  useProject(folder: string): void {
    this.userFolders = [path.resolve(folder)]
  }

  private get projectFolder(): string {
    return this.userFolders[0] ?? ''
  }

  private wantedSandbox(): HostSandbox {
    const { isOn, writableFolders } = this.sandboxChoice()
    // A folder within another changes nothing: a project in one of the user's folders needs no other op host.
    const folders = [...writableFolders, ...this.userFolders].filter(
      (folder, place, all) =>
        !all.some((other, index) => isWithin(folder, other) && (other !== folder || index < place)),
    )
    return { isOn, folders }
  }

  /** Ends op hosts that are not in the sandbox that is wanted now; where one was in use, another is started. */
  followSandbox(): void {
    const before = this.active
    this.endInOtherSandbox()
    if (before && this.active !== before && !this.closed) void this.host()
  }

  /** A sandbox cannot be changed once it is entered: op hosts of another project, or of other settings, end. */
  private endInOtherSandbox(): void {
    const wanted = this.wantedSandbox()
    const isOther = (host: HostClient | undefined): host is HostClient =>
      host !== undefined && !isSameSandbox(host.sandbox, wanted)
    if (isOther(this.spare)) {
      this.spare.kill('replaced')
      this.spare = undefined
    }
    if (isOther(this.active)) {
      this.active.kill('replaced')
      this.active = undefined
      this.loaded = undefined
    }
  }

  state(): HostState {
    const host = this.active
    return {
      generation: host?.generation ?? this.generation,
      state:
        host === undefined
          ? 'ended'
          : host.busy
            ? 'busy'
            : this.libtorch === ''
              ? 'starting'
              : 'ready',
      libtorch: this.libtorch,
      pid: host?.pid ?? 0,
      ...(host?.bounds ? { sandbox: sandboxStateOf(host.sandbox.isOn, host.bounds) } : {}),
      ...(this.lastExit ? { lastExit: this.lastExit } : {}),
    }
  }

  private tell(): void {
    this.events.onState?.(this.state())
  }

  private start(isSpare = false): HostClient {
    this.generation += 1
    const host = new HostClient({
      generation: this.generation,
      installation: { ...this.installation, addonFolder: this.addonFolder },
      startHost: this.startHost,
      limits: this.limits(),
      userFolders: () => this.userFolders,
      sandbox: this.wantedSandbox(),
      kernels: this.kernelPlace(),
      environment: {
        OPSMITH_VIRTUAL_DEVICE: this.virtualDevice,
        OPSMITH_KERNEL_VARIANT: this.kernelVariant,
        ...this.environment,
      },
      isSpare,
    })
    host.onKernelReports = (lines) => {
      this.events.onKernelReports?.(lines, this.loaded?.folder ?? this.projectFolder)
      this.onKernelReports?.(lines)
    }
    host.onOutput = (stream, text) => this.events.onOutput?.(host.generation, stream, text)
    void host.ended.then((exit) => {
      if (this.spare === host) {
        this.spare = undefined
        return
      }
      const wasInUse = this.active === host
      if (wasInUse) {
        this.active = undefined
        this.loaded = undefined
      }
      // One that hung is told of even where another has taken its place already.
      if (exit.reason !== 'stopped') this.lastExit = exit
      if (wasInUse || exit.reason !== 'stopped') this.tell()
      // The next build or call finds a process that is ready.
      if (wasInUse && !this.closed && this.keepSpare && exit.phase !== '') void this.host()
    })
    return host
  }

  private kernelPlace(): KernelPlace {
    if (this.virtualDevice === '') return 'gpu'
    return this.kernelVariant === 'checked' ? 'checked' : 'virtual'
  }

  private warmSpare(): void {
    if (!this.keepSpare || this.isScarce() || this.closed || this.spare) return
    const timer = setTimeout(() => {
      if (!this.closed && !this.spare) this.spare = this.start(true)
    }, spareDelay)
    timer.unref()
  }

  /** The host in use, started or taken from the spare when there is none. */
  async host(): Promise<Result<HostClient>> {
    if (this.closed) return err('host.unavailable', 'Opsmith is closing.')
    if (this.addonFolder === '') {
      return err(
        'toolchain.missing',
        'The native addon, the part of Opsmith that calls libtorch, has not been built.',
        {
          hint: setupCommand(this.installation.root),
        },
      )
    }
    this.endInOtherSandbox()
    if (!this.active?.alive) {
      this.active = this.spare?.alive ? this.spare : this.start()
      this.active.takeIntoUse()
      this.spare = undefined
      this.loaded = undefined
      this.tell()
    }
    const host = this.active
    const ready = await host.ready
    // Another libtorch was chosen while it started.
    if (!ready.ok && host.exit?.reason === 'stopped') return await this.host()
    if (!ready.ok) return ready
    if (this.announced !== host) {
      this.announced = host
      this.libtorch = ready.value.libtorch
      this.tell()
    }
    return ok(host)
  }

  /** Puts a library into the host in use; nothing happens when it is there already. */
  async load(
    libraryPath: string,
    options: Pick<CallOptions, 'timeout' | 'signal'>,
  ): Promise<Result<LoadReport>> {
    // One at a time: of two that find an older library, both would take it out.
    const before = this.loading
    const { epoch, projectFolder } = this
    const library = { path: libraryPath, folder: projectFolder }
    const mine = { path: libraryPath, report: this.loadAfter(before, library, options, epoch) }
    this.loading = mine
    const done = mine.report.finally(() => {
      if (this.loading === mine) this.loading = undefined
    })
    return await orStopped(done, options.signal)
  }

  private async loadAfter(
    before: HostPool['loading'],
    library: Pick<Loaded, 'path' | 'folder'>,
    options: Pick<CallOptions, 'timeout' | 'signal'>,
    epoch: number,
  ): Promise<Result<LoadReport>> {
    const last = await before?.report
    // What ended the op host, or is no library, would be that again.
    const isSame = before?.path === library.path && last?.ok === false
    if (isSame && last.error.code !== 'cancelled') return last
    for (;;) {
      if (options.signal?.aborted || epoch !== this.epoch) return err('cancelled', 'Stopped.')
      const report = await this.loadAlone(library, options)
      if (report.ok || report.error.code !== 'host.replaced' || this.closed) return report
    }
  }

  private async loadAlone(
    library: Pick<Loaded, 'path' | 'folder'>,
    options: Pick<CallOptions, 'timeout' | 'signal'>,
  ): Promise<Result<LoadReport>> {
    let host = await this.host()
    if (!host.ok) return host
    if (this.loaded?.path === library.path) {
      this.loaded = { ...this.loaded, ...library }
      return ok(this.loaded.report)
    }
    if (this.loaded) {
      // From here on nothing is asked of it that needs a library.
      this.loaded = undefined
      const { value: old } = host
      const late = setTimeout(() => {
        old.kill('replaced')
      }, unloadMilliseconds)
      // The virtual GPU keeps what it knows of a library's kernels and device variables by their addresses.
      const left =
        this.virtualDevice !== ''
          ? replaced
          : await old.call('library.unload', {}, { timeout: 0, phase: 'unloading the library' })
      clearTimeout(late)
      if (!left.ok || !left.value.unloaded) {
        old.kill('replaced')
        host = await this.host()
        if (!host.ok) return host
      }
    }
    const phase = `loading ${path.basename(library.path)}`
    const report = await host.value.call(
      'library.load',
      { path: library.path },
      { ...options, phase },
    )
    if (report.ok && this.active === host.value) {
      this.loaded = { ...library, report: report.value }
      this.lastExit = undefined
    }
    this.tell()
    this.warmSpare()
    return report
  }

  /** The library in the host; undefined when none is loaded. */
  loadedPath(): string | undefined {
    return this.loaded?.path
  }

  /** What the library in the host registered; undefined when none is loaded. */
  loadedReport(): LoadReport | undefined {
    return this.loaded?.report
  }

  /**
   * Waits until the host in use has nothing to do, and is not between two calls of a measurement: for
   * calls that nobody asked for.
   * @param isGivenUp asked again and again; then the answer is false
   */
  async whenIdle(isGivenUp: () => boolean = () => false): Promise<boolean> {
    for (;;) {
      if (isGivenUp() || this.closed) return false
      const host = await this.host()
      // The call will say why.
      if (!host.ok || host.value.idleFor() >= quietMilliseconds) return true
      await new Promise((resolve) => setTimeout(resolve, quietMilliseconds / 2))
    }
  }

  /** @param library is in the op host, or the call is not made: callOnLibrary() loads it again */
  async call<N extends HostCallName>(
    name: N,
    input: HostInput<N>,
    options: CallOptions,
    library?: string,
  ): Promise<Result<HostOutput<N>>> {
    const host = await this.host()
    if (!host.ok) return host
    if (library !== undefined && this.loaded?.path !== library) return replaced
    const answer = host.value.call(name, input, options)
    if (options.phase !== '') this.tell()
    const result = await answer
    if (options.phase !== '') this.tell()
    return result
  }

  /** Ends the host in use and starts another. */
  async restart(): Promise<Result<null>> {
    this.epoch += 1
    this.active?.kill('stopped')
    this.active = undefined
    this.loaded = undefined
    this.lastExit = undefined
    const host = await this.host()
    return host.ok ? ok(null) : host
  }

  /** Ends the hosts that there are, with what they hold; the next call starts another. */
  stop(): void {
    this.epoch += 1
    for (const host of [this.active, this.spare]) host?.kill('stopped')
    this.active = undefined
    this.spare = undefined
    this.loaded = undefined
    this.lastExit = undefined
    this.tell()
  }

  async close(): Promise<void> {
    this.closed = true
    const hosts = [this.active, this.spare].filter((host) => host !== undefined)
    for (const host of hosts) host.kill('stopped')
    await Promise.all(hosts.map((host) => host.ended))
  }
}

/** Whoever stops waiting is answered at once, whatever is waited for. */
function orStopped<T>(answer: Promise<Result<T>>, signal?: AbortSignal): Promise<Result<T>> {
  if (!signal) return answer
  if (signal.aborted) return Promise.resolve(err('cancelled', 'Stopped.'))
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      resolve(err('cancelled', 'Stopped.'))
    }
    signal.addEventListener('abort', stop, { once: true })
    answer
      .then(resolve, reject)
      .finally(() => {
        signal.removeEventListener('abort', stop)
      })
      .catch(() => undefined)
  })
}
