import fs from 'node:fs'
import path from 'node:path'

import type { Judgement } from '../../contract/doctor'
import { askPython } from './ask-python'
import type { PythonTorch } from './ask-python'
import { pythonsOnPath } from './pythons-on-path'

export interface Libtorch {
  /** Folder with include/ and lib/. */
  folder: string
  version: string
  /** Where it was found: "settings", "python3", "LIBTORCH", "set-up". */
  origin: string
  /** _GLIBCXX_USE_CXX11_ABI of its libraries. */
  cxx11Abi: boolean
  /** Language standard its headers need: 17 or 20. */
  cxxStandard: 17 | 20
  /** "13.0"; "13" where only that is known; "" for a CPU build. */
  cuda: string
  hasCuda: boolean
  identity: string
  judgement: Judgement
  why: string
  remedy: string
}

const oldest = [2, 6] as const
const install = 'python3 -m venv torch-env && torch-env/bin/pip install torch==2.13.0'

function readText(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function readVersion(folder: string): string {
  const python = readText(path.join(folder, 'version.py'))
  const fromPython = /__version__\s*(?::\s*\w+\s*)?=\s*'([^']+)'/.exec(python)?.[1]
  if (fromPython) return fromPython
  const header =
    readText(path.join(folder, 'include/torch/headeronly/version.h')) ||
    readText(path.join(folder, 'include/torch/csrc/api/include/torch/version.h'))
  const fromHeader = /TORCH_VERSION\s+"([^"]+)"/.exec(header)?.[1]
  return fromHeader ?? readText(path.join(folder, 'build-version')).trim()
}

/** By libc10.so as it is on disk: every call of the window chooses its tools, and reading the file takes 5 ms. */
const knownAbis = new Map<string, boolean>()

/** Which std::string its functions take: looked up in the mangled names of libc10.so. */
function readAbi(folder: string): boolean {
  const file = path.join(folder, 'lib', 'libc10.so')
  try {
    const { size, mtimeMs } = fs.statSync(file)
    const stamp = `${file}:${size}:${mtimeMs}`
    const abi = knownAbis.get(stamp) ?? fs.readFileSync(file).includes('NSt7__cxx1112basic_string')
    knownAbis.set(stamp, abi)
    return abi
  } catch {
    return true
  }
}

/** "13.0" of "cu130", "11.8" of "cu118". */
function versionOfTag(tag: string): string {
  return `${tag.slice(0, -1)}.${tag.slice(-1)}`
}

/**
 * The CUDA that it was built with: a wheel has it in version.py, an archive in build-version (2.13.0+cu130). Of others
 * the major version alone is known, "13", by the name of the runtime that they are linked with.
 */
function readCuda(folder: string): string {
  const python = readText(path.join(folder, 'version.py'))
  const fromPython = /cuda[^=]*=\s*'([\d.]+)'/.exec(python)?.[1]
  if (fromPython) return fromPython
  const tag = /\+cu(\d{3,})/.exec(readText(path.join(folder, 'build-version')))?.[1]
  if (tag) return versionOfTag(tag)
  try {
    // The smallest library that needs it.
    const library = fs.readFileSync(path.join(folder, 'lib', 'libc10_cuda.so'), 'latin1')
    return /libcudart(?:-[0-9a-f]+)?\.so\.(\d+(?:\.\d+)?)/.exec(library)?.[1] ?? ''
  } catch {
    return ''
  }
}

/** The language standard that its CMake package asks for. */
function readStandard(folder: string): 17 | 20 {
  const config = readText(path.join(folder, 'share/cmake/Torch/TorchConfig.cmake'))
  return /CXX_STANDARD\s+20/.test(config) ? 20 : 17
}

/** Looks at a folder without loading anything from it. */
export function describeLibtorch(folder: string, origin: string): Libtorch | undefined {
  const library = path.join(folder, 'lib', 'libtorch_cpu.so')
  if (!fs.existsSync(library)) return undefined
  const version = readVersion(folder)
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const stat = fs.statSync(library)
  const hasHeaders = fs.existsSync(path.join(folder, 'include/torch/library.h'))
  const hasCuda = fs.existsSync(path.join(folder, 'lib', 'libtorch_cuda.so'))
  const recent = major > oldest[0] || (major === oldest[0] && minor >= oldest[1])
  const cxx11Abi = readAbi(folder)
  const why = !hasHeaders
    ? 'its headers are missing'
    : !recent
      ? `libtorch ${oldest.join('.')} or newer is needed`
      : !cxx11Abi
        ? 'built with the old C++ ABI: libraries that use std::string, such as OpenCV, do not link with it'
        : ''
  return {
    folder,
    version,
    origin,
    cxx11Abi,
    cxxStandard: readStandard(folder),
    cuda: hasCuda ? readCuda(folder) : '',
    hasCuda,
    identity: `${version}:${fs.realpathSync(folder)}:${stat.size}:${Math.trunc(stat.mtimeMs)}`,
    judgement: !hasHeaders || !recent ? 'unusable' : why === '' ? 'usable' : 'warning',
    why,
    remedy: why === '' ? '' : install,
  }
}

/** Every Python on PATH and those named, each with the torch it has. */
export async function findPythons(extra: readonly string[] = []): Promise<PythonTorch[]> {
  const files = [...extra.filter((file) => file !== '' && fs.existsSync(file)), ...pythonsOnPath()]
  const answers = await Promise.all([...new Set(files)].map(askPython))
  return answers.filter((answer) => answer !== undefined)
}

export interface LibtorchHints {
  /** Chosen by the user for this project or for all; "" for none. */
  chosen: string
  /** What set-up found or made. */
  setup: string
}

/** Candidates in the order in which they are taken: chosen, active Python's, LIBTORCH, set-up's. */
export async function findLibtorchs(hints: LibtorchHints): Promise<Libtorch[]> {
  const candidates: (Libtorch | undefined)[] = []
  if (hints.chosen !== '') candidates.push(describeLibtorch(hints.chosen, 'settings'))
  for (const python of await findPythons()) {
    if (python.torchFolder !== '')
      candidates.push(describeLibtorch(python.torchFolder, python.python))
  }
  const variable = process.env['LIBTORCH']
  if (variable) candidates.push(describeLibtorch(variable, 'LIBTORCH'))
  if (hints.setup !== '') candidates.push(describeLibtorch(hints.setup, 'set-up'))
  const seen = new Set<string>()
  return candidates.filter((candidate) => {
    if (!candidate || seen.has(candidate.identity)) return false
    seen.add(candidate.identity)
    return true
  }) as Libtorch[]
}
