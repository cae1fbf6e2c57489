import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import type { BuildReport, BuildStep } from '../../contract/build'
import type { Diagnostic } from '../../contract/diagnostics'
import type { Manifest } from '../../contract/manifest'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { explainAll } from '../explain/explain'
import { findAddon } from '../toolchain/addon-location'
import type { Toolchain } from '../toolchain/choose'
import { compileLimits, runProcess } from '../toolchain/run-command'
import type { CommandResult } from '../toolchain/run-command'
import {
  explainCpuBuild,
  messagesOf,
  plainError,
  shellQuote,
  stoppedBecause,
} from './build-messages'
import { kernelsOf } from './cuda'
import { parseDepfile } from './depfile'
import type { CompileServer } from './hot/compile-server'
import { missingHeader, parseLinkerOutput, placeInProject } from './diagnostics'
import type { BuildVariant } from './flags'
import { LibraryLink } from './library-link'
import { hashOf, ResultCache } from './result-cache'
import { temporaryBeside } from './sealed-files'
import { installCommand } from '../toolchain/pkg-config'
import type { CompileTask } from './compile-task'
import type { BuildPlan } from './plan'
import type { OpenProject } from '../project/open-project'
import { TimeTracer } from './time-trace'

export interface BuildOptions {
  signal?: AbortSignal
  /** Command lines and what the compilers print, as it comes. */
  onOutput?: (text: string) => void
  onProgress?: (done: number, steps: number) => void
  /** What a user should know of the build besides its diagnostics; it is in the output too. */
  onRemark?: (text: string) => void
  /** Called when a precompiled header would have served, had it been there. */
  onMissingPrelude?: () => void
  /** Compiles and links the project's own sources anew, and says where the time went. */
  timeTrace?: boolean
  /** What CUDA sources are compiled for, in place of the GPUs of this machine: "80", "90a". */
  cudaArchitectures?: readonly string[]
}

interface Compiled {
  step: BuildStep
  /** By a compile server: it needs the library of shared code. */
  hot: boolean
  object: string
  objectKey: string
  diagnostics: Diagnostic[]
}

interface Linked {
  step: BuildStep
  /** By the linker itself, which takes symbols on trust; or of what a compile server compiled. */
  hot: boolean
  key: string
  loadPath: string
  diagnostics: Diagnostic[]
}

/** What one build is made of. */
export interface BuildParts {
  project: OpenProject
  plan: BuildPlan
  variant: BuildVariant
  /** Awaited by the sources that it compiles, and by no other; without one, compilers are run. */
  server?: Promise<CompileServer | undefined>
}

/** The objects of all projects, as a build of this one finds them. */
export function objectCache(
  project: OpenProject,
  plan: BuildPlan,
  onDamaged?: () => void,
): ResultCache {
  return new ResultCache({
    folder: path.join(plan.tools.installation.cacheFolder, 'objects'),
    projectFolder: project.folder,
    contentFolders: plan.contentFolders,
    nameOf: (key) => `${key}.o`,
    ...(onDamaged ? { onDamaged } : {}),
  })
}

/** Compiles one project; an instance lives as long as a build. */
export class ProjectBuild {
  private readonly cache: ResultCache
  private done = 0
  private readonly tracer: TimeTracer | undefined
  private readonly server: Promise<CompileServer | undefined>

  constructor(
    private readonly parts: BuildParts,
    private readonly options: BuildOptions,
  ) {
    const { project, plan } = parts
    const { family } = plan.tools.toolchain.compiler
    this.cache = objectCache(project, plan, () => {
      this.remark('an object was damaged in the cache: it is compiled again')
    })
    this.tracer = options.timeTrace ? new TimeTracer(family) : undefined
    this.server = parts.server ?? Promise.resolve(undefined)
  }

  private get plan(): BuildPlan {
    return this.parts.plan
  }

  private get toolchain(): Toolchain {
    return this.plan.tools.toolchain
  }

  private get folder(): string {
    return this.parts.project.folder
  }

  private get manifest(): Manifest {
    return this.parts.project.manifest
  }

  private say(text: string): void {
    this.options.onOutput?.(text)
  }

