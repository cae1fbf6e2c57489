import fs from 'node:fs'
import path from 'node:path'

import { manifestFileName } from '../../contract/manifest'
import type { Manifest } from '../../contract/manifest'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { Installation } from '../installation'
import { isCuda, resolveSources } from '../project/sources'
import { entryLines } from '../project/read-manifest'
import type { Toolchain } from '../toolchain/choose'
import {
  chooseArchitectures,
  cudaHostFlags,
  cudaLinkFlags,
  includesCuda,
  nvccArguments,
} from './cuda'
import { changesPrecompiled, commonFlags, linkFlags, preludeFlags } from './flags'
import type { BuildVariant, Prelude } from './flags'
import { bindingAround, placeFunctions, registrationUnit } from './generated-sources'
import type { SourceText } from './generated-sources'
import { snapshotIncludes } from './include-snapshot'
import type { IncludeSnapshot } from './include-snapshot'
import { hashOf } from './object-cache'
import { packageFlags } from '../toolchain/pkg-config'
import { locatePrecompiled, usePrecompiled } from './precompiled-headers'
import { includesOf, pybindModules } from '../project/scan-source'
import { flagsForServer } from './hot/server-flags'
import type { ServerFlags } from './hot/server-flags'
import type { ServerPrelude } from './hot/server-program'

/** One run of a compiler. */
export interface CompileTask {
  /** "op.cpp", for people. */
  label: string
  command: string
  /** Everything but -o, -MF and the source. */
  args: string[]
  source: string
  /** The project's source that a generated one includes, relative. */
  around?: string
  /** Hash over all of it that is known before the compiler runs. */
  key: string
  /** The same for a compile server; undefined where a flag is more than that can be told. */
  server: ServerFlags | undefined
}

export interface BuildPlan {
  compiles: CompileTask[]
  link: { command: string; args: string[]; trailing: string[] }
  /** Folders whose headers are compared by content. */
  contentFolders: string[]
  /** Said in the build log. */
  remarks: string[]
  /** A precompiled header that would have served, had it been there. */
  missingPrelude: Prelude | undefined
  includes: IncludeSnapshot
  /** The headers that a compile server for this build starts from; undefined when none of it would go there. */
  serverPrelude: ServerPrelude | undefined
}

const fullHeaders =
  /^(torch\/(torch|all|script|types|nn|optim|data|serialize|jit|custom_class)\.h|torch\/(nn|csrc\/jit)\/)/
const extensionHeaders = /^(torch\/(extension|python)\.h|pybind11\/)/
const torchHeaders = /^(torch|ATen|c10)\//
const stableHeaders = /^torch\/(csrc\/stable|headeronly)\//
/** Parts of the C++ frontend that the `extension` prelude leaves out; torch::save and torch::load among them. */
const frontend = /\btorch\s*::\s*(nn|optim|data|jit|serialize|save|load|pickle_\w+|fft|special)\b/

/** Every text of the project that a source includes, itself first. */
function includedTexts(source: SourceText, folders: readonly string[]): string[] {
  const texts = new Map([[source.file, source.text]])
  for (const [file, text] of texts) {
    for (const include of includesOf(text)) {
      const found = [path.dirname(file), ...folders]
        .map((folder) => path.resolve(folder, include.name))
        .find((candidate) => fs.existsSync(candidate))
      // A map may grow while it is gone through: what was added comes up later.
      if (found !== undefined && !texts.has(found)) texts.set(found, fs.readFileSync(found, 'utf8'))
    }
  }
  return [...texts.values()]
}

/** The smallest prelude that holds the libtorch headers a source includes, its project's headers followed. */
export function preludeFor(texts: readonly string[], bound: boolean): Prelude | undefined {
  const names = texts.flatMap((text) => includesOf(text).map((include) => include.name))
  if (names.some((name) => fullHeaders.test(name))) return 'full'
  if (bound || names.some((name) => extensionHeaders.test(name))) {
    return texts.some((text) => frontend.test(text)) ? 'full' : 'extension'
  }
  const ofTorch = names.filter((name) => torchHeaders.test(name))
  if (ofTorch.length === 0) return undefined
  return ofTorch.every((name) => stableHeaders.test(name)) ? 'stable' : 'lean'
}

