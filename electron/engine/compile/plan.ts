import fs from 'node:fs'
import path from 'node:path'

import { ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { Installation } from '../installation'
import type { OpenProject } from '../project/open-project'
import { pybindModules } from '../project/scan-source'
import { isCuda, resolveSources } from '../project/sources'
import type { Toolchain } from '../toolchain/choose'
import { packageFlags } from '../toolchain/pkg-config'
import { includedTexts, preludeFor } from './choose-prelude'
import type { CompileTask } from './compile-task'
import { compileTools } from './compile-tools'
import type { CompileTools } from './compile-tools'
import {
  cudaHostFlags,
  cudaLinkFlags,
  deviceLinkArguments,
  includesCuda,
  isRelocatable,
  whyNoCudaPart,
} from './cuda'
import { boundInCudaSource, codeOf, cudaTask } from './cuda-tasks'
import type { CudaBuild } from './cuda-tasks'
import type { ChosenArchitectures } from './cuda-architectures'
import { CxxTasks } from './cxx-tasks'
import type { MissingHeader, ProjectFlags } from './cxx-tasks'
import { changesPrecompiled, linkFlags } from './flags'
import type { BuildVariant } from './flags'
import {
  bindingAround,
  placeFunctions,
  registrationUnit,
  writeGenerated,
} from './generated-sources'
import type { SourceText } from './generated-sources'
import type { ServerKind, WantedServer } from './hot/hot-compiler'
import { findClangLibraries } from './hot/clang-libraries'
import { findServerProgram } from './hot/server-program'
import type { ServerPrelude, ServerProgram } from './hot/server-program'
import type { DeviceHeaderTools } from './virtual-gpu/device-header'
import { GpuPart } from './virtual-gpu/gpu-part'

export interface BuildPlan {
  tools: CompileTools
  compiles: CompileTask[]
  link: { command: string; args: string[]; trailing: string[] }
  /** Links the device code of the objects first; undefined where each source's is whole. */
  deviceLink: { command: string; args: string[] } | undefined
  /** Folders whose headers are compared by content. */
  contentFolders: string[]
  /** Printed in the build log. */
  remarks: string[]
  /** Precompiled headers that would have served, had they been there. */
  missingHeaders: MissingHeader[]
  /** The library that gives libtorch the virtual GPU, which what is built needs; "" for none. */
  virtualDevice: string
  /** The compile servers that sources of this build can use. */
  servers: Partial<Record<ServerKind, WantedServer>>
}

export interface PlanRequest {
  installation: Installation
  toolchain: Toolchain
  project: OpenProject
  variant: BuildVariant
  /** What CUDA sources are compiled for, instead of the GPUs here and the project's own list. */
  architectures?: readonly string[]
  /** Sources for the virtual GPU are compiled by nvcc too, for its messages. */
  withNvcc?: boolean | undefined
  /** Called with what of the virtual GPU is compiled first. */
  onProgress?: ((text: string) => void) | undefined
}

/** A path as the argument of a compiler, which takes -o.cpp for a flag and @list.cpp for a list of flags. */
const pathArgument = (relative: string): string =>
  /^[-@]/.test(relative) ? `./${relative}` : relative

interface ReadSources {
  texts: SourceText[]
  /** Sources of the CUDA part that are not compiled. */
  leftOut: string[]
  /** Why the CUDA part is not built; "" where it is. */
  whyNoCuda: string
}

/** The sources that are compiled with these tools, and those of a CUDA part that cannot be built with them. */
async function readSources(
  { folder, manifest }: OpenProject,
  toolchain: Toolchain,
  includeFolders: readonly string[],
): Promise<Result<ReadSources>> {
  const resolved = await resolveSources(folder, manifest)
  if (!resolved.ok) return resolved
  const read = (source: string): SourceText => {
    const file = path.join(folder, source)
    return { file, relative: pathArgument(source), text: fs.readFileSync(file, 'utf8') }
  }
  const plain = resolved.value.plain.map(read)
  const cuda = resolved.value.cuda.map(read)
  const ofPart = manifest.cudaDefines.length > 0 ? [...plain, ...cuda] : cuda
  const texts = ofPart.flatMap((source) => includedTexts(source, includeFolders))
  const whyNoCuda = whyNoCudaPart(toolchain, texts)
  return ok({
    texts: whyNoCuda === '' ? [...plain, ...cuda] : plain,
    leftOut: whyNoCuda === '' ? [] : resolved.value.cuda,
    whyNoCuda,
  })
}

function projectFlagsOf(
  { manifest }: OpenProject,
  { includes }: CompileTools,
  packages: readonly string[],
  hasCudaPart: boolean,
): ProjectFlags {
  const project = [
    `-DTORCH_EXTENSION_NAME=${manifest.name}`,
    ...(hasCudaPart ? manifest.cudaDefines.map((macro) => `-D${macro}`) : []),
    // Relative to the folder the compiler runs in: copies of a project share their objects.
    ...manifest.includePaths.flatMap((item) => ['-I', pathArgument(item)]),
    '-I',
    '.',
    '-I',
    path.join(includes.folder, 'kernels'),
    ...packages,
  ]
  const contradicting = [...manifest.cflags, ...packages].filter(changesPrecompiled)
  return { project, own: manifest.cflags, contradicting }
}

/** Units that are the same for every project, and one that registers what opsmith.json adds to the sources. */
function addedTasks(
  project: OpenProject,
  tools: CompileTools,
  cxx: CxxTasks,
  sources: { texts: readonly SourceText[]; hasBound: boolean },
): CompileTask[] {
  const { texts, hasBound } = sources
  const { manifest } = project
  const tasks: CompileTask[] = []
  const addShared = (name: string, label: string): void => {
    const file = path.join(tools.includes.folder, 'include', 'opsmith', name)
    tasks.push(cxx.sharedTask({ label, file, text: '', prelude: 'lean' }))
  }
  if (hasBound || texts.some((source) => pybindModules(source.text).length > 0)) {
    addShared('bound_function.cpp', 'opsmith bindings')
  }
  const text = registrationUnit(manifest, texts, project.entryLines('autograd'))
  if (text !== '') {
    const file = writeGenerated(tools.installation, 'opsmith_registration.cpp', text)
    if (manifest.autograd.length > 0) addShared('autograd.cpp', 'opsmith autograd')
    // Linked last: static constructors run in link order, and an entry needs its operators registered.
    const label = 'opsmith registration'
    tasks.push(cxx.projectTask({ label, file, text, prelude: undefined }))
  }
  return tasks
}

/** What the build log says of this plan before it begins. */
function remarksOn(
  { leftOut, whyNoCuda }: ReadSources,
  contradicting: readonly string[],
  tasks: readonly CxxTasks[],
): string[] {
  const remarks: string[] = []
  if (leftOut.length > 0) {
    remarks.push(
      `The build leaves out ${leftOut.join(', ')}, because ${whyNoCuda}: the library has no CUDA part`,
    )
  }
  if (contradicting.length > 0) {
    remarks.push(
      `${contradicting.join(' ')}: precompiled headers do not work with these flags, so this build takes longer; instead of a flag, use "optimization", "fastMath", "marchNative" or "setuptoolsFlags" of opsmith.json if one of these keys has the same effect`,
    )
  }
  const damagedPreludes = [...new Set(tasks.flatMap((cxx) => cxx.damagedPreludes))]
  if (damagedPreludes.length > 0) {
    remarks.push(
      `libtorch's precompiled headers were damaged in the cache (${damagedPreludes.join(', ')}), so Opsmith removed these headers`,
    )
  }
  const missing = tasks.flatMap((cxx) => cxx.missingHeaders)
  if (missing.some(({ device }) => !device)) {
    remarks.push(
      "libtorch's headers are not precompiled for these tools and flags yet: this build takes longer (`opsmith prepare PROJECT` precompiles them)",
    )
  } else if (missing.length > 0) {
    remarks.push(
      'the headers for CUDA code are not precompiled yet: builds of CUDA sources take longer (`opsmith prepare PROJECT` precompiles them)',
    )
  }
  return remarks
}

/** A plan's sources and tools, once it is known where CUDA code runs. */
interface PlannedSources {
  toolchain: Toolchain
  read: ReadSources
  gpu: GpuPart | undefined
  remarks: string[]
}

/**
 * The sources, and what compiles those for the virtual GPU. Where it does not work with this libtorch, the CUDA part is
 * left out as without it, unless the user has chosen it by name.
 */
async function planSources(
  request: PlanRequest,
  includeFolders: readonly string[],
): Promise<Result<PlannedSources>> {
  const { installation, toolchain, project, onProgress } = request
  const read = await readSources(project, toolchain, includeFolders)
  if (!read.ok) return read
  const { kernelVariant } = project
  const variant = {
    isChecked: kernelVariant === 'checked',
    isCounted: kernelVariant === 'counted',
    isStepped: kernelVariant === 'stepped',
  }
  const part = { installation, toolchain, project, variant, onProgress }
  const gpu = await GpuPart.of(part, read.value.texts, includeFolders)
  if (gpu.ok) return ok({ toolchain, read: read.value, gpu: gpu.value, remarks: [] })
  if (toolchain.virtualGpu?.isChosen === true) return gpu
  const without = { ...toolchain, virtualGpu: undefined }
  const again = await readSources(project, without, includeFolders)
  if (!again.ok) return again
  return ok({ toolchain: without, read: again.value, gpu: undefined, remarks: [gpu.error.message] })
}

/** Compiles of the project's own sources, each from the smallest prelude that has what it includes. */
function sourceTasks(
  { project, installation }: PlanRequest,
  { toolchain, read, gpu }: PlannedSources,
  parts: {
    tools: CompileTools
    cxx: CxxTasks
    /** Of sources for the virtual GPU: clang's, whatever compiles the others. */
    gpuCxx: CxxTasks
    /** undefined where nvcc is not asked to compile, or cannot for the GPUs that are asked for. */
    cuda: CudaBuild | undefined
    placed: ReadonlyMap<string, string[]>
    includeFolders: readonly string[]
  },
): Result<CompileTask[]> {
  const { folder, manifest } = project
  const { tools, cxx, gpuCxx, cuda, placed, includeFolders } = parts
  const tasks: CompileTask[] = []
  for (const source of read.texts) {
    const label = path.relative(folder, source.file)
    const functions = placed.get(source.file)
    const texts = includedTexts(source, includeFolders)
    const prelude = preludeFor(texts, functions !== undefined)
    const hostFlags = includesCuda(texts) && !gpu ? cudaHostFlags(toolchain, tools.includes) : []
    if (isCuda(source.file) && functions) return boundInCudaSource(folder, label, functions)
    if (gpu && isCuda(source.file)) {
      const task = gpuCxx.projectTask(gpu.sourceOf(source, label, prelude))
      tasks.push({ ...task, around: source.relative })
      // Where there is nvcc, what it says of the source counts too.
      if (cuda && whyNoCudaPart({ ...toolchain, virtualGpu: undefined }, texts) === '')
        tasks.push({
          ...cudaTask(cuda, source, texts),
          label: `${label} (nvcc)`,
          isJudgedOnly: true,
        })
    } else if (cuda && isCuda(source.file)) {
      tasks.push(cudaTask(cuda, source, texts))
    } else if (functions) {
      const text = bindingAround(manifest, source, functions)
      // Not the source's own name: the quotes in it would find this file first, not the source.
      const name = `opsmith_bind_${path.basename(source.file)}`
      const file = writeGenerated(installation, name, text)
      // The source's own text is part of the key: the generated file only includes it.
      const bound = { label, file, text: text + source.text, prelude, hostFlags }
      const task =
        gpu && includesCuda(texts)
          ? gpuCxx.projectTask(gpu.boundSource(source, bound))
          : cxx.projectTask(bound)
      tasks.push({ ...task, around: source.relative })
    } else if (gpu && includesCuda(texts)) {
      tasks.push(gpuCxx.projectTask(gpu.sourceOf(source, label, prelude)))
    } else {
      const { relative, text } = source
      tasks.push(cxx.projectTask({ label, file: relative, text, prelude, hostFlags }))
    }
  }
  return ok(tasks)
}

/** @returns undefined where no header for device code can be made: no compile server's program, nor clang's libraries */
async function deviceToolsOf(
  tools: CompileTools,
  { libraries: { identity } }: GpuPart,
): Promise<(DeviceHeaderTools & { program: ServerProgram | undefined }) | undefined> {
  const program = await findServerProgram(tools)
  const canBeMade = findClangLibraries(tools.toolchain.compiler).found !== undefined
  return program !== undefined || canBeMade ? { tools, identity, program } : undefined
}

/** Works out every command of a build; nothing of the project is compiled here. */
export async function planBuild(request: PlanRequest): Promise<Result<BuildPlan>> {
  const { installation, project, variant, architectures = [] } = request
  const { folder, manifest } = project
  const includeFolders = [
    ...manifest.includePaths.map((item) => path.resolve(folder, item)),
    folder,
  ]
  const planned = await planSources(request, includeFolders)
  if (!planned.ok) return planned
  const { toolchain, read, gpu } = planned.value
  const hasCudaPart = read.whyNoCuda === ''
  const packages = await packageFlags(manifest)
  if (!packages.ok) return packages
  const placed = placeFunctions(folder, manifest, read.texts)
  if (!placed.ok) return placed

  const tools = compileTools(installation, toolchain)
  const flags = projectFlagsOf(project, tools, packages.value.compile, hasCudaPart)
  const cxx = new CxxTasks(tools, variant, flags)
  const clang = toolchain.virtualGpu?.compiler
  const gpuTools = clang ? { ...tools, toolchain: { ...toolchain, compiler: clang } } : tools
  const device = gpu && (await deviceToolsOf(gpuTools, gpu))
  const gpuCxx = clang ? new CxxTasks(gpuTools, 'plain', flags, device) : cxx
  const compilers = clang ? [cxx, gpuCxx] : [cxx]
  const cudaSources = read.texts.filter(({ file }) => isCuda(file))
  const needsNvcc = !gpu || (request.withNvcc === true && toolchain.cuda !== undefined)
  const asked = codeOf(toolchain, project, needsNvcc ? cudaSources : [], architectures)
  if (!asked.ok && !gpu) return asked
  // What keeps nvcc from compiling does not keep the virtual GPU from running it.
  const code: ChosenArchitectures = asked.ok
    ? asked.value
    : {
        architectures: [],
        ptx: [],
        remarks: [
          `CUDA sources are compiled only for the virtual GPU, not with nvcc: ${asked.error.message}`,
        ],
      }
  const cuda =
    asked.ok && needsNvcc ? { tools, project, projectFlags: flags.project, code } : undefined
  const own = sourceTasks(request, planned.value, {
    tools,
    cxx,
    gpuCxx,
    cuda,
    placed: placed.value,
    includeFolders,
  })
  if (!own.ok) return own
  const compiles = own.value
  // Before what is added: units that all projects share are compiled once, and need no server.
  const servers = serversOf(compiles, { tools, gpuTools, cxx, gpuCxx, gpu })
  const hasBound = placed.value.size > 0
  compiles.push(...addedTasks(project, tools, cxx, { texts: read.texts, hasBound }))
  const hasNvcc = cudaSources.length > 0 && !gpu
  const hasDeviceLink = hasNvcc && isRelocatable(manifest.cudaCflags)
  const cudaLink = hasNvcc ? cudaLinkFlags(toolchain, hasDeviceLink) : []
  const ownLink = [...manifest.ldflags, ...(hasCudaPart ? manifest.cudaLdflags : [])]
  return ok({
    tools,
    compiles,
    link: {
      command: toolchain.compiler.path,
      args: linkFlags(toolchain, variant),
      trailing: [...packages.value.link, ...cudaLink, ...(gpu ? gpu.linkFlags(ownLink) : ownLink)],
    },
    deviceLink: hasDeviceLink
      ? {
          command: toolchain.cuda?.nvcc ?? '',
          args: deviceLinkArguments({ toolchain, manifest }, code),
        }
      : undefined,
    contentFolders: [folder, ...includeFolders],
    servers,
    virtualDevice: gpu?.libraries.device ?? '',
    remarks: [
      ...planned.value.remarks,
      ...remarksOn(read, flags.contradicting, compilers),
      ...code.remarks,
    ],
    missingHeaders: compilers.flatMap((one) => one.missingHeaders),
  })
}

/** The servers for the sources of a project, whatever of them is in the cache. */
function serversOf(
  compiles: readonly CompileTask[],
  parts: {
    tools: CompileTools
    gpuTools: CompileTools
    cxx: CxxTasks
    gpuCxx: CxxTasks
    gpu: GpuPart | undefined
  },
): BuildPlan['servers'] {
  const { tools, gpuTools, cxx, gpuCxx, gpu } = parts
  const preludeOf = (tasks: readonly CxxTasks[]): ServerPrelude =>
    tasks.some((one) => one.uses('full')) ? 'full' : 'extension'
  const servers: BuildPlan['servers'] = {}
  if (compiles.some(({ server }) => server?.isGpu === false))
    servers.cxx = { tools, start: { prelude: preludeOf([cxx, gpuCxx]) } }
  if (gpu && compiles.some(({ server }) => server?.isGpu === true)) {
    const { identity } = gpu.libraries
    const { root } = gpuTools.installation
    servers.gpu = {
      tools: gpuTools,
      start: { prelude: preludeOf([gpuCxx]), gpu: { root, identity } },
    }
  }
  return servers
}
