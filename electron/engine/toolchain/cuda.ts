import fs from 'node:fs'
import path from 'node:path'

import { findOnPath } from './find-on-path'
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
}

export interface Gpu {
  name: string
  driver: string
  detail: string
  /** Compute capability without its point, "90"; "" without a driver. */
  architecture: string
}

/** Asked once for each nvcc on disk: a build shall not wait for it. */
const known = new Map<string, Promise<CudaToolkit | undefined>>()

/** The CUDA toolkit whose nvcc is on PATH, in CUDA_HOME, or in the customary place. */
export async function findCudaToolkit(): Promise<CudaToolkit | undefined> {
  const home = process.env['CUDA_HOME'] ?? process.env['CUDA_PATH'] ?? '/usr/local/cuda'
  const nvcc = findOnPath('nvcc') ?? findOnPath(path.join(home, 'bin', 'nvcc'))
  if (!nvcc) return undefined
  const real = fs.realpathSync(nvcc)
  const stamp = `${real}:${fs.statSync(real).mtimeMs}:${home}`
  const answer = known.get(stamp) ?? describeToolkit(nvcc, home)
  known.set(stamp, answer)
  return await answer
}

async function describeToolkit(nvcc: string, home: string): Promise<CudaToolkit | undefined> {
  const [told, listed, gpus] = await Promise.all([
    runProcess(nvcc, ['--version']),
    runProcess(nvcc, ['--list-gpu-arch']),
    findGpus(),
  ])
  const version = /release (\d+\.\d+)/.exec(told.stdout)?.[1]
  if (!version) return undefined
  // nvcc on PATH may be a script that starts the real one, so its folder says little.
  const folder = [path.resolve(fs.realpathSync(nvcc), '../..'), home, '/usr/local/cuda'].find(
    (candidate) => fs.existsSync(path.join(candidate, 'include', 'cuda_runtime.h')),
  )
  const supported = [...listed.stdout.matchAll(/compute_(\d+)/g)].map((match) => match[1] ?? '')
  return {
    nvcc,
    version,
    folder: folder === undefined ? '' : fs.realpathSync(folder),
    supported: supported.sort((a, b) => Number(a) - Number(b)),
    present: [...new Set(gpus.map((gpu) => gpu.architecture))].filter((one) => one !== '').sort(),
  }
}

/** NVIDIA GPUs: by nvidia-smi where the driver is there, else by PCI vendor, so none needs a driver to be seen. */
export async function findGpus(): Promise<Gpu[]> {
  const smi = findOnPath('nvidia-smi')
  if (smi) {
    const result = await runProcess(smi, [
      '--query-gpu=name,driver_version,memory.total,compute_cap',
      '--format=csv,noheader',
    ])
    if (result.exitCode === 0) {
      return result.stdout
        .split('\n')
        .filter((line) => line.trim() !== '')
        .map((line) => {
          const [name = '', driver = '', memory = '', capability = ''] = line
            .split(',')
            .map((x) => x.trim())
          const architecture = /^\d+\.\d+$/.test(capability) ? capability.replace('.', '') : ''
          return {
            name,
            driver,
            architecture,
            detail: `${memory}, compute capability ${capability}`,
          }
        })
    }
  }
  return findPciGpus()
}

function findPciGpus(): Gpu[] {
  const root = '/sys/bus/pci/devices'
  const gpus: Gpu[] = []
  let devices: string[]
  try {
    devices = fs.readdirSync(root)
  } catch {
    return gpus
  }
  for (const device of devices) {
    const read = (name: string): string => {
      try {
        return fs.readFileSync(path.join(root, device, name), 'utf8').trim()
      } catch {
        return ''
      }
    }
    // Vendor 10de is NVIDIA, class 03xxxx a display or 3-D controller.
    if (read('vendor') === '0x10de' && read('class').startsWith('0x03')) {
      gpus.push({
        name: `NVIDIA device ${read('device')}`,
        driver: '',
        architecture: '',
        detail: `PCI ${device}`,
      })
    }
  }
  return gpus
}