function cudaTask(
  toolchain: Toolchain,
  manifest: Manifest,
  source: SourceText,
  texts: readonly string[],
  architectures: readonly string[],
  includeFlags: readonly string[],
  includes: IncludeSnapshot,
): Result<CompileTask> {
  const label = source.relative
  if (!toolchain.cuda) {
    return err('toolchain.missing', `${label} is a CUDA source, and nvcc is not installed.`, {
      file: source.file,
      hint: 'Install the CUDA toolkit: https://developer.nvidia.com/cuda-downloads. In `cudaSources` of opsmith.json it is left out where there is none.',
    })
  }
  const torchFlags = commonFlags(toolchain, includes, 'plain').filter(
    (flag, index, all) =>
      /^-(I|isystem|D)/.test(flag) || ['-I', '-isystem'].includes(all[index - 1] ?? ''),
  )
  const args = [
    ...nvccArguments(toolchain, manifest, includes, texts, architectures, torchFlags),
    ...includeFlags,
  ]
  return ok({
    label,
    server: undefined,
    command: toolchain.cuda.nvcc,
    args,
    source: source.relative,
    key: hashOf(
      'nvcc-2',
      toolchain.cuda.version,
      toolchain.libtorch.identity,
      source.relative,
      source.text,
      ...args,
    ),
  })
}

/** Generated sources lie in the cache under their hash, so that equal projects share their objects. */
function writeGenerated(installation: Installation, name: string, text: string): string {
  const folder = path.join(installation.cacheFolder, 'generated', hashOf(name, text))
  const file = path.join(folder, name)
  if (!fs.existsSync(file)) {
    fs.mkdirSync(folder, { recursive: true })
    const temporary = `${file}.${process.pid}`
    fs.writeFileSync(temporary, text)
    fs.renameSync(temporary, file)
  }
  return fs.realpathSync(file)
}

/**
 * Works out every command of a build; nothing is compiled here.
 *
 * @param architectures that CUDA sources are compiled for, in place of those of the GPUs and the project
 */
