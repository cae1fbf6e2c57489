/** What op hosts and operators need of the virtual GPU: its runtime, and libtorch's device `cuda`. */
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'

import { err, ok } from '../../../contract/outcome'
import type { Result } from '../../../contract/outcome'
import { temporaryBeside } from '../sealed-files'
import type { Libtorch } from '../../toolchain/libtorch'
import { runCompiler } from '../../toolchain/run-compiler'
import { gpuFolder } from './flags'
import { gpuCacheFolder, pruneGpuCache, touchEntry } from './gpu-cache'
import { runtimeLibrary } from './runtime-library'
import type { GpuTools } from './runtime-library'

const libraryName = 'libopsmith_virtual_device.so'

/** Absolute paths of libraries; operators are linked with both. */
export interface DeviceLibraries {
  runtime: string
  /** `opsmith_install_virtual_device()` of it gives libtorch the device. */
  device: string
  /** Changes with their sources, our CUDA headers, the compiler and libtorch. */
  identity: string
}

/** By what they are made of: a build and the window may both want them first. */
const beingMade = new Map<string, Promise<Result<DeviceLibraries>>>()
const listeners = new Set<(text: string) => void>()

/**
 * Compiles what is not in the cache: half a minute, once for each libtorch.
 * @param onProgress called with what is being compiled
 */
export async function deviceLibraries(
  tools: GpuTools,
  libtorch: Libtorch,
  onProgress: (text: string) => void = () => undefined,
): Promise<Result<DeviceLibraries>> {
  // One at a time: those of two libtorchs share the runtime.
  const key = JSON.stringify([tools.root, tools.cacheFolder, tools.compiler.identity])
  const wanted = `${key}${libtorch.identity}${libtorch.folder}`
  const known = made.get(wanted)
  if (known && fs.existsSync(known.device) && fs.existsSync(known.runtime)) {
    for (const file of [known.device, known.runtime]) touchEntry(path.dirname(file))
    return ok(known)
  }
  listeners.add(onProgress)
  const say = (text: string): void => {
    for (const listener of listeners) listener(text)
  }
  const before = beingMade.get(key) ?? Promise.resolve()
  const making = before.then(
    () => make(tools, libtorch, say),
    () => make(tools, libtorch, say),
  )
  beingMade.set(key, making)
  try {
    const answer = await making
    if (answer.ok) made.set(wanted, answer.value)
    return answer
  } finally {
    listeners.delete(onProgress)
    if (beingMade.get(key) === making) beingMade.delete(key)
  }
}

/** Good answers of this process: builds ask each time, and the sources are many files. */
const made = new Map<string, DeviceLibraries>()

/** The compiler's flags, the linker's not among them. */
function deviceFlags({ root }: GpuTools, libtorch: Libtorch): string[] {
  return [
    '-std=gnu++20',
    '-fdeclspec',
    '-O1',
    '-fPIC',
    '-fvisibility=hidden',
    `-D_GLIBCXX_USE_CXX11_ABI=${libtorch.cxx11Abi ? 1 : 0}`,
    '-isystem',
    path.join(gpuFolder(root), 'include'),
    '-isystem',
    path.join(libtorch.folder, 'include'),
    '-isystem',
    path.join(libtorch.folder, 'include/torch/csrc/api/include'),
  ]
}

async function make(
  tools: GpuTools,
  libtorch: Libtorch,
  onProgress: (text: string) => void,
): Promise<Result<DeviceLibraries>> {
  const { root, cacheFolder, compiler } = tools
  const runtime = await runtimeLibrary(tools, undefined, onProgress)
  if (!runtime.ok) return runtime
  const folder = path.join(gpuFolder(root), 'torch')
  const files = fs.readdirSync(folder).sort()
  const hash = createHash('sha256').update(
    JSON.stringify([runtime.value.identity, libtorch.identity, libtorch.folder]),
  )
  for (const name of files) hash.update(`${name}\0${fs.readFileSync(path.join(folder, name))}\0`)
  hash.update(JSON.stringify(deviceFlags(tools, libtorch)))
  const identity = hash.digest('hex').slice(0, 32)
  const target = path.join(gpuCacheFolder(cacheFolder, 'devices'), identity)
  const device = path.join(target, libraryName)
  if (!fs.existsSync(device)) {
    onProgress(`compiling the virtual GPU for libtorch ${libtorch.version} (only the first time)`)
    const work = temporaryBeside(target)
    fs.mkdirSync(work, { recursive: true })
    const all = path.join(work, 'all.cpp')
    // One translation unit: libtorch's headers take most of the time.
    const sources = files.filter((name) => name.endsWith('.cpp'))
    fs.writeFileSync(all, sources.map((name) => `#include "${path.join(folder, name)}"\n`).join(''))
    const result = await runCompiler(compiler.path, [
      ...deviceFlags(tools, libtorch),
      '-shared',
      `-Wl,-soname,${libraryName}`,
      all,
      runtime.value.file,
      `-Wl,-rpath,${path.dirname(runtime.value.file)}`,
      ...(compiler.linker === '' || path.isAbsolute(compiler.linker)
        ? []
        : [`-fuse-ld=${compiler.linker}`]),
      '-L',
      path.join(libtorch.folder, 'lib'),
      `-Wl,-rpath,${path.join(libtorch.folder, 'lib')}`,
      '-ltorch',
      '-ltorch_cpu',
      '-lc10',
      '-ldl',
      '-o',
      path.join(work, libraryName),
    ])
    if (result.exitCode !== 0) {
      fs.rmSync(work, { recursive: true, force: true })
      return err(
        'toolchain.mismatch',
        `Opsmith could not compile the virtual GPU with libtorch ${libtorch.version}.`,
        {
          hint: 'The virtual GPU is tested with libtorch 2.13: choose this version in Doctor. To do without the virtual GPU, set “CUDA code runs on” to “Only the GPU of this machine” in Settings, or "toolchain": { "gpu": "hardware" } in opsmith.json.',
          detail: result.stderr.slice(0, 4000),
        },
      )
    }
    fs.rmSync(all)
    try {
      fs.renameSync(work, target)
    } catch (error) {
      fs.rmSync(work, { recursive: true, force: true })
      // Another process was first, or the disk is full.
      if (!fs.existsSync(device)) throw error
    }
    pruneGpuCache(cacheFolder, ['devices'])
  } else touchEntry(target)
  return ok({ runtime: runtime.value.file, device: fs.realpathSync(device), identity })
}
