import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'

import { hostCalls } from '../../contract/host-calls'
import type { HostCallName, HostInput, HostMessage, HostOutput } from '../../contract/host-calls'
import { err, ok, workbenchError } from '../../contract/outcome'
import type { HostExit, Result } from '../../contract/outcome'
import type { SandboxBound } from '../../contract/sandbox'
import { setupCommand } from '../installation'
import { SessionShare } from '../toolchain/priority'
import type { Installation } from '../installation'
import { explainGradientError } from '../explain/gradient-error'
import { parseCrashReport } from './crash-report'
import type { CrashRecord } from './crash-report'
import { adviceAfter, explainExit } from './explain-exit'
import type { KernelPlace, KillReason } from './explain-exit'
import { explainRefusal, hostsFolder, launcherWords, sandboxAdvice } from './sandbox'
import type { HostSandbox } from './sandbox'
import { symbolize } from './symbolize'
import type { HostTransport, StartHost } from './transport'

export interface HostLimits {
  /** Bytes a host may hold; 0: no limit. */
  memoryBytes: number
  /** Bytes a host may print in one call. */
  outputBytes: number
  /** Bytes that its folder for temporary files may hold. */
  temporaryBytes: number
  /** Seconds without an answer to a ping after which a host is given up. */
  pingSeconds: number
  /** Seconds from start to libtorch loaded. */
  startSeconds: number
}

export const defaultHostLimits: HostLimits = {
  memoryBytes: 0,
  outputBytes: 64 << 20,
  temporaryBytes: 8 * 2 ** 30,
  pingSeconds: 20,
  startSeconds: 60,
}

export interface CallOptions {
  /** Seconds; 0 for none. */
  timeout: number
  signal?: AbortSignal | undefined
  /** Said when the host dies in the meantime: "call my_op::f". */
  phase: string
  /** Nobody waits for it: its op host gets what other programs leave of the processors, unless it has more to do. */
  isBackground?: boolean | undefined
}

interface Pending {
  call: HostCallName
  phase: string
  signal: AbortSignal | undefined
  isBackground: boolean
  resolve: (result: Result<unknown>) => void
  started: number
}

const timeoutHint =
  'Look for an endless loop or a deadlock. If the call needs more time, raise the limit: "timeout" of the call in opsmith.json, else “Time limit of a call” in Settings. Some commands also have --timeout.'

/** Whoever asked for this did not stop it: it may be asked again. */
export const replaced = err(
  'host.replaced',
  'Opsmith ended the process that runs operators before this call had finished: another call was stopped, or the library or the sandbox changed.',
  { hint: 'Run the call again.' },
)

/** The reason of a signal that ends a call since the user does not want to wait for it any longer. */
export const stoppedByUser = 'stopped by the user'
/** Milliseconds after which a call that is stopped says where it was. */
const noticed = 1_000
/** Milliseconds that an op host has to say where its call hangs. On a busy machine it needs some seconds. */
const dumpPatience = 3_000

const keptOutput = 16_384
const reportName = 'crash-report.txt'

export interface HostStart {
  generation: number
  installation: Installation
  startHost: StartHost
  limits: HostLimits
  /** Folders whose frames in a stack are the user's; asked when a host has ended. */
  userFolders: () => readonly string[]
  sandbox: HostSandbox
  /** On top of what every op host gets. */
  environment: Readonly<Record<string, string>>
  kernels: KernelPlace
  /** Nobody waits for it yet; see takeIntoUse(). */
  isSpare?: boolean
}

/** One generation of the op host: its process, its calls, its end. */
export class HostClient {
  readonly ready: Promise<Result<{ libtorch: string; seconds: number }>>
  /** Resolves once, when the process is gone and its traces are read. */
  readonly ended: Promise<HostExit>
  exit: HostExit | undefined
  /** Called before the answer of the call that the kernels ran in. */
  onKernelReports: ((lines: string) => void) | undefined
  onOutput: ((stream: 'stdout' | 'stderr', text: string) => void) | undefined
  private readonly transport: HostTransport
  private readonly share: SessionShare
  /** Its crash report and its temporary files. */
  private readonly folder: string
  private readonly temporaryFolder: string
  private readonly pending = new Map<number, Pending>()
  private nextId = 1
  private killed: KillReason | undefined
  private killedAfter = 0
  /** What came instead of a message. */
  private cameInstead = ''
  private deviceError = ''
  private lastOutput = ''
  private outputInCall = 0
  private gone = false
  private lastWork = 0
  private pinging: NodeJS.Timeout | undefined

