import type { CompileTask } from './compile-task'
import type { CompileTools } from './compile-tools'
import { commonFlags, preludeFlags } from './flags'
import type { BuildVariant, Prelude } from './flags'
import { flagsForServer } from './hot/server-flags'
import { hashOf } from './result-cache'
import { locatePrecompiled, usePrecompiled } from './precompiled-headers'

/** A C++ source to compile. */
export interface CxxSource {
  /** "op.cpp", for people. */
  label: string
  /** As the compiler is given it: relative to the project, or absolute for what lies outside it. */
  file: string
  /** What the object's key covers of it. */
  text: string
  prelude: Prelude | undefined
  /** Of this source alone, before the project's `cflags`. */
  hostFlags?: readonly string[]
  /** Of a source that uses CUDA, for the virtual GPU; the flags come before the project's. */
  gpu?: {
    flags: readonly string[]
    /** Flags that the project's own must not change. */
    lastFlags: readonly string[]
    isInstrumented: boolean
    isDevice: boolean
  }
}

/** What a project adds to the flags that all C++ sources share. */
export interface ProjectFlags {
  /** Macros, include paths and the flags of packages. */
  project: readonly string[]
  /** `cflags` of opsmith.json, which come last. */
  own: readonly string[]
  /** Those of them that precompiled headers made without them would contradict. */
  contradicting: readonly string[]
}

/** A precompiled header that a build could have used, and what makes it. */
export interface MissingHeader {
  tools: CompileTools
  prelude: Prelude
  variant: BuildVariant
}

/** The compiler's runs for the C++ sources of one build. */
export class CxxTasks {
  private missing: Prelude | undefined
  private readonly damaged = new Set<Prelude>()
  private readonly used = new Set<Prelude | undefined>()

  constructor(
    private readonly tools: CompileTools,
    private readonly variant: BuildVariant,
    private readonly flags: ProjectFlags,
  ) {}

  /** One that would have served a task made so far, had it been there. */
  get missingHeader(): MissingHeader | undefined {
    const { tools, variant, missing } = this
    return missing && { tools, prelude: missing, variant }
  }

  /** Precompiled headers that were found damaged, and are removed. */
  get damagedPreludes(): Prelude[] {
    return [...this.damaged]
  }

  /** Whether a task made so far starts from this prelude. */
  uses(prelude: Prelude): boolean {
    return this.used.has(prelude)
  }

  /** A source of the project, compiled with its flags. */
  projectTask(source: CxxSource): CompileTask {
    const { hostFlags = [], gpu } = source
    const { project, own, contradicting } = this.flags
    const isPrecompiled = contradicting.length === 0
    const task = this.task(source, {
      precompiled: isPrecompiled ? this.precompiledFlags(source.prelude) : [],
      before: [...(gpu?.flags ?? []), ...project, ...hostFlags],
      after: [...own, ...(gpu?.lastFlags ?? [])],
    })
    // A compile server has read the same headers.
    return isPrecompiled ? task : { ...task, server: undefined }
  }

  /** A source of ours, which is the same for every project and so compiled once on a machine. */
  sharedTask(source: CxxSource): CompileTask {
    return this.task(source, {
      precompiled: this.precompiledFlags(source.prelude),
      before: [],
      after: [],
    })
  }

  private precompiledFlags(prelude: Prelude | undefined): string[] {
    if (prelude === undefined) return []
    const header = locatePrecompiled(this.tools, prelude, this.variant)
    if (header.ready) return usePrecompiled(this.tools.toolchain, header)
    this.missing = prelude
    if (header.wasDamaged) this.damaged.add(prelude)
    return []
  }

  private task(
    { label, file, text, prelude, gpu }: CxxSource,
    flags: { precompiled: string[]; before: readonly string[]; after: readonly string[] },
  ): CompileTask {
    const { toolchain, includes } = this.tools
    this.used.add(prelude)
    const isClang = toolchain.compiler.family === 'clang'
    const args = [
      ...flags.precompiled,
      ...commonFlags(toolchain, includes, this.variant),
      ...preludeFlags(prelude),
      ...flags.before,
      isClang ? '-fno-color-diagnostics' : '-fdiagnostics-color=never',
      ...flags.after,
    ]
    return {
      label,
      server:
        this.variant === 'plain' && gpu?.isInstrumented !== true
          ? flagsForServer([...flags.before, ...flags.after], gpu?.isDevice)
          : undefined,
      command: toolchain.compiler.path,
      args,
      source: file,
      key: hashOf(
        'cxx-1',
        toolchain.compiler.identity,
        toolchain.libtorch.identity,
        includes.key,
        file,
        text,
        ...args,
      ),
    }
  }
}