  private remark(text: string): void {
    this.say(`note: ${text}\n`)
    this.options.onRemark?.(text)
  }

  /** A compiler or linker in the project's folder, its command line and output in the log. */
  private async runTool(
    command: string,
    args: readonly string[],
    environment: Record<string, string> = {},
  ): Promise<CommandResult> {
    this.say(`$ ${[command, ...args].map(shellQuote).join(' ')}\n`)
    return await runProcess(command, args, {
      cwd: this.folder,
      limits: compileLimits,
      signal: this.options.signal,
      onOutput: (text) => {
        this.say(text)
      },
      // Messages in English whatever the locale: they are parsed.
      env: { ...process.env, LC_ALL: 'C', ...environment },
    })
  }

  private progress(): void {
    this.done += 1
    this.options.onProgress?.(this.done, this.plan.compiles.length + 1)
  }

  private isCuda(task: CompileTask): boolean {
    return task.command === this.toolchain.cuda?.nvcc
  }

  private judge(output: string, task: CompileTask): Diagnostic[] {
    const compiler = this.isCuda(task) ? 'nvcc' : this.toolchain.compiler.family
    const messages = messagesOf(output, this.folder, task.source, compiler)
    const parsed = messages.map(({ diagnostic, text }) => {
      const placed = placeInProject(diagnostic, this.plan.contentFolders)
      return { diagnostic: placed, raw: text, isFromElsewhere: placed !== diagnostic }
    })
    return explainAll(parsed).map((diagnostic) => {
      const header = missingHeader(diagnostic.message)
      if (header === undefined || this.manifest.systemPackages.length === 0) return diagnostic
      const hint = `If ${header} belongs to a package this project needs: ${installCommand(this.manifest.systemPackages)}`
      return {
        ...diagnostic,
        notes: [
          ...diagnostic.notes,
          { severity: 'note' as const, file: '', line: 0, column: 0, message: hint },
        ],
      }
    })
  }

  /** As a compile server does it; undefined when there is none for this source, or it could not. */
  private async compileHot(
    server: CompileServer | undefined,
    task: CompileTask,
    output: string,
    depfile: string,
  ): Promise<CommandResult | undefined> {
    if (!server || !task.server) return undefined
    this.say(`${task.label}: by the compile server\n`)
    const request = { folder: this.folder, source: task.source, output, depfile, ...task.server }
    const answer = await server.compile(request, this.options.signal)
    if (!answer || answer.exitCode === null) {
      if (!this.options.signal?.aborted) this.say('the compile server gave up; once more without\n')
      return undefined
    }
    this.say(answer.text)
    const { exitCode, text, seconds } = answer
    return { exitCode, stdout: '', stderr: text, seconds, truncated: false }
  }

