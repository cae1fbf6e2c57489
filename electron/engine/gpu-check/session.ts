import fs from 'node:fs'
import path from 'node:path'

import type { BuildReport } from '../../contract/build'
import { hostCalls } from '../../contract/host-calls'
import type { HostCallName, HostInput, HostOutput } from '../../contract/host-calls'
import type { Argument, InputSpec } from '../../contract/manifest-values'
import { inputSpec } from '../../contract/manifest-values'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { RunReport } from '../../contract/run'
import type { OpenedTiming } from '../../contract/timing'
import type { DeviceState } from '../../contract/timing-device'
import type { Libraries, LibraryCalls } from '../builds/libraries'
import { buildProject } from '../compile/build'
import { chooseHost } from '../toolchain/nvcc-host'
import type { CallOptions } from '../host/host-client'
import type { HostPool } from '../host/host-pool'
import type { Installation } from '../installation'
import type { OpenProject } from '../project/open-project'
import type { GpuFacts } from './facts'

/** A call on the first GPU; its inputs are float32. */
export interface CallOfCheck {
  /** An operator, or a TorchScript expression over x and y. */
  op?: string
  expression?: string
  args?: Argument[]
  shapes?: Record<string, number[]>
}

export interface Timed {
  opened: OpenedTiming
  /** Of one call. */
  seconds: number[]
  /** Of the device, at work. */
  states: DeviceState[]
  /** How many of the samples include a launch, since the host was not ahead of the device. */
  behind: number
}

/** What was built of native/gpu_check. */
export interface CheckLibrary {
  report: BuildReport
  /** Why nvcc will refuse its host compiler; "" where it will not. */
  refusedHost: string
}

const firstDevice = 'cuda:0'

/** What an op host that ends was doing: "call aten::relu". */
function phaseOf<N extends HostCallName>(name: N, input: HostInput<N>): string {
  const { phase } = hostCalls[name] as { phase?: (input: HostInput<N>) => string }
  return phase?.(input) ?? `checking the GPU: ${name}`
}

const stopped = err('cancelled', 'Stopped.')

const inputOn = (device: string, shape: number[]): InputSpec =>
  inputSpec.parse({ shape, device, seed: 0 })

interface SessionServices {
  installation: Installation
  libraries: Libraries
}

interface Checked {
  /** A copy of native/gpu_check. */
  project: OpenProject
  facts: GpuFacts
  /** By default the first GPU. */
  device?: string
}

/** One run of the checks: its op hosts, and the library that they load. */
export class GpuSession {
  readonly project: OpenProject
  readonly facts: GpuFacts
  readonly device: string
  private pool: HostPool | undefined
  private built: Promise<Result<CheckLibrary>> | undefined

  constructor(
    private readonly services: SessionServices,
    { project, facts, device = firstDevice }: Checked,
    readonly signal: AbortSignal,
  ) {
    this.project = project
    this.facts = facts
    this.device = device
  }

  /** Builds native/gpu_check with nvcc, once; a compile that failed is an answer. */
  library(): Promise<Result<CheckLibrary>> {
    this.built ??= this.build()
    return this.built
  }

  private async build(): Promise<Result<CheckLibrary>> {
    const { toolchain } = this.facts
    if (!toolchain.ok) return toolchain
    if (this.signal.aborted) return stopped
    const { cuda, compiler } = toolchain.value
    if (!cuda && this.project.manifest.cudaSources.length > 0)
      return err(
        'toolchain.missing',
        'nvcc was not found, so the GPU self-test cannot compile its kernels. Install the CUDA toolkit.',
      )
    const { installation } = this.services
    const request = { installation, project: this.project, toolchain: toolchain.value }
    const report = await buildProject(request, { signal: this.signal })
    if (!report.ok) return report
    const refusedHost = cuda ? chooseHost(cuda, compiler).refused : ''
    return ok({ report: report.value, refusedHost })
  }

  /** The op hosts of this run, apart from those in use. */
  async hosts(): Promise<Result<HostPool>> {
    if (this.pool) return ok(this.pool)
    const opened = await this.services.libraries.openHostsBeside(this.project)
    if (opened.ok) this.pool = opened.value
    return opened
  }

  async close(): Promise<void> {
    await this.pool?.close()
  }

  /**
   * A call of an op host, which has the library where that was built.
   * @param seconds after which it is given up
   */
  async call<N extends HostCallName>(
    name: N,
    input: HostInput<N>,
    seconds = 60,
  ): Promise<Result<HostOutput<N>>> {
    if (this.signal.aborted) return stopped
    const hosts = await this.hosts()
    if (!hosts.ok) return hosts
    const limits = { timeout: seconds, signal: this.signal }
    return await this.callIn(hosts.value, name, input, limits)
  }

