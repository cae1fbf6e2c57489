import fs from 'node:fs'
import path from 'node:path'

import type { BuildReport, BuildStep } from '../../contract/build'
import type { Diagnostic } from '../../contract/diagnostics'
import type { Manifest } from '../../contract/manifest'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { explainAll } from '../explain/explain'
import { findAddon } from '../toolchain/addon-location'
import type { Toolchain } from '../toolchain/choose'
import { compileLimits, nvccLimits } from '../toolchain/run-command'
import { runCompiler } from '../toolchain/run-compiler'
import type { CommandLimits, CommandResult } from '../toolchain/run-command'
import {
  errorsFirst,
  explainCpuBuild,
  mainLine,
  messagesOf,
  plainError,
  shellQuote,
  stoppedBecause,
} from './build-messages'
import { compileInOrder } from './compile-order'
import { kernelsOf } from './cuda'
import { parseDepfile } from './depfile'
import { linkingServer, serverOf } from './hot/build-servers'
import type { BuildServers } from './hot/build-servers'
import { commandResultOf } from './hot/compile-server'
import type { CompileServer } from './hot/compile-server'
import { parseLinkerOutput, placeInProject } from './diagnostics'
import type { BuildVariant } from './flags'
import { LibraryLink } from './library-link'
import { explainMissingHeader } from './missing-header'
import { objectCache } from './object-cache'
import { hashOf } from './result-cache'
import type { ResultCache } from './result-cache'
import type { CompileTask } from './compile-task'
import { describeKernels, withoutKernelLines } from './nvcc-output'
import type { BuildPlan } from './plan'
import { publish } from './publish'
import type { OpenProject } from '../project/open-project'
import type { BuildOptions } from './build-options'
import { TimeTracer } from './time-trace'
import { gpuFolder } from './virtual-gpu/flags'

interface Compiled {
  step: BuildStep
  /** By a compile server. */
  hot: boolean
  /** The library of shared code, if it needs that. */
  sharedCode: string | undefined
  object: string
  objectKey: string
  isJudgedOnly: boolean
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

interface ToolOptions {
  signal?: AbortSignal | undefined
  environment?: Record<string, string>
  limits?: CommandLimits
  onOutput?: (text: string) => void
}

/** What one build is made of. */
export interface BuildParts {
  project: OpenProject
  plan: BuildPlan
  variant: BuildVariant
  /** None: compilers are run. */
  servers?: BuildServers
}

/** Compiles one project; an instance lives as long as a build. */
export class ProjectBuild {
  private readonly cache: ResultCache
  private done = 0
  private readonly tracer: TimeTracer | undefined

  constructor(
    private readonly parts: BuildParts,
    private readonly options: BuildOptions,
  ) {
    const { project, plan } = parts
    const { family } = plan.tools.toolchain.compiler
    this.cache = objectCache(project, plan, () => {
      this.remark('an object file was damaged in the cache, so Opsmith compiles the source again')
    })
    this.tracer = options.timeTrace ? new TimeTracer(family) : undefined
  }