export async function planBuild(
  installation: Installation,
  toolchain: Toolchain,
  folder: string,
  manifest: Manifest,
  variant: BuildVariant,
  architectures: readonly string[] = [],
): Promise<Result<BuildPlan>> {
  const resolved = await resolveSources(folder, manifest)
  if (!resolved.ok) return resolved
  const { plain, cuda } = resolved.value
  const sources = toolchain.cuda ? [...plain, ...cuda] : plain
  const packages = await packageFlags(manifest)
  if (!packages.ok) return packages
  const texts: SourceText[] = sources.map((source) => {
    const file = path.join(folder, source)
    return { file, relative: source, text: fs.readFileSync(file, 'utf8') }
  })
  const placed = placeFunctions(folder, manifest, texts)
  if (!placed.ok) return placed

  const includes = snapshotIncludes(installation)
  const includeFolders = [
    ...manifest.includePaths.map((item) => path.resolve(folder, item)),
    folder,
  ]
  const projectFlags = [
    `-DTORCH_EXTENSION_NAME=${manifest.name}`,
    // Relative to the folder the compiler runs in: copies of a project share their objects.
    ...manifest.includePaths.flatMap((item) => ['-I', item]),
    '-I',
    '.',
    '-I',
    path.join(includes.folder, 'kernels'),
    ...packages.value.compile,
  ]
  const remarks: string[] = []
  if (!toolchain.cuda && cuda.length > 0) {
    remarks.push(`${cuda.join(', ')}: left out, for there is no nvcc; the library has no CUDA part`)
  }
  const contradicting = [...manifest.cflags, ...packages.value.compile].filter(changesPrecompiled)
  if (contradicting.length > 0) {
    remarks.push(
      `${contradicting.join(' ')}: no precompiled headers are used with these flags ("optimization" and "fastMath" in opsmith.json keep them)`,
    )
  }
  let missingPrelude: Prelude | undefined
  const preludesOfTasks = new Set<Prelude | undefined>()
  const cxxTask = (
    label: string,
    file: string,
    text: string,
    prelude: Prelude | undefined,
    ofProject = true,
    hostFlags: readonly string[] = [],
  ): CompileTask => {
    let precompiled: string[] = []
    preludesOfTasks.add(prelude)
    if (prelude !== undefined && (!ofProject || contradicting.length === 0)) {
      const header = locatePrecompiled(installation, toolchain, includes, prelude, variant)
      if (header.ready) precompiled = usePrecompiled(toolchain, header)
      else missingPrelude = prelude
    }
    const args = [
      ...precompiled,
      ...commonFlags(toolchain, includes, variant),
      ...preludeFlags(prelude),
      ...(ofProject ? projectFlags : []),
      ...hostFlags,
      ...(toolchain.compiler.family === 'clang'
        ? ['-fno-color-diagnostics']
        : ['-fdiagnostics-color=never']),
      ...(ofProject ? manifest.cflags : []),
    ]
    const own = ofProject ? [...projectFlags, ...hostFlags, ...manifest.cflags] : []
    return {
      label,
      server: variant === 'plain' ? flagsForServer(own) : undefined,
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

  const compiles: CompileTask[] = []
  let needsCuda = false
  for (const source of texts) {
    const label = path.relative(folder, source.file)
    const functions = placed.value.get(source.file)
    const read = includedTexts(source, includeFolders)
    const hostFlags = includesCuda(read) ? cudaHostFlags(toolchain, includes) : []
    if (isCuda(source.file)) {
      if (functions) {
        return err(
          'project.invalid',
          `opsmith.json, functions: ${functions.join(', ')} is defined in ${label}; a function bound by name must be in a C++ source.`,
          {
            path: 'functions',
            file: path.join(folder, manifestFileName),
            hint: 'Launch the CUDA kernel from a function in a .cpp file, and bind that.',
          },
        )
      }
      needsCuda = true
      const chosen = toolchain.cuda
        ? chooseArchitectures(toolchain.cuda, folder, manifest, architectures)
        : ok([])
      if (!chosen.ok) return chosen
      const task = cudaTask(toolchain, manifest, source, read, chosen.value, projectFlags, includes)
      if (!task.ok) return task
      compiles.push(task.value)
    } else if (functions) {
      const text = bindingAround(manifest, source, functions)
      // Not the source's own name: the quotes in it would find this file first, not the source.
      const name = `opsmith_bind_${path.basename(source.file)}`
      const file = writeGenerated(installation, name, text)
      // The source's own text is part of the key: the generated file only includes it.
      const prelude = preludeFor(read, true)
      compiles.push({
        ...cxxTask(label, file, text + source.text, prelude, true, hostFlags),
        around: source.relative,
      })
    } else {
      compiles.push(
        cxxTask(label, source.relative, source.text, preludeFor(read, false), true, hostFlags),
      )
    }
  }
  // Units that are the same for every project, and so compiled once on a machine.
  const support = (name: string, label: string): CompileTask =>
    cxxTask(label, path.join(includes.folder, 'include', 'opsmith', name), '', 'lean', false)
  if (placed.value.size > 0 || texts.some((source) => pybindModules(source.text).length > 0)) {
    compiles.push(support('bound_function.cpp', 'opsmith bindings'))
  }
  const lines = await entryLines(folder, 'autograd')
  const registration = registrationUnit(manifest, texts, lines)
  if (registration !== '') {
    const file = writeGenerated(installation, 'opsmith_registration.cpp', registration)
    if (manifest.autograd.length > 0) compiles.push(support('autograd.cpp', 'opsmith autograd'))
    // Linked last: static constructors run in link order, and an entry needs its operators registered.
    compiles.push(cxxTask('opsmith registration', file, registration, undefined))
  }
  if (missingPrelude !== undefined) {
    remarks.push(
      "libtorch's headers are not precompiled for these tools and flags yet: this build takes longer (`opsmith prepare PROJECT` makes them)",
    )
  }
  const cudaLink = needsCuda ? cudaLinkFlags(toolchain) : []
  return ok({
    compiles,
    link: {
      command: toolchain.compiler.path,
      args: linkFlags(toolchain, variant),
      trailing: [...packages.value.link, ...cudaLink, ...manifest.ldflags],
    },
    contentFolders: [folder, ...includeFolders],
    serverPrelude: !compiles.some((task) => task.server)
      ? undefined
      : preludesOfTasks.has('full')
        ? 'full'
        : 'extension',
    remarks,
    missingPrelude,
    includes,
  })
}
