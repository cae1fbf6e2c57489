import type { CompileTask } from './compile-task'
import type { CompileTools } from './compile-tools'
import { commonFlags, preludeFlags } from './flags'
import type { BuildVariant, Prelude } from './flags'
import { flagsForServer } from './hot/server-flags'
import type { ServerProgram } from './hot/server-program'
import { hashOf } from './result-cache'
import { locatePrecompiled, usePrecompiled } from './precompiled-headers'
import type { PrecompiledHeader } from './precompiled-headers'
import {
  agreesWithDeviceHeader,
  agreesWithDeviceServer,
  isDevicePrelude,
  locateDeviceHeader,
} from './virtual-gpu/device-header'
import type { DeviceHeaderTools } from './virtual-gpu/device-header'

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
    /** It can be compiled after the headers that all device code starts from. */
    agreesWithHeaders: boolean
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
  /** It is one for device code, made with these. */
  device?: DeviceHeaderTools
}

interface UsedHeader {
  flags: string[]
  sharedCode?: string
}

/** The compiler's runs for the C++ sources of one build. */
export class CxxTasks {
  /** Those for device code by their prelude; one of the others under the empty name. */
  private readonly missing = new Map<string, MissingHeader>()
  private readonly damaged = new Set<Prelude>()
  private readonly used = new Set<Prelude | undefined>()

  constructor(
    private readonly tools: CompileTools,
    private readonly variant: BuildVariant,
    private readonly flags: ProjectFlags,
    /** For device code of the virtual GPU; undefined where it has no headers of its own. */
    private readonly device?: DeviceHeaderTools & { program: ServerProgram | undefined },
  ) {}

  /** Those that would have served a task made so far, had they been there. */
  get missingHeaders(): MissingHeader[] {
    return [...this.missing.values()]
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
    const before = [...(gpu?.flags ?? []), ...project, ...hostFlags]
    const after = [...own, ...(gpu?.lastFlags ?? [])]
    const header = isPrecompiled
      ? (this.deviceHeader(source, [...before, ...after]) ?? this.hostHeader(source.prelude))
      : { flags: [] }
    const task = this.task(source, header, { before, after })
    // A compile server has read the same headers.
    return isPrecompiled ? task : { ...task, server: undefined }
  }

  /** A source of ours, which is the same for every project and so compiled once on a machine. */
  sharedTask(source: CxxSource): CompileTask {
    return this.task(source, this.hostHeader(source.prelude), { before: [], after: [] })
  }

  private hostHeader(prelude: Prelude | undefined): UsedHeader {
    if (prelude === undefined) return { flags: [] }
    const { tools, variant } = this
    const header = locatePrecompiled(tools, prelude, variant)
    return { flags: this.use(header, { tools, prelude, variant }) ?? [] }
  }

  /** @returns undefined where none serves this source */
  private deviceHeader(
    { prelude, gpu }: CxxSource,
    flags: readonly string[],
  ): UsedHeader | undefined {
    const { device, variant } = this
    if (!device || !isDevicePrelude(prelude)) return undefined
    if (gpu?.isDevice !== true || gpu.isInstrumented || !gpu.agreesWithHeaders) return undefined
    const { tools } = device
    if (!agreesWithDeviceHeader(tools.installation.root, flags)) return undefined
    const { program } = device
    const asMissing = { tools, prelude, variant, device }
    if (!program) {
      this.note(asMissing)
      return undefined
    }
    const header = locateDeviceHeader({ ...device, program }, prelude)
    const used = this.use(header, asMissing)
    return used && { flags: used, sharedCode: header.sharedCode }
  }

  /** @returns undefined where it is missing */
  private use(header: PrecompiledHeader, asMissing: MissingHeader): string[] | undefined {
    if (header.ready) return usePrecompiled(this.tools.toolchain, header)
    this.note(asMissing)
    if (header.wasDamaged && !asMissing.device) this.damaged.add(header.prelude)
    return undefined
  }

  /** Of the usual headers one is enough: all of them are made together. */
  private note(missing: MissingHeader): void {
    this.missing.set(missing.device ? missing.prelude : '', missing)
  }

  private task(
    { label, file, text, prelude, gpu }: CxxSource,
    header: UsedHeader,
    flags: { before: readonly string[]; after: readonly string[] },
  ): CompileTask {
    const { toolchain, includes, installation } = this.tools
    this.used.add(prelude)
    const own = [...flags.before, ...flags.after]
    const isServed =
      this.variant === 'plain' &&
      (gpu?.isDevice !== true ||
        (!gpu.isInstrumented &&
          gpu.agreesWithHeaders &&
          agreesWithDeviceServer(installation.root, own)))
    const isClang = toolchain.compiler.family === 'clang'
    const args = [
      ...header.flags,
      ...commonFlags(toolchain, includes, this.variant),
      ...preludeFlags(prelude),
      ...flags.before,
      isClang ? '-fno-color-diagnostics' : '-fdiagnostics-color=never',
      ...flags.after,
    ]
    return {
      label,
      ...(header.sharedCode === undefined ? {} : { sharedCode: header.sharedCode }),
      server: isServed ? flagsForServer(own, gpu?.isDevice) : undefined,
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