  private get servers(): BuildServers {
    return this.parts.servers ?? {}
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

  private readonly say = (text: string): void => {
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
    {
      signal = this.options.signal,
      environment = {},
      limits = compileLimits,
      onOutput = this.say,
    }: ToolOptions = {},
  ): Promise<CommandResult> {
    this.say(`$ ${[command, ...args].map(shellQuote).join(' ')}\n`)
    return await runCompiler(command, args, {
      cwd: this.folder,
      limits,
      signal,
      onOutput,
      isBackground: this.options.isBackground ?? false,
      env: { ...process.env, ...environment },
    })
  }

  private ended<Made extends Compiled | Linked>(made: Made, signal?: AbortSignal): Made {
    this.done += 1
    this.options.onProgress?.(this.done, this.plan.compiles.length + 1)
    if (made.step.ok || !signal?.aborted) this.options.onStepEnded?.(made.step, made.diagnostics)
    return made
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
    return explainAll(parsed).map((one) => explainMissingHeader(one, this.parts.project))
  }

  /** As a compile server does it; undefined when there is none for this source, or it could not. */
  private async compileHot(
    server: CompileServer | undefined,
    task: CompileTask,
    output: string,
    depfile: string,
  ): Promise<CommandResult | undefined> {
    if (!server || !task.server) return undefined
    this.say(`${task.label}: compiling with the compile server\n`)
    const request = { folder: this.folder, source: task.source, output, depfile, ...task.server }
    const result = commandResultOf(await server.compile(request, this.options.signal))
    if (result) this.say(result.stderr)
    else if (!this.options.signal?.aborted)
      this.say('the compile server failed; compiling again without it\n')
    return result
  }

  private async compile(task: CompileTask, signal: AbortSignal): Promise<Compiled> {
    return this.ended(await this.compileOrFind(task, signal), signal)
  }

  private async compileOrFind(task: CompileTask, signal: AbortSignal): Promise<Compiled> {
    // What all projects share was compiled once on this machine: it is not a part of this one's time.
    const isShared = task.source.startsWith(this.plan.tools.includes.folder + path.sep)
    const tracer = isShared ? undefined : this.tracer
    const server = await serverOf(this.servers, task)
    const hotKey = server && hashOf('hot-1', server.program.key, task.key)
    const plain = tracer ? undefined : this.cache.find(task.key)
    const hit = plain ?? (hotKey === undefined ? undefined : this.cache.find(hotKey))
    const { label, isJudgedOnly = false } = task
    if (hit) {
      const printed = this.isCuda(task) ? withoutKernelLines()(hit.output) : hit.output
      this.say(`${label}: unchanged\n${printed}`)
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
        sharedCode: plain ? task.sharedCode : server?.program.sharedCode,
        object: hit.file,
        objectKey: hit.key,
        isJudgedOnly,
        diagnostics: this.judge(hit.output, task),
      }
    }
    this.options.onStepStarted?.('compile', label)
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
      let hot = await this.compileHot(server, task, output, depfile)
      let result = hot ?? (await this.runCompiler(task, args, scratch, signal))
      const isLost = (): boolean => result.exitCode === 0 && !fs.existsSync(output)
      if (isLost()) {
        // Seen once on a busy machine; what removes it is not known.
        this.say(
          `${label}: the compiler succeeded, but the object file is missing; compiling the source again\n`,
        )
        fs.mkdirSync(scratch, { recursive: true })
        hot = undefined
        result = await this.runCompiler(task, args, scratch, signal)
      }
      const printed = result.stderr + result.stdout
      const { seconds } = result
      const said = tracer
        ? tracer.takeCompile({ label, start, seconds, isCxx }, traceFile, printed)
        : printed
      const good = result.exitCode === 0 && !isLost()
      const diagnostics = this.judge(said, task)
      const why = isLost()
        ? `${label}: ${task.command} succeeded, but wrote no object file`
        : stoppedBecause(result, label)
      if (why !== undefined) diagnostics.push(plainError(why))
      if (
        !good &&
        result.stopped !== 'cancelled' &&
        !diagnostics.some((d) => d.severity === 'error')
      ) {
        diagnostics.push(plainError(`${label}: ${mainLine(said) ?? 'the compiler failed'}`))
      }
      const kernels = this.isCuda(task) ? await kernelsOf(said) : undefined
      if (kernels && kernels.length > 0) this.say(`${label}: ${describeKernels(kernels)}\n`)
      const step: BuildStep = {
        kind: 'compile',
        label,
        command: hot ? [] : [task.command, ...args],
        seconds: result.seconds,
        cached: false,
        ok: good,
        ...(kernels ? { kernels } : {}),
      }
      const sharedCode = hot ? server?.program.sharedCode : task.sharedCode
      if (!good) {
        const none = { hot: false, object: '', objectKey: '' }
        return { step, ...none, sharedCode, isJudgedOnly, diagnostics }
      }
      const read = fs.existsSync(depfile) ? parseDepfile(fs.readFileSync(depfile, 'utf8')) : []
      const { libtorch, cuda } = this.toolchain
      const covered = [
        this.plan.tools.includes.folder,
        libtorch.folder,
        cuda?.folder ?? '',
        gpuFolder(this.plan.tools.installation.root),
        // The name of this folder is a hash of all files that Opsmith wrote into it, so the key covers them.
        path.isAbsolute(task.source) ? path.dirname(task.source) : '',
      ].filter((root) => root !== '')
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
        sharedCode,
        object: stored.file,
        objectKey: stored.key,
        isJudgedOnly,
        diagnostics,
      }
    } finally {
      fs.rmSync(scratch, { recursive: true, force: true })
    }
  }

  /** What nvcc's assembler says of each kernel is in the step's kernels, and not in the log. */
  private async runCompiler(
    task: CompileTask,
    args: readonly string[],
    scratch: string,
    signal: AbortSignal,
  ): Promise<CommandResult> {
    const options = { signal, environment: { TMPDIR: scratch } }
    if (!this.isCuda(task)) return await this.runTool(task.command, args, options)
    const fold = withoutKernelLines()
    return await this.runTool(task.command, args, {
      ...options,
      limits: nvccLimits,
      onOutput: (text) => {
        this.say(fold(text))
      },
    })
  }

  private async compileAll(): Promise<{ compiled: Compiled[]; diagnostics: Diagnostic[] }> {
    const { made, diagnostics, leftOut } = await compileInOrder<Compiled>(
      this.plan.compiles,
      {
        isCuda: (task) => this.isCuda(task),
        compile: (task, signal) => this.compile(task, signal),
        isGood: ({ step }) => step.ok,
        checkCxx: (objects) => this.missingInCpuBuild(objects),
      },
      this.options.signal,
    )
    if (leftOut.length > 0 && !this.options.signal?.aborted) {
      const labels = leftOut.map(({ label }) => label).join(', ')
      this.remark(`${labels}: not compiled, because another source has errors`)
    }
    return { compiled: made, diagnostics }
  }

  /**
   * Functions of libtorch's CUDA libraries that the C++ part calls, where libtorch is a CPU build: the link is
   * bound to fail, and nvcc would take minutes before it.
   */
  private async missingInCpuBuild(objects: readonly Compiled[]): Promise<Diagnostic[]> {
    if (this.toolchain.libtorch.hasCuda) return []
    const { command, args, trailing } = this.plan.link
    const output = this.cache.temporary()
    try {
      const files = objects.map(({ object }) => object)
      const result = await runCompiler(command, [...args, ...files, ...trailing, '-o', output], {
        cwd: this.folder,
        signal: this.options.signal,
      })
      // What CUDA sources define is missing here too, and not an error.
      return parseLinkerOutput(result.stderr, this.folder).flatMap((one) => {
        const explained = explainCpuBuild(one)
        return explained === one ? [] : [explained]
      })
    } finally {
      fs.rmSync(output, { force: true })
    }
  }

  /** As runTool(), by a compile server; undefined when it could not. */
  private async linkHot(
    server: CompileServer,
    command: readonly string[],
    output: string,
  ): Promise<CommandResult | undefined> {
    this.say(`$ ${command.map(shellQuote).join(' ')}\n`)
    const request = { folder: this.folder, command, log: `${output}.log` }
    const result = commandResultOf(await server.run(request, this.options.signal))
    this.say(result?.stderr ?? '')
    return result
  }

  private async link(objects: readonly Compiled[]): Promise<Linked> {
    return this.ended(await this.linkOrFind(objects), this.options.signal)
  }

  private async linkOrFind(objects: readonly Compiled[]): Promise<Linked> {
    const name = `lib${this.manifest.name}.so`
    let isDamaged = false
    const link = new LibraryLink({
      plan: this.plan,
      folder: this.folder,
      name,
      objects,
      onDamaged: () => {
        if (!isDamaged)
          this.remark(`${name} was damaged in the cache, so Opsmith links the library again`)
        isDamaged = true
      },
      run: (command, args) => this.runTool(command, args),
      runHot: (server, command, output) => this.linkHot(server, command, output),
    })
    const byServer = objects.some((object) => object.hot)
    // Where a server is up, the quick link serves what nvcc compiled too: the plain one comes behind it.
    const plain = byServer ? undefined : link.find('plain')
    const isPlain = !byServer && (!link.direct || plain !== undefined)
    const hot = isPlain ? undefined : await linkingServer(this.servers)
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
      const { key, file } = there
      return { step: base, hot: hot !== undefined, key, loadPath: file, diagnostics: [] }
    }
    this.options.onStepStarted?.('link', name)
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
        plainError(`${name}: ${output.trim().split('\n')[0] || 'the linker failed'}`),
      )
    }
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

  private publish(loadPath: string): { library: string; addon: string } {
    const found = findAddon(this.plan.tools.installation, this.toolchain.libtorch)
    const generic = found.ok ? path.join(found.value, 'operator_addon.node') : ''
    const { library, addon, remark } = publish(
      this.folder,
      this.manifest.name,
      loadPath,
      fs.existsSync(generic) ? generic : '',
    )
    if (remark !== undefined) this.remark(remark)
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
    const { compiled, diagnostics: early } = await this.compileAll()
    if (this.options.signal?.aborted) return err('cancelled', 'The build was stopped.')
    const diagnostics = [...early, ...compiled.flatMap((item) => item.diagnostics)]
    const steps = compiled.map((item) => item.step)
    if (early.length > 0 || !steps.every((step) => step.ok)) {
      return ok(report(false, { diagnostics: errorsFirst(diagnostics), steps }))
    }
    const linked = await this.link(compiled.filter((item) => !item.isJudgedOnly))
    if (this.options.signal?.aborted) return err('cancelled', 'The build was stopped.')
    diagnostics.push(...linked.diagnostics)
    steps.push(linked.step)
    if (!linked.step.ok) return ok(report(false, { diagnostics: errorsFirst(diagnostics), steps }))
    // What lies in the project's folder is what is timed and exported.
    const { kernelVariant } = this.parts.project
    const isInstrumented = kernelVariant !== 'plain' && this.plan.virtualDevice !== ''
    const isPublished =
      this.parts.variant === 'plain' &&
      !linked.hot &&
      !isInstrumented &&
      this.options.isUnpublished !== true
    const published = isPublished ? this.publish(linked.loadPath) : undefined
    return ok(
      report(true, {
        ...published,
        hot: linked.hot,
        loadPath: linked.loadPath,
        ...(this.plan.virtualDevice === '' ? {} : { virtualDevice: this.plan.virtualDevice }),
        ...(isInstrumented ? { kernelVariant } : {}),
        key: linked.key,
        diagnostics: errorsFirst(diagnostics),
        steps,
      }),
    )
  }
}