  private readonly kernels: KernelPlace
  readonly generation: number
  readonly sandbox: HostSandbox
  /** What the sandbox keeps it from; undefined until it is ready. */
  bounds: readonly SandboxBound[] | undefined
  private readonly limits: HostLimits
  private readonly userFolders: () => readonly string[]

  constructor(start: HostStart) {
    const { generation, installation, startHost, limits, userFolders, sandbox } = start
    this.generation = generation
    this.sandbox = sandbox
    this.limits = limits
    this.userFolders = userFolders
    this.kernels = start.kernels
    const name = `${process.pid}-${generation}-${randomUUID().slice(0, 8)}`
    this.folder = path.join(hostsFolder(installation), name)
    this.temporaryFolder = path.join(this.folder, 'tmp')
    fs.mkdirSync(this.temporaryFolder, { recursive: true })
    this.transport = startHost({
      entry: installation.hostEntry,
      launcher: launcherWords(installation, sandbox),
      environment: {
        OPSMITH_ADDON_FILE: path.join(installation.addonFolder, 'opsmith_native.node'),
        OPSMITH_SETUP_COMMAND: setupCommand(installation.root),
        OPSMITH_CRASH_REPORT: path.join(this.folder, reportName),
        OPSMITH_MEMORY_LIMIT: String(limits.memoryBytes),
        // What user code leaves there goes with the op host.
        TMPDIR: this.temporaryFolder,
        // Threads that spin while they wait slow down everything else on a small machine.
        OMP_WAIT_POLICY: 'passive',
        // libtorch's profiler announces each session on stderr.
        KINETO_LOG_LEVEL: '99',
        ...start.environment,
      },
    })
    this.share = new SessionShare(this.transport.pid)
    this.share.setBackground(start.isSpare === true)
    let settleReady: (result: Result<{ libtorch: string; seconds: number }>) => void = () =>
      undefined
    this.ready = new Promise((resolve) => {
      settleReady = resolve
    })
    let slow: NodeJS.Timeout | undefined
    const startClock = (): void => {
      slow = setTimeout(() => {
        this.kill('unresponsive')
      }, limits.startSeconds * 1000)
    }
    if (!this.transport.isQueued) startClock()
    let settleEnded: (exit: HostExit) => void = () => undefined
    this.ended = new Promise((resolve) => {
      settleEnded = resolve
    })
    this.transport.listen({
      onOutput: (stream, text) => {
        this.takeOutput(stream, text)
      },
      onMessage: (message) => {
        if (message.kind === 'ready') {
          clearTimeout(slow)
          this.bounds = message.sandbox
          settleReady(ok({ libtorch: message.libtorch, seconds: message.seconds }))
          this.schedulePing()
        } else if (message.kind === 'refused') {
          settleReady({ ok: false, error: message.error })
          this.kill('stopped')
        } else {
          this.takeAnswer(message)
        }
      },
      onBroken: (what) => {
        this.cameInstead = what
        this.kill('broken')
      },
      onPlaced: startClock,
      onExit: (code, signal, lost = '') => {
        clearTimeout(slow)
        void this.finish(code, signal, lost).then((exit) => {
          settleReady(
            err(
              'host.unavailable',
              `Opsmith could not start the process that runs operators: ${exit.message}`,
              {
                detail: exit.lastOutput,
                exit,
              },
            ),
          )
          settleEnded(exit)
        })
      },
    })
  }

  get pid(): number | undefined {
    return this.transport.pid
  }

  /** Takes calls; one that was killed does not, though its process may be there for a moment yet. */
  get alive(): boolean {
    return !this.gone && this.killed === undefined
  }

  get busy(): boolean {
    return this.pending.size > 0
  }

  /** Milliseconds since the last call ended that has a phase; 0 while one is under way. */
  idleFor(): number {
    const isWorking = [...this.pending.values()].some(({ phase }) => phase !== '')
    return isWorking ? 0 : performance.now() - this.lastWork
  }

