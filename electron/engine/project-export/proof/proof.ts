import { randomUUID } from 'node:crypto'
import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'

import type { ExportStep } from '../../../contract/export'
import { ioError, makeFolder } from '../../project/files'
import { joinOwn, withoutLinks } from '../../project/inside'
import { runProcess } from '../../toolchain/run-command'
import type { CommandLimits } from '../../toolchain/run-command'
import type { ExportedProject } from '../exported-project'
import { lastWords } from './last-words'
import type { ProofTools, Tool } from './tools'

export interface ProofEvents {
  onStart: (name: string) => void
  onStep: (step: ExportStep) => void
  onOutput: (name: string, text: string) => void
}

/** Compilers of exports get no precompiled headers, and machines are slow. */
const limits: CommandLimits = { seconds: 1200, outputBytes: 4 << 20, memoryBytes: 0 }

const quote = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`

/**
 * Builds and runs one export where nothing else is: a copy of it in an empty folder, with that folder
 * as the home, no variables but those a compiler needs, and no network where the kernel can take it
 * away. Steps are recorded one after the other; after one that failed, others are not made.
 */
export class Proof {
  readonly steps: ExportStep[] = []
  private readonly home: string
  /** Folder of the export → folder next to the copy with what was built for it. */
  private readonly built = new Map<string, string>()

  constructor(
    readonly project: ExportedProject,
    readonly tools: ProofTools,
    private readonly events: ProofEvents,
    private readonly signal: AbortSignal | undefined,
  ) {
    this.home = path.join(os.tmpdir(), `opsmith-proof-${process.pid}-${randomUUID().slice(0, 8)}`)
  }

  /** The copy of the export. */
  get folder(): string {
    return path.join(this.home, 'export')
  }

  /** A folder beside the copy. */
  beside(name: string): string {
    return path.join(this.home, name)
  }

  get failed(): boolean {
    return this.steps.some((step) => step.status === 'failed') || this.signal?.aborted === true
  }

  private note(step: ExportStep): void {
    this.steps.push(step)
    this.events.onStep(step)
  }

  /** Copies the files that were exported, and nothing that lies beside them; fails where there is no room. */
  async open(directory: string, files: readonly string[]): Promise<void> {
    try {
      for (const name of files) {
        const target = joinOwn(this.folder, name)
        await makeFolder(path.dirname(target))
        await fs.copyFile(path.join(directory, name), target)
      }
      await makeFolder(this.beside('tmp'))
    } catch (error) {
      this.fail('copy', ioError(error, `copy the export to ${os.tmpdir()}`).error.message)
    }
  }

  /** A file beside the copy: what somebody would write who uses the export. */
  async write(name: string, lines: readonly string[]): Promise<void> {
    const target = this.beside(name)
    await fs.mkdir(path.dirname(target), { recursive: true })
    await fs.writeFile(target, `${lines.join('\n')}\n`)
  }

  /** The files in `from`, next to the copy, belong into the folder `to` of the export once the proof has passed. */
  offer(to: string, from: string): void {
    this.built.set(to, from)
  }

  /**
   * Copies what was built and tested to the export; names relative to it come back. A proof that failed takes files
   * of the same names away, and wheels of the same version: an earlier export may have left them.
   * @param below a folder in each of those that were offered; "" for none
   */
  async deliver(directory: string, below: string): Promise<string[]> {
    const names: string[] = []
    // A proof that was stopped says nothing about earlier wheels.
    if (this.signal?.aborted) return names
    const version = `-${this.project.manifest.version}-`
    for (const [to, from] of this.built) {
      const built = await fs.readdir(from).catch(() => [])
      const earlier = await fs.readdir(path.join(directory, to, below)).catch(() => [])
      const wheels = this.failed
        ? earlier.filter((file) => file.endsWith('.whl') && file.includes(version))
        : []
      for (const file of new Set([...built, ...wheels])) {
        const name = path.posix.join(to, below, file)
        const target = await withoutLinks(directory, name)
        if (!target.ok) {
          this.fail(`copy ${file}`, target.error.message)
          continue
        }
        try {
          await fs.rm(target.value, { force: true })
          if (this.failed) continue
          await makeFolder(path.dirname(target.value))
          await fs.copyFile(path.join(from, file), target.value)
          names.push(name)
        } catch (error) {
          this.fail(`copy ${file}`, ioError(error, `write ${target.value}`).error.message)
        }
      }
    }
    return names.sort()
  }

  async close(): Promise<void> {
    await fs.rm(this.home, { recursive: true, force: true }).catch(() => undefined)
  }

  skip(name: string, reason: string): void {
    if (!this.failed) this.note({ name, status: 'skipped', reason, seconds: 0, log: '' })
  }

  fail(name: string, reason: string): void {
    this.note({ name, status: 'failed', reason, seconds: 0, log: '' })
  }

  /** Whether a tool is here; a step that needs it is skipped, with what to install, when not. */
  has(tool: Tool, name: string): boolean {
    if (tool.problem !== '') this.skip(name, tool.problem)
    return tool.problem === ''
  }

  private environment(more: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
    const {
      compiler,
      libtorch: _libtorch,
      launcher: _launcher,
      offline: _offline,
      ...tools
    } = this.tools
    const folders = [...Object.values(tools).map((tool) => tool.path), compiler]
      .filter((file) => file !== '')
      .map((file) => path.dirname(file))
    return {
      PATH: [...new Set([...folders, '/usr/local/bin', '/usr/bin', '/bin'])].join(':'),
      HOME: this.home,
      TMPDIR: this.beside('tmp'),
      LANG: 'C.UTF-8',
      CXX: compiler,
      MAX_JOBS: String(Math.max(1, Math.min(os.cpus().length, Math.floor(os.freemem() / 2 ** 31)))),
      PIP_NO_INDEX: '1',
      PIP_DISABLE_PIP_VERSION_CHECK: '1',
      npm_config_offline: 'true',
      ...more,
    }
  }

  /** One step: commands one after the other until one fails. True when all ended well. */
  async run(
    name: string,
    commands: readonly (readonly string[])[],
    options: { cwd?: string; env?: Record<string, string> } = {},
  ): Promise<boolean> {
    if (this.failed) return false
    this.events.onStart(name)
    let log = ''
    const say = (text: string): void => {
      log += text
      this.events.onOutput(name, text)
    }
    const started = performance.now()
    let reason = ''
    for (const command of commands) {
      say(`$ ${command.map(quote).join(' ')}\n`)
      const [file = '', ...args] = [...this.tools.launcher, ...this.tools.offline, ...command]
      const result = await runProcess(file, args, {
        cwd: options.cwd ?? this.folder,
        env: this.environment(options.env ?? {}),
        limits,
        signal: this.signal,
        onOutput: say,
      })
      if (result.exitCode === 0) continue
      const short = path.basename(command[0] ?? '')
      reason =
        result.stopped === 'timeout'
          ? `${short} was stopped after ${limits.seconds} s, the time limit`
          : result.stopped === 'cancelled'
            ? 'stopped'
            : result.stopped === undefined
              ? `${short} exited with code ${result.exitCode ?? '?'}: ${lastWords(log)}`
              : `${short} stopped: ${result.signal ?? result.stderr}`
      break
    }
    this.note({
      name,
      status: reason === '' ? 'ok' : 'failed',
      reason: this.withoutOurFolders(reason),
      seconds: (performance.now() - started) / 1000,
      log: this.withoutOurFolders(log),
    })
    return reason === ''
  }

  /** The copy is gone when the log is read: what it names is in the export. */
  private withoutOurFolders(log: string): string {
    return log
      .replaceAll(`${this.folder}/`, '')
      .replaceAll(this.folder, '.')
      .replaceAll(`${this.home}/`, '../')
  }
}
