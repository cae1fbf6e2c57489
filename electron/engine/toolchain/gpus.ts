import fs from 'node:fs'
import path from 'node:path'

import { cudaVersionOf, parseDriverReport } from './driver-report'
import type { DriverReport } from './driver-report'
import { findOnPath } from './find-on-path'
import { probeLimits, runProcess } from './run-command'
import type { CommandLimits } from './run-command'

export interface Gpu {
  name: string
  driver: string
  detail: string
  /** Compute capability without its point, "90"; "" without a driver. */
  architecture: string
  /** Divided into instances (MIG): a process sees one of them, not the card. */
  isDivided: boolean
}

export interface GpuSearch {
  gpus: Gpu[]
  /** Of CUDA that the driver takes: "13.0"; "" where it does not say. */
  driverCuda: string
  /** Why less is known than there is, or why there is no GPU that can be used; "" else. */
  why: string
}

/** How long nvidia-smi and the driver may take: without persistence mode each card is woken first, for seconds. */
export interface GpuPatience {
  smi: CommandLimits
  driver: CommandLimits
}

const usualPatience: GpuPatience = {
  smi: probeLimits,
  driver: { seconds: 60, outputBytes: probeLimits.outputBytes, memoryBytes: 0 },
}

/** An answer without GPUs that took long holds for so many milliseconds: not every build waits for it. */
const lateMilliseconds = 3000
const keptMilliseconds = 300_000

/** The answer of this process; one that found no GPU is asked for again. */
let known: Promise<GpuSearch> | undefined

/**
 * The NVIDIA GPUs of this machine: by nvidia-smi, else by the driver itself (`launcher --gpus`), else by PCI vendor, so
 * that none needs a driver to be seen.
 * @param launcher opsmith_launcher, which asks the driver; "" before set-up
 */
export async function searchGpus(launcher = '', patience = usualPatience): Promise<GpuSearch> {
  const started = performance.now()
  const asked = known ?? search(launcher, patience)
  known = asked
  const answer = await asked
  recent = { answer, at: performance.now(), place: placeOf(launcher) }
  const isKnown = answer.gpus.some(({ architecture }) => architecture !== '')
  if (known === asked && !isKnown) {
    // A driver that was installed meanwhile, or a nvidia-smi that was late, is worth another question.
    if (performance.now() - started < lateMilliseconds) known = undefined
    else setTimeout(() => (known = undefined), keptMilliseconds).unref()
  }
  return answer
}

/** recentGpus() does not ask again within so many milliseconds. */
const recentMilliseconds = 10_000
/** Milliseconds that it lets a build run before it asks again. */
const laterMilliseconds = 5_000

/** The last answer, when it came, and which programs gave it. */
let recent: { answer: GpuSearch; at: number; place: string } | undefined

const placeOf = (launcher: string): string => [launcher, process.env['PATH'] ?? ''].join('\n')

/**
 * As searchGpus(), for builds, which do not wait: it returns the last answer. If that is old, a search in the
 * background updates it for the next build: a driver may have been installed since.
 */
export async function recentGpus(launcher: string): Promise<GpuSearch> {
  if (recent?.place !== placeOf(launcher)) return await searchGpus(launcher)
  const { answer, at } = recent
  if (performance.now() - at > recentMilliseconds) {
    recent.at = performance.now()
    setTimeout(() => void searchGpus(launcher), laterMilliseconds).unref()
  }
  return answer
}

/** For tests, which change what is on PATH. */
export function forgetGpus(): void {
  known = undefined
  recent = undefined
}

async function search(launcher: string, patience: GpuPatience): Promise<GpuSearch> {
  const smi = await askSmi(patience.smi)
  if (smi.gpus.some(({ architecture }) => architecture !== '')) return smi
  const driver = await askDriver(launcher, patience.driver)
  const found = driver ? gpusOfDriver(driver) : []
  const driverCuda = driver ? cudaVersionOf(driver.version) : ''
  if (found.length > 0) return { gpus: found, driverCuda, why: smi.why }
  const why = [smi.why, driver?.why ?? ''].filter((one) => one !== '').join('; ')
  return { gpus: smi.gpus.length > 0 ? smi.gpus : findPciGpus(), driverCuda, why }
}

const fields = 'name,driver_version,memory.total,compute_cap,mig.mode.current'

/** "NVIDIA A100-SXM4-40GB, 550.54.14, 40960 MiB, 8.0, Enabled" */
function gpuOf(line: string): Gpu {
  const [name = '', driver = '', memory = '', capability = '', mig = ''] = line
    .split(',')
    .map((word) => word.trim())
  // Drivers before 465 have no compute_cap and answer "[N/A]" or with an error.
  const architecture = /^\d+\.\d+$/.test(capability) ? capability.replace('.', '') : ''
  return {
    name,
    driver,
    architecture,
    isDivided: mig === 'Enabled',
    detail: architecture === '' ? memory : `${memory}, compute capability ${capability}`,
  }
}

async function askSmi(limits: CommandLimits): Promise<GpuSearch> {
  const smi = findOnPath('nvidia-smi')
  if (smi === undefined) return { gpus: [], driverCuda: '', why: '' }
  const query = (names: string): ReturnType<typeof runProcess> =>
    runProcess(smi, [`--query-gpu=${names}`, '--format=csv,noheader'], { limits })
  let answer = await query(fields)
  // A field that it does not know ends an older nvidia-smi.
  if (/not a valid field/i.test(answer.stdout + answer.stderr)) {
    answer = await query('name,driver_version,memory.total')
  }
  if (answer.exitCode !== 0) {
    const words = (answer.stdout + answer.stderr).trim().split('\n')[0] ?? ''
    const why =
      answer.stopped === 'timeout'
        ? `nvidia-smi did not answer within ${limits.seconds} s (persistence mode makes nvidia-smi faster: sudo nvidia-smi -pm 1)`
        : `nvidia-smi says: ${words}`
    return { gpus: [], driverCuda: '', why }
  }
  const gpus = answer.stdout
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(gpuOf)
  const header = gpus.length > 0 ? await runProcess(smi, []) : undefined
  const driverCuda = /CUDA(?: UMD)? Version\s*:\s*(\d+\.\d+)/.exec(header?.stdout ?? '')?.[1] ?? ''
  return { gpus, driverCuda, why: gpus.length === 0 ? 'nvidia-smi lists no GPU' : '' }
}

/** What the driver says of itself; undefined without the program that asks it. */
export async function askDriver(
  launcher: string,
  limits = usualPatience.driver,
): Promise<DriverReport | undefined> {
  if (launcher === '' || !fs.existsSync(launcher)) return undefined
  const { exitCode, stdout } = await runProcess(launcher, ['--gpus'], { limits })
  return exitCode === 0 ? parseDriverReport(stdout) : undefined
}

const gpusOfDriver = ({ devices, version }: DriverReport): Gpu[] =>
  devices.map(({ name, architecture, memoryBytes }) => ({
    name,
    // nvidia-smi alone knows the driver's own version.
    driver: `CUDA ${cudaVersionOf(version)}`,
    architecture,
    isDivided: name.includes(' MIG '),
    detail: `${Math.round(memoryBytes / 2 ** 20)} MiB, compute capability ${architecture.slice(0, -1)}.${architecture.slice(-1)}`,
  }))

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
        isDivided: false,
        detail: `PCI ${device}`,
      })
    }
  }
  return gpus
}