  async call<N extends HostCallName>(
    name: N,
    input: HostInput<N>,
    options: CallOptions,
  ): Promise<Result<HostOutput<N>>> {
    if (options.signal?.aborted) return err('cancelled', 'Stopped.')
    if (this.killed === 'replaced') return replaced
    if (!this.alive) return err('host.unavailable', 'This op host has ended.')
    const id = this.nextId
    this.nextId += 1
    const started = performance.now()
    if (this.pending.size === 0) this.outputInCall = 0
    const answer = new Promise<Result<unknown>>((resolve) => {
      const { phase, signal, isBackground = false } = options
      this.pending.set(id, { call: name, phase, signal, isBackground, resolve, started })
    })
    this.shareProcessors()
    const timer =
      options.timeout > 0
        ? setTimeout(() => {
            void this.giveUp(options.timeout)
          }, options.timeout * 1000)
        : undefined
    // User code cannot be interrupted: to cancel is to end this generation.
    const onAbort = (): void => {
      if (options.signal?.reason === stoppedByUser) void this.stopCall(started)
      else this.kill('replaced')
    }
    options.signal?.addEventListener('abort', onAbort, { once: true })
    this.transport.send({ id, call: name, input })
    const result = await answer
    clearTimeout(timer)
    options.signal?.removeEventListener('abort', onAbort)
    if (!result.ok) return result
    const parsed = hostCalls[name].output.safeParse(result.value)
    return parsed.success
      ? ok(parsed.data as HostOutput<N>)
      : err(
          'internal',
          `The process that runs operators sent an invalid answer to the call "${name}", because of a bug in Opsmith. Try again.`,
          {
            detail: parsed.error.message,
          },
        )
  }

  /** Somebody waits for it, from now on. */
  takeIntoUse(): void {
    this.share.setBackground(false)
  }

  /** Calls without a phase are short, or wait until there is no other: they change nothing. */
  private shareProcessors(): void {
    const calls = [...this.pending.values()].filter(({ phase }) => phase !== '')
    if (calls.length > 0) this.share.setBackground(calls.every(({ isBackground }) => isBackground))
  }

  /** Ends the process; calls under way are answered when it is gone. */
  kill(reason: KillReason): void {
    if (this.gone) return
    this.killed ??= reason
    this.transport.kill()
  }

  private async giveUp(seconds: number): Promise<void> {
    this.killedAfter = seconds
    await this.dumpStack()
    this.kill('timeout')
  }

  /** Who waited for long wants to know where it was. */
  private async stopCall(started: number): Promise<void> {
    const milliseconds = performance.now() - started
    if (milliseconds > noticed) {
      this.killedAfter = milliseconds / 1000
      await this.dumpStack()
    }
    this.kill('replaced')
  }

  /** Writes where the call is into the crash report; a host whose event loop hangs as well answers nothing. */
  private async dumpStack(): Promise<void> {
    await Promise.race([
      this.call('host.dumpStack', {}, { timeout: 0, phase: '' }),
      new Promise((resolve) => setTimeout(resolve, dumpPatience)),
    ])
  }

  private schedulePing(): void {
    this.pinging = setTimeout(() => {
      const late = setTimeout(() => {
        this.kill('unresponsive')
      }, this.limits.pingSeconds * 1000)
      void this.call('host.ping', {}, { timeout: 0, phase: '' })
        .then(() => this.checkTemporaryFiles())
        .then(() => {
          clearTimeout(late)
          if (!this.gone) this.schedulePing()
        })
    }, 2000)
    this.pinging.unref()
  }

  private async checkTemporaryFiles(): Promise<void> {
    const bytes = await folderBytes(this.temporaryFolder)
    if (bytes > this.limits.temporaryBytes) this.kill('temporary-files')
  }

  private takeOutput(stream: 'stdout' | 'stderr', text: string): void {
    this.outputInCall += text.length
    if (this.outputInCall > this.limits.outputBytes) {
      this.kill('output')
      return
    }
    this.lastOutput = (this.lastOutput + text).slice(-keptOutput)
    this.onOutput?.(stream, text)
  }

