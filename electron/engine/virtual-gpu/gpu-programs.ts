/** Whole CUDA programs on the virtual GPU: sources to an executable, and its run. */
import { createHash } from 'node:crypto'
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import type { Diagnostic } from '../../contract/diagnostics'
import type { GpuCounts } from '../../contract/gpu-counts'
import type { GpuReport } from '../../contract/gpu-findings'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { parseCompilerOutput } from '../compile/diagnostics'
import type { Installation } from '../installation'
import { chooseClang } from '../toolchain/choose'
import { runCompiler } from '../toolchain/run-compiler'
import { cudaFlags, wrapFlags } from '../compile/virtual-gpu/flags'
import type { GpuVariant } from '../compile/virtual-gpu/flags'
import { gpuCacheFolder, pruneGpuCache, touchEntry } from '../compile/virtual-gpu/gpu-cache'
import { readGpuCounts } from './read-counts'
import { readGpuReport } from './read-report'
import { runtimeLibrary } from '../compile/virtual-gpu/runtime-library'
import type { GpuTools, RuntimeLibrary } from '../compile/virtual-gpu/runtime-library'
import { rewriteSources } from '../compile/virtual-gpu/shadow-sources'

export interface GpuProgram extends GpuVariant {
  /** Absolute paths of `.cu`, `.cpp`, `.cc` and `.c` files. */
  sources: readonly string[]
  /** Folders for `#include`, absolute. */
  includeFolders: readonly string[]
  /** `NAME` or `NAME=VALUE`. */
  defines: readonly string[]
  /** Libraries that are linked: `m`, `OpenCL`. */
  libraries: readonly string[]
}

export interface GpuProgramBuild {
  /** "" where a source does not compile. */
  executable: string
  diagnostics: Diagnostic[]
  /** It was in the cache. */
  isCached: boolean
}

export interface GpuProgramRun extends GpuVariant {
  executable: string
  programArguments: readonly string[]
  environment: Readonly<Record<string, string>>
  signal: AbortSignal
  /** The working folder. */
  folder: string
}

export interface GpuProgramResult {
  exitCode: number
  /** Of a checked run. */
  report?: Result<GpuReport>
  /** Of a counted run. */
  counts?: Result<GpuCounts>
}

/** What CUDA programs include most. clang 19 rejects <iostream> after a precompiled header without it. */
const standardHeaders = [
  'iostream',
  'algorithm',
  'chrono',
  'cmath',
  'cstdio',
  'cstdlib',
  'cstring',
  'fstream',
  'functional',
  'map',
  'memory',
  'numeric',
  'random',
  'sstream',
  'string',
  'vector',
]

/** What every rewritten source begins with, after the precompiled headers. */
const preamble = (): string => '#include "opsmith/gpu/dependent_blocks.h"\n'

const precompileFlags = [
  // What its templates become is made once, not in each program.
  '-fpch-instantiate-templates',
  // A fresh checkout gives the same headers other times.
  '-Xclang',
  '-fno-pch-timestamp',
]

/** Sources that are CUDA, and so rewritten; others are compiled as they are. */
const isCuda = (source: string): boolean => /\.(?:cu|cuh)$/.test(source)

export class GpuPrograms {
  constructor(private readonly services: { installation: Installation }) {}