  private async callIn<N extends HostCallName>(
    hosts: HostPool,
    name: N,
    input: HostInput<N>,
    limits: Omit<CallOptions, 'phase'>,
  ): Promise<Result<HostOutput<N>>> {
    const library = this.built === undefined ? undefined : await this.built
    if (library?.ok && library.value.report.ok) {
      const loaded = await hosts.load(library.value.report.loadPath, limits)
      if (!loaded.ok) return loaded
    }
    return await hosts.call(name, input, { ...limits, phase: phaseOf(name, input) })
  }

  /** As operator checks see it. */
  calls(): LibraryCalls {
    const { libraries } = this.services
    return {
      call: (name, input, { timeout }) => this.call(name, input, timeout),
      openHostsBeside: (environment) => libraries.openHostsBeside(this.project, environment),
      callBeside: (hosts, name, input, options) => this.callIn(hosts, name, input, options),
    }
  }

  /** Opens a call, gives it to `use`, and closes it. */
  async opened<T>(
    { op = '', expression, args = ['x'], shapes = { x: [1024] } }: CallOfCheck,
    { cold = false }: { cold?: boolean },
    use: (opened: OpenedTiming) => Promise<Result<T>>,
  ): Promise<Result<T>> {
    const inputs = Object.fromEntries(
      Object.entries(shapes).map(([name, shape]) => [name, inputOn(this.device, shape)]),
    )
    const opened = await this.call('timing.open', {
      op,
      args: expression === undefined ? args : [],
      inputs,
      ...(expression === undefined ? {} : { expression }),
      direction: 'forward',
      threads: 1,
      cold,
      fresh: false,
    })
    if (!opened.ok) return opened
    const used = await use(opened.value)
    await this.call('timing.close', { handles: [opened.value.handle] })
    return used
  }

  /** @param seconds that samples are taken for; 0: once */
  async timed(
    call: CallOfCheck,
    { cold = false, count, seconds = 0 }: { cold?: boolean; count: number; seconds?: number },
  ): Promise<Result<Timed>> {
    return await this.opened(call, { cold }, async (opened) => {
      const { handle } = opened
      const timed: Timed = { opened, seconds: [], states: [], behind: 0 }
      const started = performance.now()
      do {
        const taken = await this.call('timing.sample', { handle, count })
        if (!taken.ok) return taken
        timed.seconds.push(...taken.value.seconds)
        const { device } = taken.value
        if (device) timed.states.push(device.after)
        timed.behind += device?.behind ?? 0
      } while (performance.now() - started < seconds * 1000)
      return ok(timed)
    })
  }

  /** Why the call cannot be replayed, "" where it can, with the seconds of one call. */
  async replayed(
    call: CallOfCheck,
    count = 20,
  ): Promise<Result<{ missing: string; seconds: number[] }>> {
    return await this.opened(
      call,
      {},
      async ({ handle }) => await this.call('timing.replay', { handle, count }),
    )
  }

  /** One call. */
  async run(
    op: string,
    { args = ['x'], device = this.device, seconds = 30 }: RunOptions = {},
  ): Promise<Result<RunReport>> {
    const values = [1, 2, 3, 4]
    const x = inputSpec.parse({ values, device })
    return await this.call('operator.run', { op, args, inputs: { x } }, seconds)
  }

  /** Why the operator does not give 2, 3, 4, 5 of 1, 2, 3, 4; "" where it does. */
  async whyNotAddingOne(
    op: string,
    { args = ['x'], device = this.device }: RunOptions,
  ): Promise<string> {
    const run = await this.run(op, { args, device })
    if (!run.ok) return run.error.message
    const [output] = run.value.outputs
    if (output?.kind !== 'tensor') return `${op} did not return a tensor`
    const { count, min, max, mean } = output.stats
    return count === 4 && min === 2 && max === 5 && mean === 3.5
      ? ''
      : `adding 1 to 1, 2, 3, 4 gave wrong numbers, from ${String(min)} to ${String(max)}`
  }
}

interface RunOptions {
  args?: Argument[]
  device?: string
  seconds?: number
}

/** A copy of native/gpu_check that a build may write into. */
export function copyCheckProject({ root, cacheFolder }: Installation): string {
  const folder = path.join(cacheFolder, 'gpu-check')
  fs.mkdirSync(folder, { recursive: true })
  const source = path.join(root, 'native', 'gpu_check')
  for (const name of fs.readdirSync(source)) {
    const text = fs.readFileSync(path.join(source, name))
    const file = path.join(folder, name)
    // The same text keeps its time: nothing is compiled again for it.
    if (!fs.existsSync(file) || !fs.readFileSync(file).equals(text)) fs.writeFileSync(file, text)
  }
  return folder
}
