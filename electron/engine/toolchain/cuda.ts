import fs from 'node:fs'
import path from 'node:path'

import { describeCompiler } from './compilers'
import { findAllOnPath, findOnPath } from './find-on-path'
import { hostLimitsOf } from './nvcc-host'
import type { HostCompiler, HostLimits } from './nvcc-host'
import { recentGpus } from './gpus'
import { runProcess } from './run-command'

export interface CudaToolkit {
  nvcc: string
  version: string
  /** With include/ and lib64/, links resolved; "" when it was not found. */
  folder: string
  /** Architectures it compiles for, the oldest first: "75", "80". */
  supported: string[]
  /** Architectures of the GPUs of this machine, each once; [] without a driver. */
  present: string[]
  /** Host compilers that its headers take; undefined when they do not say. */
  hostLimits: HostLimits | undefined
  /** Every g++ of this machine, the one that nvcc finds itself first. */
  gccs: HostCompiler[]
}

type ToolkitOnDisk = Omit<CudaToolkit, 'present' | 'gccs'>

/** Asked once for each nvcc on disk: a build shall not wait for it. */
const known = new Map<string, Promise<ToolkitOnDisk | undefined>>()

/**
 * The CUDA toolkit whose nvcc is on PATH, in CUDA_HOME, or in the customary place.
 * @param launcher asks the driver for GPUs where nvidia-smi does not answer; "" before set-up
 */
export async function findCudaToolkit(launcher = ''): Promise<CudaToolkit | undefined> {
  const home = process.env['CUDA_HOME'] ?? process.env['CUDA_PATH'] ?? '/usr/local/cuda'
  const nvcc = findOnPath('nvcc') ?? findOnPath(path.join(home, 'bin', 'nvcc'))
  if (!nvcc) return undefined
  const real = fs.realpathSync(nvcc)
  const stamp = `${real}:${fs.statSync(real).mtimeMs}:${home}`
  const answer = known.get(stamp) ?? describeToolkit(nvcc, home)
  known.set(stamp, answer)
  const [toolkit, { gpus }, gccs] = await Promise.all([answer, recentGpus(launcher), findGccs()])
  if (!toolkit) return undefined
  const architectures = gpus.map((gpu) => gpu.architecture).filter((one) => one !== '')
  return {
    nvcc: toolkit.nvcc,
    version: toolkit.version,
    folder: toolkit.folder,
    supported: toolkit.supported,
    hostLimits: toolkit.hostLimits,
    present: [...new Set(architectures)].sort((a, b) => Number(a) - Number(b)),
    gccs,
  }
}

/** nvcc itself runs `gcc`; a `g++` next to it is of the same version. */
async function findGccs(): Promise<HostCompiler[]> {
  const usual = findOnPath('g++')
  const files = [...(usual === undefined ? [] : [usual]), ...findAllOnPath(/^g\+\+-\d+$/)]
  const found = await Promise.all(files.map(describeCompiler))
  return found.flatMap((compiler) =>
    compiler?.family === 'g++' ? [{ path: compiler.path, major: compiler.major }] : [],
  )
}

function readText(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

async function describeToolkit(nvcc: string, home: string): Promise<ToolkitOnDisk | undefined> {
  const [told, listed] = await Promise.all([
    runProcess(nvcc, ['--version']),
    runProcess(nvcc, ['--list-gpu-arch']),
  ])
  const version = /release (\d+\.\d+)/.exec(told.stdout)?.[1]
  if (!version) return undefined
  // nvcc on PATH may be a script that starts the real one, so its folder says little.
  const folder = [path.resolve(fs.realpathSync(nvcc), '../..'), home, '/usr/local/cuda'].find(
    (candidate) => fs.existsSync(path.join(candidate, 'include', 'cuda_runtime.h')),
  )
  const supported = [...listed.stdout.matchAll(/compute_(\d+)/g)].map((match) => match[1] ?? '')
  // Debian's nvidia-cuda-toolkit has its headers among the system's.
  const headers = folder === undefined ? '/usr/include' : path.join(folder, 'include')
  return {
    nvcc,
    version,
    folder: folder === undefined ? '' : fs.realpathSync(folder),
    supported: supported.sort((a, b) => Number(a) - Number(b)),
    hostLimits: hostLimitsOf(readText(path.join(headers, 'crt', 'host_config.h'))),
  }
}