  /** Compiles what is not in the cache, and links. */
  async build(
    program: GpuProgram,
    signal: AbortSignal | undefined,
    onProgress: (text: string) => void,
  ): Promise<Result<GpuProgramBuild>> {
    const { root, cacheFolder } = this.services.installation
    for (const source of program.sources)
      if (!fs.existsSync(source)) return err('request.invalid', `${source} does not exist.`)
    const compiler = await chooseClang()
    if (!compiler.ok) return compiler
    const tools = { root, cacheFolder, compiler: compiler.value }
    const runtime = await runtimeLibrary(tools, signal, onProgress)
    if (!runtime.ok) return runtime

    const name = createHash('sha256')
      .update(JSON.stringify([program, process.getuid?.() ?? 0]))
      .digest('hex')
      .slice(0, 24)
    const programs = gpuCacheFolder(cacheFolder, 'programs')
    fs.mkdirSync(programs, { recursive: true })
    // Debug information names the copies of sources: by a path that stays.
    const folder = path.join(fs.realpathSync(programs), name)
    const cuda = program.sources.filter(isCuda)
    const folders = program.includeFolders
    const shadows = rewriteSources(cuda, { folders, preamble }, () => path.join(folder, 'sources'))
    const flags = [
      ...cudaFlags(root, program),
      ...(shadows.dependentBlocks ? ['-DOPSMITH_GPU_DEPENDENT_BLOCKS=1'] : []),
      ...program.defines.map((define) => `-D${define}`),
      ...folders.map((include) => `-I${include}`),
    ]
    const key = createHash('sha256').update(
      JSON.stringify([flags, shadows.hash, runtime.value.identity, program.libraries]),
    )
    for (const source of program.sources) if (!isCuda(source)) key.update(fs.readFileSync(source))
    const executable = path.join(folder, `program-${key.digest('hex').slice(0, 24)}`)
    if (fs.existsSync(executable)) {
      touchEntry(folder)
      return ok({ executable, diagnostics: [], isCached: true })
    }

    onProgress(`compiling ${program.sources.map((source) => path.basename(source)).join(', ')}`)
    const prelude = await preludeArguments(tools, runtime.value, flags, signal)
    const outputs: string[] = []
    const parts = program.sources.map((source, index) => ({
      source,
      object: `${executable}.${process.pid}.${index}.o`,
    }))
    const objects = parts.map(({ object }) => object)
    const waiting = [...parts]
    let isGood = true
    const compileNext = async (): Promise<void> => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const { source, object } = next
        const args = isCuda(source)
          ? [
              ...flags,
              ...prelude,
              `-I${path.dirname(source)}`,
              '-x',
              'c++',
              shadows.shadowOf(source),
            ]
          : plainSource(source, flags)
        const result = await runCompiler(
          compiler.value.path,
          ['-fno-color-diagnostics', ...args, '-c', '-o', object],
          { signal, cwd: path.dirname(source) },
        )
        outputs.push(result.stderr)
        if (result.exitCode !== 0) isGood = false
      }
    }
    await Promise.all(
      Array.from({ length: Math.min(os.availableParallelism(), waiting.length) }, compileNext),
    )
    const diagnostics = parseCompilerOutput(
      outputs.join('\n'),
      path.dirname(program.sources[0] ?? ''),
      'clang',
    )
    if (isGood) {
      const temporary = `${executable}.${process.pid}`
      const linked = await runCompiler(
        compiler.value.path,
        [
          ...objects,
          runtime.value.file,
          `-Wl,-rpath,${path.dirname(runtime.value.file)}`,
          ...(compiler.value.linker === '' ? [] : [`-fuse-ld=${compiler.value.linker}`]),
          '-rdynamic',
          ...wrapFlags(program),
          '-pthread',
          '-lm',
          ...program.libraries.map((library) => `-l${library}`),
          '-o',
          temporary,
        ],
        { signal },
      )
      if (linked.exitCode === 0) fs.renameSync(temporary, executable)
      else {
        isGood = false
        diagnostics.push(messageOf('lld', linked.stderr))
      }
    } else if (diagnostics.every(({ severity }) => severity !== 'error')) {
      // clang ended without naming a line: killed, or at odds with its own files.
      diagnostics.push(messageOf('clang', outputs.join('\n')))
    }
    for (const object of objects) fs.rmSync(object, { force: true })
    return ok({ executable: isGood ? executable : '', diagnostics, isCached: false })
  }

  /** Runs the program with this process's input and output; a checked or counted one reports. */
  async run(wanted: GpuProgramRun): Promise<GpuProgramResult> {
    const { root, cacheFolder } = this.services.installation
    if (!wanted.isChecked && wanted.isCounted !== true)
      return { exitCode: await runHere(wanted, {}) }
    const folder = fs.mkdtempSync(path.join(cacheFolder, 'virtual-gpu', 'run-'))
    const file = path.join(folder, 'report.json')
    try {
      if (wanted.isCounted === true) {
        const exitCode = await runHere(wanted, { OPSMITH_GPU_COUNTS: file })
        return { exitCode, counts: await readGpuCounts(file, root) }
      }
      const exitCode = await runHere(wanted, { OPSMITH_GPU_REPORT: file })
      return { exitCode, report: await readGpuReport(file, root) }
    } finally {
      fs.rmSync(folder, { recursive: true, force: true })
    }
  }
}

