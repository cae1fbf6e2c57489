/** The runtime of the virtual GPU: a library that every program is linked with, compiled once. */
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { err, ok } from '../../../contract/outcome'
import type { Result } from '../../../contract/outcome'
import type { Compiler } from '../../toolchain/compilers'
import { runCompiler } from '../../toolchain/run-compiler'
import { temporaryBeside } from '../sealed-files'
import { gpuFolder } from './flags'
import { gpuCacheFolder, pruneGpuCache, touchEntry } from './gpu-cache'

const runtimeFlags = [
  '-std=gnu++20',
  '-fdeclspec',
  '-O2',
  '-fPIC',
  '-pthread',
  '-gline-tables-only',
  '-ftls-model=initial-exec',
  '-DOPSMITH_GPU_CHECKED=1',
]

const libraryName = 'libopsmith_virtual_gpu.so'

export interface RuntimeLibrary {
  file: string
  /** Changes with its sources, its headers and the compiler. */
  identity: string
}

/** Each folder is read for itself: the Node of an older Electron lists no folder with all that is below it. */
function sourcesBelow(folder: string): string[] {
  return fs
    .readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => {
      const file = path.join(folder, entry.name)
      return entry.isDirectory() ? sourcesBelow(file) : [file]
    })
    .sort()
}

/** Where the sources and the cache are, and what compiles. */
export interface GpuTools {
  root: string
  cacheFolder: string
  compiler: Compiler
}

/** Compiles the runtime if it is not in the cache. */
export async function runtimeLibrary(
  { root, cacheFolder, compiler }: GpuTools,
  signal: AbortSignal | undefined,
  onProgress: (text: string) => void,
): Promise<Result<RuntimeLibrary>> {
  const folder = gpuFolder(root)
  const hash = createHash('sha256').update(JSON.stringify([compiler.identity, ...runtimeFlags]))
  for (const file of [
    ...sourcesBelow(path.join(folder, 'runtime')),
    ...sourcesBelow(path.join(folder, 'include')),
  ])
    hash.update(`${path.relative(folder, file)}\0${fs.readFileSync(file, 'utf8')}\0`)
  const identity = hash.digest('hex').slice(0, 32)
  const target = path.join(gpuCacheFolder(cacheFolder, 'runtime'), identity)
  const file = path.join(target, libraryName)
  // Programs keep this path: one through a link may be gone when they run again.
  if (fs.existsSync(file)) {
    touchEntry(target)
    return ok({ file: fs.realpathSync(file), identity })
  }

  onProgress('compiling the runtime of the virtual GPU (only the first time)')
  const work = temporaryBeside(target)
  fs.mkdirSync(work, { recursive: true })
  const sources = sourcesBelow(path.join(folder, 'runtime')).filter((one) => one.endsWith('.cpp'))
  const waiting = [...sources]
  const failures: string[] = []
  const compileNext = async (): Promise<void> => {
    for (let source = waiting.shift(); source !== undefined; source = waiting.shift()) {
      const result = await runCompiler(
        compiler.path,
        [
          ...runtimeFlags,
          '-isystem',
          path.join(folder, 'include'),
          '-c',
          source,
          '-o',
          path.join(work, `${path.basename(source)}.o`),
        ],
        { signal },
      )
      if (result.exitCode !== 0) failures.push(result.stderr)
    }
  }
  await Promise.all(Array.from({ length: os.availableParallelism() }, compileNext))
  if (failures.length === 0) {
    const linked = await runCompiler(
      compiler.path,
      [
        '-shared',
        '-pthread',
        // What a program has instrumented must not take the place of the runtime's own.
        '-Wl,-Bsymbolic-functions',
        '-o',
        path.join(work, libraryName),
        ...sources.map((source) => path.join(work, `${path.basename(source)}.o`)),
        '-ldl',
      ],
      { signal },
    )
    if (linked.exitCode !== 0) failures.push(linked.stderr)
  }
  const [failure] = failures
  if (failure !== undefined) {
    fs.rmSync(work, { recursive: true, force: true })
    return err('toolchain.mismatch', 'Opsmith could not compile the runtime of the virtual GPU.', {
      detail: failure,
      hint: 'Choose another clang in Doctor.',
    })
  }
  try {
    fs.renameSync(work, target)
  } catch (error) {
    fs.rmSync(work, { recursive: true, force: true })
    // Another process was first, or the disk is full.
    if (!fs.existsSync(file)) throw error
  }
  pruneGpuCache(cacheFolder, ['runtime'])
  return ok({ file: fs.realpathSync(file), identity })
}