  private takeAnswer(message: Extract<HostMessage, { kind: 'answer' }>): void {
    if (message.kernelReports !== undefined) this.onKernelReports?.(message.kernelReports)
    const pending = this.pending.get(message.id)
    if (!pending) return
    const lost = message.result.ok ? undefined : lostDevice(message.result.error)
    if (lost !== undefined) {
      // Nothing on the device works in that process any more: the call is answered when it has ended.
      this.deviceError = lost
      this.kill('device')
      return
    }
    this.pending.delete(message.id)
    if (pending.phase !== '') this.lastWork = performance.now()
    this.shareProcessors()
    if (message.result.ok) {
      pending.resolve(ok(message.result.value))
      return
    }
    const parsed = workbenchError.safeParse(message.result.error)
    pending.resolve(
      parsed.success
        ? { ok: false, error: explainRefusal(explainGradientError(parsed.data), this.bounds ?? []) }
        : err(
            'internal',
            'The process that runs operators sent an invalid error message, because of a bug in Opsmith. Try again.',
          ),
    )
  }

  private readReport(): CrashRecord[] {
    try {
      return parseCrashReport(fs.readFileSync(path.join(this.folder, reportName), 'utf8'))
    } catch {
      return []
    }
  }

  private adviceAfter(exit: HostExit): string {
    const ofSandbox = sandboxAdvice(`${exit.message}\n${exit.lastOutput}`, this.bounds ?? [])
    return [adviceAfter(exit, this.kernels), ofSandbox].filter((text) => text !== '').join(' ')
  }

  private async finish(
    code: number | null,
    signal: string | null,
    lost: string,
  ): Promise<HostExit> {
    this.gone = true
    this.share.close()
    clearTimeout(this.pinging)
    const records = this.readReport()
    const record = records.find((candidate) => candidate.reason !== 'dump')
    const dump = records.findLast((candidate) => candidate.reason === 'dump')
    const told = record ?? dump
    const running = [...this.pending.values()].find((pending) => pending.phase !== '')
    const explained = explainExit({
      generation: this.generation,
      code,
      signal,
      killed: this.killed,
      limits: this.limits,
      cameInstead: this.cameInstead,
      deviceError: this.deviceError,
      phase: running?.phase ?? '',
      seconds: this.killedAfter,
      lastOutput: this.lastOutput,
      record,
      dump,
      stack: told ? await symbolize(told, this.userFolders()) : [],
    })
    // What we have ended ourselves has our reason.
    const exit: HostExit =
      lost === '' || this.killed !== undefined
        ? explained
        : { ...explained, reason: 'killed', message: lost }
    this.exit = exit
    for (const pending of this.pending.values()) {
      const isUnwanted = this.killed === 'stopped' || pending.signal?.aborted === true
      if (exit.reason === 'stopped')
        pending.resolve(isUnwanted ? err('cancelled', 'Stopped.', { exit }) : replaced)
      else if (exit.reason === 'timeout')
        pending.resolve(
          err('host.timeout', exit.message, {
            exit,
            hint: this.killed === 'timeout' ? timeoutHint : 'Run the call again.',
          }),
        )
      else {
        pending.resolve(
          err('host.crashed', exit.message, {
            exit,
            hint: this.adviceAfter(exit),
          }),
        )
      }
    }
    this.pending.clear()
    await this.transport.endRest()
    await fs.promises.rm(this.folder, { recursive: true, force: true }).catch(() => undefined)
    return exit
  }
}

/** What the device reports, of an error that means that it is lost for the process. */
function lostDevice(error: unknown): string | undefined {
  const parsed = workbenchError.safeParse(error)
  return parsed.success && parsed.data.code === 'device.lost' ? parsed.data.message : undefined
}

/** Bytes of the files below a folder; those that go away in the meantime do not count. */
async function folderBytes(folder: string): Promise<number> {
  const entries = await fs.promises.readdir(folder, { withFileTypes: true }).catch(() => [])
  const sizes = await Promise.all(
    entries.map(async (entry) => {
      const file = path.join(folder, entry.name)
      if (entry.isDirectory()) return await folderBytes(file)
      const stat = await fs.promises.lstat(file).catch(() => undefined)
      return stat?.isFile() ? stat.size : 0
    }),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}