/** @returns the exit code; 128 and the signal's number where a signal ended the program */
async function runHere(
  { executable, programArguments, environment, signal, folder, isStepped }: GpuProgramRun,
  more: Readonly<Record<string, string>>,
): Promise<number> {
  return await new Promise((resolve) => {
    const child = spawn(executable, [...programArguments], {
      cwd: folder,
      // Commands for stepping come from this process's input.
      stdio: [isStepped === true ? 'ignore' : 'inherit', 'inherit', 'inherit'],
      env: { ...process.env, ...environment, ...more },
    })
    const stop = (): void => {
      child.kill('SIGTERM')
    }
    signal.addEventListener('abort', stop)
    child.on('error', () => {
      resolve(126)
    })
    child.on('exit', (code, ended) => {
      signal.removeEventListener('abort', stop)
      resolve(code ?? 128 + (ended === null ? 0 : os.constants.signals[ended]))
    })
  })
}

/** Arguments that use a precompiled form of the CUDA header, which every source includes first. */
async function preludeArguments(
  { cacheFolder, compiler }: GpuTools,
  runtime: RuntimeLibrary,
  flags: readonly string[],
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const own = flags.filter((flag) => !flag.startsWith('-I'))
  const header = [...standardHeaders.map((name) => `<${name}>`), '"cuda_runtime.h"']
    .map((name) => `#include ${name}\n`)
    .join('')
  const name = createHash('sha256')
    .update(JSON.stringify([own, header, precompileFlags, compiler.identity, runtime.identity]))
    .digest('hex')
    .slice(0, 24)
  const wanted = path.join(gpuCacheFolder(cacheFolder, 'prelude'), name)
  fs.mkdirSync(wanted, { recursive: true })
  // What is precompiled names its header: by a path that stays.
  const folder = fs.realpathSync(wanted)
  const source = path.join(folder, 'prelude.h')
  const precompiled = `${source}.pch`
  if (!fs.existsSync(precompiled)) {
    fs.writeFileSync(source, header)
    const temporary = `${precompiled}.${process.pid}`
    const result = await runCompiler(
      compiler.path,
      [...own, ...precompileFlags, '-x', 'c++-header', source, '-o', temporary],
      { signal },
    )
    if (result.exitCode !== 0) return ['-include', 'cuda_runtime.h']
    fs.renameSync(temporary, precompiled)
    pruneGpuCache(cacheFolder, ['prelude'])
  }
  touchEntry(folder)
  // Its name covers all it holds.
  return ['-include-pch', precompiled, '-Xclang', '-fno-validate-pch']
}

/** C and C++ of the host: the CUDA headers are there for it, the rewriter is not. */
function plainSource(source: string, flags: readonly string[]): string[] {
  const isC = source.endsWith('.c')
  const own = flags.filter(
    (flag) =>
      !isC || (!flag.startsWith('-std=') && flag !== '-fdeclspec' && flag !== '-Wno-register'),
  )
  return [...own, '-x', isC ? 'c' : 'c++', source]
}

/** What a tool printed, where no line of a source is to blame. */
function messageOf(source: string, text: string): Diagnostic {
  const line = text.split('\n').find((one) => one.includes('error')) ?? text
  return {
    severity: 'error',
    file: '',
    line: 0,
    column: 0,
    message: line.replace(/^.*?error: /, '').trim(),
    source,
    code: '',
    notes: [],
    raw: text,
  }
}
