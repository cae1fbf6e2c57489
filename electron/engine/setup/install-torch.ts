import fs from 'node:fs'
import path from 'node:path'

import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { askPython } from '../toolchain/ask-python'
import { lastLines } from './run-tool'
import type { RunTool } from './run-tool'

/** The version that set-up installs where there is none. */
export const torchVersion = '2.13.0'

/** pip's words for where the wheels for this CUDA are. */
const cudaIndex = (cuda: string): string[] => [
  '--index-url',
  `https://download.pytorch.org/whl/cu${cuda.replace('.', '')}`,
]

/** What `import torch`, `torch.utils.cpp_extension` and `torch.library.opcheck` import: exports are proven with them. */
const packagesOfTorch = [
  'numpy',
  'sympy',
  'networkx',
  'jinja2',
  'fsspec',
  'filelock',
  'typing-extensions',
  'setuptools',
  'wheel',
]

export interface TorchPlace {
  /** The environment of Python that is made. */
  folder: string
  cacheFolder: string
  /** Of the build that is wanted: "13.0"; "" for the CPU. */
  cuda: string
  run: RunTool
  /** Called with what does not go as expected, in words. */
  onRemark: (text: string) => void
}

/** A CUDA build does not load without NVIDIA's packages, which are its dependencies. */
async function isCudaBuild(python: string): Promise<boolean> {
  const folder = (await askPython(python))?.torchFolder ?? ''
  return fs.existsSync(path.join(folder, 'lib', 'libtorch_cuda.so'))
}

/**
 * Makes an environment of Python with torch. Where its build for CUDA cannot be had it is the CPU's, and where that
 * cannot, the one that pip takes.
 * Errors: python3 makes no environment, or pip cannot install torch (`toolchain.missing`).
 * @returns its interpreter
 */
export async function installTorch(place: TorchPlace): Promise<Result<string>> {
  const { folder, cacheFolder, cuda, run, onRemark } = place
  fs.rmSync(folder, { recursive: true, force: true })
  fs.mkdirSync(path.dirname(folder), { recursive: true })
  const python = path.join(folder, 'bin', 'python')
  const failed = (what: string, output: string): Result<string> => {
    fs.rmSync(folder, { recursive: true, force: true })
    return err('toolchain.missing', what, {
      hint: 'Activate a Python environment that has torch, or choose the folder of an unpacked libtorch: in the Set-up panel, or with --libtorch FOLDER on the command line.',
      detail: lastLines(output, 20),
    })
  }
  const made = await run(['python3', '-m', 'venv', folder])
  if (!made.ok) return failed('python3 could not make a virtual environment.', made.output)
  const base = [python, '-m', 'pip', 'install', '--disable-pip-version-check', '--quiet']
  const pip = async (words: readonly string[]): ReturnType<RunTool> =>
    await run([...base, '--retries', '0', ...words], {
      PIP_CACHE_DIR: path.join(cacheFolder, 'pip'),
      PIP_ROOT_USER_ACTION: 'ignore',
    })
  /** libtorch works without them: only the exports that run Python need them. */
  const finish = async (): Promise<Result<string>> => {
    const added = await pip(packagesOfTorch)
    if (!added.ok)
      onRemark(
        `the Python packages that torch needs cannot be downloaded (${lastLines(added.output, 1)}), so exports for Python cannot be tested`,
      )
    return ok(python)
  }
  if (cuda !== '') {
    // With its packages: a CUDA build does not load without NVIDIA's.
    const built = await pip([...cudaIndex(cuda), `torch==${torchVersion}`])
    if (built.ok) return await finish()
    onRemark(
      `torch ${torchVersion} for CUDA ${cuda} cannot be downloaded (${lastLines(built.output, 1)}), so Opsmith installs the CPU build`,
    )
  }
  const index = ['--timeout', '20', '--extra-index-url', 'https://download.pytorch.org/whl/cpu']
  const cpu = await pip(['--no-deps', ...index, `torch==${torchVersion}+cpu`])
  if (cpu.ok) return await finish()
  onRemark(
    `the CPU build of torch ${torchVersion} cannot be downloaded (${lastLines(cpu.output, 1)}), so Opsmith installs the default build`,
  )
  const usual = await pip(['--no-deps', `torch==${torchVersion}`])
  if (!usual.ok) return failed(`pip could not install torch ${torchVersion}.`, usual.output)
  if (!(await isCudaBuild(python))) return await finish()
  const whole = await pip([`torch==${torchVersion}`])
  return whole.ok
    ? await finish()
    : failed(`pip could not install the packages that torch ${torchVersion} needs.`, whole.output)
}