  private async compile(task: CompileTask): Promise<Compiled> {
    // What all projects share was compiled once on this machine: it is no part of this one's time.
    const isShared = task.source.startsWith(this.plan.tools.includes.folder + path.sep)
    const tracer = isShared ? undefined : this.tracer
    const server = task.server ? await this.server : undefined
    const hotKey = server && hashOf('hot-1', server.program.key, task.key)
    const plain = tracer ? undefined : this.cache.find(task.key)
    const hit = plain ?? (hotKey === undefined ? undefined : this.cache.find(hotKey))
    const { label } = task
    if (hit) {
      this.say(`${label}: unchanged\n${hit.output}`)
      this.progress()
      return {
        step: {
          kind: 'compile',
          label,
          command: [],
          seconds: 0,
          cached: true,
          ok: true,
          ...(this.isCuda(task) ? { kernels: await kernelsOf(hit.output) } : {}),
        },
        hot: !plain,
        object: hit.file,
        objectKey: hit.key,
        diagnostics: this.judge(hit.output, task),
      }
    }
    // Compilers leave files behind when they are ended, next to their output and in TMPDIR.
    const scratch = this.cache.temporary()
    fs.mkdirSync(scratch)
    const depfile = path.join(scratch, 'object.d')
    // clang has a flag for this that does not name the folder: flags.ts.
    const isGcc =
      task.command === this.toolchain.compiler.path && this.toolchain.compiler.family === 'g++'
    const prefix = isGcc ? [`-fdebug-prefix-map=${this.folder}=.`] : []
    const output = path.join(scratch, 'object.o')
    const isCxx = task.command === this.toolchain.compiler.path
    const traceFile = path.join(scratch, 'object.json')
    const traced = tracer?.flags(isCxx, traceFile) ?? []
    const start = tracer?.now() ?? 0
    const args = [
      ...task.args,
      ...prefix,
      ...traced,
      '-MD',
      '-MF',
      depfile,
      '-c',
      task.source,
      '-o',
      output,
    ]
    try {
      const hot = await this.compileHot(server, task, output, depfile)
      const result = hot ?? (await this.runTool(task.command, args, { TMPDIR: scratch }))
      const printed = result.stderr + result.stdout
      const { seconds } = result
      const said = tracer
        ? tracer.takeCompile({ label, start, seconds, isCxx }, traceFile, printed)
        : printed
      const good = result.exitCode === 0
      const diagnostics = this.judge(said, task)
      const why = stoppedBecause(result, label)
      if (why !== undefined) diagnostics.push(plainError(why))
      if (
        !good &&
        result.stopped !== 'cancelled' &&
        !diagnostics.some((d) => d.severity === 'error')
      ) {
        const last = said.trim().split('\n').at(-1) ?? 'the compiler failed'
        diagnostics.push(plainError(`${label}: ${last}`))
      }
      this.progress()
      const step: BuildStep = {
        kind: 'compile',
        label,
        command: hot ? [] : [task.command, ...args],
        seconds: result.seconds,
        cached: false,
        ok: good,
        ...(this.isCuda(task) ? { kernels: await kernelsOf(said) } : {}),
      }
      if (!good) return { step, hot: false, object: '', objectKey: '', diagnostics }
      const read = fs.existsSync(depfile) ? parseDepfile(fs.readFileSync(depfile, 'utf8')) : []
      const { libtorch, cuda } = this.toolchain
      const covered = [this.plan.tools.includes.folder, libtorch.folder, cuda?.folder ?? ''].filter(
        (root) => root !== '',
      )
      const headers = read
        .map((file) => path.resolve(this.folder, file))
        .filter(
          (file) =>
            file !== path.resolve(this.folder, task.source) &&
            !file.endsWith('.pch') &&
            !covered.some((root) => file.startsWith(root + path.sep)),
        )
      const key = hot && hotKey !== undefined ? hotKey : task.key
      const stored = this.cache.store(key, output, headers, said)
      return {
        step,
        hot: hot !== undefined,
        object: stored.file,
        objectKey: stored.key,
        diagnostics,
      }
    } finally {
      fs.rmSync(scratch, { recursive: true, force: true })
    }
  }

  /** As many compilers as there are cores and memory for: a libtorch source takes about 1.5 GB. */
  private async compileAll(): Promise<Compiled[]> {
    const width = Math.max(
      1,
      Math.min(os.cpus().length, Math.floor(os.freemem() / (1.5 * 2 ** 30))),
    )
    const results: Compiled[] = []
    // nvcc takes longest: it begins first.
    const waiting = [...this.plan.compiles.entries()].sort(
      ([, a], [, b]) => Number(this.isCuda(b)) - Number(this.isCuda(a)),
    )
    const worker = async (): Promise<void> => {
      for (let task = waiting.shift(); task; task = waiting.shift()) {
        if (this.options.signal?.aborted) return
        results[task[0]] = await this.compile(task[1])
      }
    }
    await Promise.all(Array.from({ length: width }, worker))
    return results
  }

  private async link(objects: readonly Compiled[]): Promise<Linked> {
    const name = `lib${this.manifest.name}.so`
    let isDamaged = false
    const link = new LibraryLink({
      plan: this.plan,
      folder: this.folder,
      name,
      objects,
      onDamaged: () => {
        if (!isDamaged) this.remark(`${name} was damaged in the cache: it is linked again`)
        isDamaged = true
      },
      run: (command, args) => this.runTool(command, args),
    })
    const byServer = objects.some((object) => object.hot)
    // Where a server is up, the quick link serves what nvcc compiled too: the plain one comes behind it.
    const plain = byServer ? undefined : link.find('plain')
    const isPlain = !byServer && (!link.direct || plain !== undefined)
    const hot = isPlain ? undefined : (await this.server)?.program
    const base: BuildStep = {
      kind: 'link',
      label: name,
      command: [],
      seconds: 0,
      cached: true,
      ok: true,
    }
    const start = this.tracer?.now() ?? 0
    const there = this.tracer ? undefined : hot ? link.find('hot') : plain
    if (there) {
      this.progress()
      const { key, file } = there
      return { step: base, hot: hot !== undefined, key, loadPath: file, diagnostics: [] }
    }
    const { command, result, library } = await link.make(hot)
    this.tracer?.takeLink(name, start, result.seconds)
    const output = result.stderr + result.stdout
    const diagnostics = parseLinkerOutput(output, this.folder).map((one) =>
      this.toolchain.libtorch.hasCuda ? one : explainCpuBuild(one),
    )
    const why = stoppedBecause(result, name)
    if (why !== undefined) diagnostics.push(plainError(why))
    if (
      !library &&
      result.stopped !== 'cancelled' &&
      !diagnostics.some((d) => d.severity === 'error')
    ) {
      diagnostics.push(
        plainError(`${name}: ${output.trim().split('\n')[0] ?? 'the linker failed'}`),
      )
    }
    this.progress()
    return {
      step: {
        ...base,
        command,
        seconds: result.seconds,
        cached: false,
        ok: library !== undefined,
      },
      hot: hot !== undefined,
      key: library?.key ?? '',
      loadPath: library?.file ?? '',
      diagnostics,
    }
  }

  /** Puts lib<name>.so and <name>.node into the project's build folder, each by one rename. */
  private publish(loadPath: string): { library: string; addon: string } {
    const target = path.join(this.folder, 'build')
    fs.mkdirSync(target, { recursive: true })
    const put = (from: string, to: string): string => {
      const temporary = temporaryBeside(to)
      fs.copyFileSync(from, temporary, fs.constants.COPYFILE_FICLONE)
      fs.renameSync(temporary, to)
      return to
    }
    const library = put(loadPath, path.join(target, `lib${this.manifest.name}.so`))
    const found = findAddon(this.plan.tools.installation, this.toolchain.libtorch)
    const generic = found.ok ? path.join(found.value, 'operator_addon.node') : ''
    const addon = fs.existsSync(generic)
      ? put(generic, path.join(target, `${this.manifest.name}.node`))
      : ''
    return { library, addon }
  }

  async run(): Promise<Result<BuildReport>> {
    const started = performance.now()
    const report = (ok: boolean, more: Partial<BuildReport>): BuildReport => ({
      ok,
      seconds: (performance.now() - started) / 1000,
      library: '',
      addon: '',
      loadPath: '',
      key: '',
      hot: false,
      diagnostics: [],
      steps: [],
      ...(this.tracer ? { timeTrace: this.tracer.trace() } : {}),
      compiler: `${this.toolchain.compiler.family} ${this.toolchain.compiler.version}`,
      libtorch: this.toolchain.libtorch.version,
      ...more,
    })
    for (const remark of this.plan.remarks) this.remark(remark)
    this.options.onProgress?.(0, this.plan.compiles.length + 1)
    const compiled = await this.compileAll()
    if (this.options.signal?.aborted) return err('cancelled', 'The build was stopped.')
    const diagnostics = compiled.flatMap((item) => item.diagnostics)
    const steps = compiled.map((item) => item.step)
    if (!steps.every((step) => step.ok)) return ok(report(false, { diagnostics, steps }))
    const linked = await this.link(compiled)
    if (this.options.signal?.aborted) return err('cancelled', 'The build was stopped.')
    diagnostics.push(...linked.diagnostics)
    steps.push(linked.step)
    if (!linked.step.ok) return ok(report(false, { diagnostics, steps }))
    // What lies in the project's folder is what is timed and exported.
    const isPlain = this.parts.variant === 'plain' && !linked.hot
    const published = isPlain ? this.publish(linked.loadPath) : undefined
    return ok(
      report(true, {
        ...published,
        hot: linked.hot,
        loadPath: linked.loadPath,
        key: linked.key,
        diagnostics,
        steps,
      }),
    )
  }
}
